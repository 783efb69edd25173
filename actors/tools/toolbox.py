"""The built-in tools, and their schemas for the Messages API."""

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from pydantic import JsonValue

from actors.tools.bash import BASH
from actors.tools.edit import EDIT
from actors.tools.glob import GLOB
from actors.tools.grep import GREP
from actors.tools.help import HELP
from actors.tools.ls import LS
from actors.tools.plan_mode import PLAN_ENTER, PLAN_EXIT
from actors.tools.question import QUESTION
from actors.tools.read import READ
from actors.tools.task import TASK
from actors.tools.todo_write import TODO_WRITE
from actors.tools.tool import AnyTool, Arguments
from actors.tools.write import WRITE

BUILT_IN_TOOLS: tuple[AnyTool, ...] = (
    READ,
    LS,
    GLOB,
    GREP,
    WRITE,
    EDIT,
    BASH,
    TODO_WRITE,
    QUESTION,
    PLAN_ENTER,
    PLAN_EXIT,
    HELP,
    TASK,
)
"""In the order in which requests list them; the order is part of the cached prefix."""


def find_tool(name: str, tools: Sequence[AnyTool] = BUILT_IN_TOOLS) -> AnyTool | None:
    """Return the tool with the name that the model used."""
    return next((tool for tool in tools if tool.name == name), None)


def build_schema(tool: AnyTool) -> dict[str, JsonValue]:
    """Return the tool's definition for the Messages API, with the same bytes every time."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": _build_input_schema(cast("type[Arguments]", tool.arguments)),
    }


@cache
def _build_input_schema(arguments: type[Arguments]) -> JsonValue:
    # Cached because every request of every agent contains it.
    schema: dict[str, Any] = arguments.model_json_schema()
    schema.pop("description", None)  # the class's docstring is not for the model
    return _without_titles(schema)


def _without_titles(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    # An argument may itself be named "title"; its value is then a schema, not a string.
    return {
        key: _without_titles(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }
