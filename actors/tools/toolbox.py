"""The tools there are, and how the model is told of them."""

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
"""In the order in which the model is told of them; it is part of the cached prefix."""


def find_tool(name: str, tools: Sequence[AnyTool] = BUILT_IN_TOOLS) -> AnyTool | None:
    """Look a tool up by the name that the model used."""
    return next((tool for tool in tools if tool.name == name), None)


def build_schema(tool: AnyTool) -> dict[str, JsonValue]:
    """Describe a tool as the Messages API wants it; the same bytes every time."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": _input_schema(cast("type[Arguments]", tool.arguments)),
    }


@cache
def _input_schema(arguments: type[Arguments]) -> JsonValue:
    """Made once: every request of every agent has it."""
    made: dict[str, Any] = arguments.model_json_schema()
    made.pop("description", None)  # the class's docstring is for us
    return _without_titles(made)


def _without_titles(part: JsonValue) -> JsonValue:
    if isinstance(part, list):
        return [_without_titles(item) for item in part]
    if not isinstance(part, dict):
        return part
    # An argument may be called "title"; then what stands under it is a schema, not a string.
    return {
        key: _without_titles(value)
        for key, value in part.items()
        if not (key == "title" and isinstance(value, str))
    }
