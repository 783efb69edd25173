import json

import pytest
from pydantic import ValidationError

from actors.tools.tool import PATH_FORMS, Arguments, Tool
from actors.tools.toolbox import BUILT_IN_TOOLS, build_schema, find_tool

pytestmark = pytest.mark.quick


def test_the_tools_have_a_fixed_order_in_requests() -> None:
    assert [tool.name for tool in BUILT_IN_TOOLS] == [
        "read",
        "ls",
        "glob",
        "grep",
        "write",
        "edit",
        "bash",
        "todo_write",
        "question",
        "plan_enter",
        "plan_exit",
        "help",
        "task",
    ]
    assert [tool.name for tool in BUILT_IN_TOOLS if tool.reads_only] == [
        "read",
        "ls",
        "glob",
        "grep",
        "help",
        "task",
    ]


def test_a_tool_is_found_by_its_exact_name() -> None:
    assert find_tool("edit") is BUILT_IN_TOOLS[5]
    assert find_tool("Edit") is None


def test_a_schema_has_only_what_the_api_needs() -> None:
    ls = find_tool("ls")
    assert ls is not None
    assert build_schema(ls) == {
        "name": "ls",
        "description": ls.description,
        "input_schema": {
            "additionalProperties": False,
            "properties": {
                "path": {
                    "default": ".",
                    "description": f"The directory to list: {PATH_FORMS}.",
                    "type": "string",
                }
            },
            "type": "object",
        },
    }


def test_schemas_have_the_same_bytes_every_time() -> None:
    first, second = ([json.dumps(build_schema(tool)) for tool in BUILT_IN_TOOLS] for _ in range(2))
    assert first == second


def test_an_argument_may_be_named_title() -> None:
    class Titled(Arguments):
        title: str

    read = BUILT_IN_TOOLS[0]
    tool = Tool("titled", "", Titled, reads_only=True, plan=read.plan, run=read.run)
    assert build_schema(tool)["input_schema"] == {
        "additionalProperties": False,
        "properties": {"title": {"type": "string"}},
        "required": ["title"],
        "type": "object",
    }


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "x", "offset": 0}),
        ("read", {"path": "x", "limit": "5"}),
        ("bash", {"command": "x", "timeout_s": 601}),
        ("bash", {"command": "x", "timeout_s": float("nan")}),
        ("bash", {"command": "x", "background": True}),
        ("ls", {"path": None}),
    ],
)
def test_invalid_or_unknown_arguments_are_rejected(name: str, arguments: dict[str, object]) -> None:
    tool = find_tool(name)
    assert tool is not None
    with pytest.raises(ValidationError):
        tool.arguments.model_validate(arguments)
