"""What models that know other coding agents send is accepted; wrong types still fail."""

import pytest
from pydantic import JsonValue

from actors.tools.argument_parsing import parse_arguments
from actors.tools.tool import AnyTool, ToolError
from actors.tools.toolbox import BUILT_IN_TOOLS, build_schema, find_tool

pytestmark = pytest.mark.quick


def get_tool(name: str) -> AnyTool:
    tool = find_tool(name)
    assert tool is not None
    return tool


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("read", {"file_path": "a"}, {"path": "a"}),
        ("read", {"absolute_path": "/a", "offset": 2}, {"path": "/a", "offset": 2}),
        ("write", {"filePath": "a", "content": "x"}, {"path": "a", "content": "x"}),
        ("write", {"path": "a", "file_text": "x"}, {"path": "a", "content": "x"}),
        (
            "edit",
            {"filePath": "a", "oldString": "x", "newString": "y", "replaceAll": True},
            {"path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
        ),
        (
            "edit",
            {"path": "a", "old_str": "x", "new_str": "y"},
            {"path": "a", "old_string": "x", "new_string": "y"},
        ),
        ("ls", {"dir_path": "a"}, {"path": "a"}),
        (
            "grep",
            {"pattern": "x", "include": "*.py", "-i": True, "-C": 2},
            {"pattern": "x", "glob": "*.py", "ignore_case": True, "context": 2},
        ),
        ("bash", {"cmd": "ls", "workdir": "a"}, {"command": "ls", "cwd": "a"}),
        (
            "question",
            {"questions": [{"question": "q", "options": [{"label": "a"}], "multiSelect": True}]},
            {"questions": [{"question": "q", "choices": [{"label": "a"}], "multiple": True}]},
        ),
    ],
)
def test_names_that_other_coding_agents_use_are_accepted(
    name: str, given: dict[str, JsonValue], expected: dict[str, JsonValue]
) -> None:
    tool = get_tool(name)
    assert parse_arguments(tool, given) == parse_arguments(tool, expected)
    assert parse_arguments(tool, given)[1] == ""


def test_the_active_form_and_a_plan_are_accepted_silently() -> None:
    item: JsonValue = {"content": "a", "status": "pending", "activeForm": "Doing a"}
    assert parse_arguments(get_tool("todo_write"), {"todos": [item]})[1] == ""
    assert parse_arguments(get_tool("plan_exit"), {"plan": "# Plan"})[1] == ""


def test_other_names_of_an_argument_are_not_in_the_schema() -> None:
    schemas = str([build_schema(tool) for tool in BUILT_IN_TOOLS])
    assert not any(name in schemas for name in ("file_path", "filePath", "activeForm", "'-i'"))


def test_unknown_arguments_are_ignored_and_named_once() -> None:
    given: dict[str, JsonValue] = {"command": "ls", "timeout": 5000, "run_in_background": True}
    arguments, note = parse_arguments(get_tool("bash"), given)
    assert arguments == parse_arguments(get_tool("bash"), {"command": "ls"})[0]
    assert note.startswith("[ignored unknown arguments: timeout, run_in_background; bash takes: ")

    items: list[JsonValue] = [
        {"content": text, "status": "pending", "id": text, "priority": "high"} for text in "ab"
    ]
    arguments, note = parse_arguments(get_tool("todo_write"), {"todos": items})
    assert note == (
        "[ignored unknown arguments: todos.id, todos.priority; todo_write takes: todos]"
    )
    assert [item.content for item in arguments.todos] == ["a", "b"]  # type: ignore[attr-defined]


def test_a_second_name_for_the_same_argument_is_named() -> None:
    arguments, note = parse_arguments(get_tool("read"), {"path": "a", "file_path": "b"})
    assert arguments == parse_arguments(get_tool("read"), {"path": "a"})[0]
    assert note.startswith("[ignored unknown arguments: file_path;")


def test_a_wrong_type_fails_beside_unknown_arguments() -> None:
    with pytest.raises(ToolError, match="arguments for read: limit: Input should be a valid int"):
        parse_arguments(get_tool("read"), {"path": "a", "limit": "5", "extra": 1})


def test_a_missing_argument_is_not_replaced_by_an_unknown_one() -> None:
    with pytest.raises(ToolError, match="invalid arguments for edit: new_string: Field required"):
        parse_arguments(get_tool("edit"), {"path": "a", "old_string": "x", "replacement": "y"})
