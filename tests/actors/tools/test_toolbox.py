import ast
import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from actors import permissions
from actors.permissions.rule_matching import INHERENT_CATEGORIES
from actors.tools.tool import PATH_FORMS, Arguments
from actors.tools.tool_list import TOOL_LIST
from actors.tools.toolbox import BUILT_IN_TOOLS, build_schema, find_tool, load_tool
from messages.policy import ToolCategory

pytestmark = pytest.mark.quick


def test_each_tool_refers_to_its_own_declaration_in_the_list() -> None:
    assert tuple(tool.declaration for tool in BUILT_IN_TOOLS) == TOOL_LIST


def test_a_tool_with_another_declaration_is_not_loaded() -> None:
    listed = replace(TOOL_LIST[0], default_action="ask")
    with pytest.raises(ValueError, match="default_action='allow'"):
        load_tool(listed)


def test_the_permission_engine_names_only_inherent_categories() -> None:
    sources = [file.read_text() for file in Path(permissions.__path__[0]).glob("*.py")]
    constants = {
        node.value
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant)
    }
    categories = get_args(ToolCategory)
    names = {tool.name for tool in TOOL_LIST} - set(categories)
    assert constants & names <= INHERENT_CATEGORIES.keys()


def test_a_default_never_denies_and_what_changes_files_asks() -> None:
    actions = {tool.category: tool.default_action for tool in TOOL_LIST}
    assert actions == {
        "read": "allow",
        "search": "allow",
        "change": "ask",
        "command": "ask",
        "internal": "allow",
        "ask": "ask",
    }
    assert all(tool.reads_only for tool in TOOL_LIST if tool.category in ("read", "search"))


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
    tool = replace(read, arguments=Titled)
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
        ("ls", {"path": None}),
        ("read", {"file_path": 1}),
    ],
)
def test_arguments_of_the_wrong_type_are_rejected(name: str, arguments: dict[str, object]) -> None:
    tool = find_tool(name)
    assert tool is not None
    with pytest.raises(ValidationError):
        tool.arguments.model_validate(arguments)
