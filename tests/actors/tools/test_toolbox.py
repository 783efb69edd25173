import json

import pytest
from pydantic import ValidationError

from actors.tools.tool import Arguments, Tool
from actors.tools.toolbox import BUILT_IN_TOOLS, build_schema, find_tool

pytestmark = pytest.mark.quick


def test_the_tools_stand_in_the_order_in_which_the_model_is_told_of_them() -> None:
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


def test_a_tool_is_found_by_its_name_only() -> None:
    assert find_tool("edit") is BUILT_IN_TOOLS[5]
    assert find_tool("Edit") is None


def test_a_schema_is_what_the_api_wants_and_no_more() -> None:
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
                    "description": (
                        "The folder; relative to the working folder, absolute, or ~/…."
                    ),
                    "type": "string",
                }
            },
            "type": "object",
        },
    }


def test_schemas_are_the_same_bytes_every_time() -> None:
    once, again = ([json.dumps(build_schema(tool)) for tool in BUILT_IN_TOOLS] for _ in range(2))
    assert once == again


def test_an_argument_may_be_called_title() -> None:
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
def test_arguments_out_of_bounds_or_unknown_are_refused(
    name: str, arguments: dict[str, object]
) -> None:
    tool = find_tool(name)
    assert tool is not None
    with pytest.raises(ValidationError):
        tool.arguments.model_validate(arguments)
