"""The built-in tools, and their schemas for the Messages API."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, cast

from pydantic import JsonValue

from actors.tools.tool import AnyTool, Arguments
from actors.tools.tool_list import TOOL_LIST
from messages.policy import ToolDeclaration


def load_tool(declaration: ToolDeclaration) -> AnyTool:
    """Return the constant `NAME` of the module `actors.tools.name`.

    Raises:
        ValueError: the tool refers to another declaration.
    """
    module = import_module(f"actors.tools.{declaration.name}")
    tool = cast("AnyTool", getattr(module, declaration.name.upper()))
    if tool.declaration != declaration:
        message = f"{module.__name__} refers to another declaration: {tool.declaration}"
        raise ValueError(message)
    return tool


BUILT_IN_TOOLS: tuple[AnyTool, ...] = tuple(map(load_tool, TOOL_LIST))


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
