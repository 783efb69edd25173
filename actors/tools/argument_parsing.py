"""Validates a call's arguments: strict about known ones, lenient about unknown optional ones."""

from typing import Any, TypeAlias, cast

from pydantic import JsonValue, ValidationError

from actors.tools.tool import AnyTool, Arguments, ToolError

Location: TypeAlias = tuple[int | str, ...]
"""The keys and indices that lead to a value."""

_MAX_NAMED_ARGUMENTS = 10
_MAX_NAME_CHARS = 60


def parse_arguments(tool: AnyTool, given: dict[str, JsonValue]) -> tuple[Arguments, str]:
    """Return the validated arguments, and a note that names the unknown ones that were ignored.

    Raises:
        ToolError: an argument is missing or has the wrong type; says what is expected.
    """
    model = cast("type[Arguments]", tool.arguments)
    try:
        return model.model_validate(given), ""
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
    unknown = [problem["loc"] for problem in problems if problem["type"] == "extra_forbidden"]
    wrong = [problem for problem in problems if problem["type"] != "extra_forbidden"]
    if wrong:
        details = "; ".join(f"{_format(problem['loc'])}: {problem['msg']}" for problem in wrong)
        message = f"Not run: invalid arguments for {tool.name}: {details}"
        raise ToolError(message)
    arguments = model.model_validate(_without(given, frozenset(unknown)))
    return arguments, _format_note(tool, unknown)


def _without(node: Any, unknown: frozenset[Location]) -> Any:  # noqa: ANN401  (JSON of any shape)
    """Return a copy of `node` without the keys at the locations `unknown`."""
    dropped = {location[0] for location in unknown if len(location) == 1}
    nested: dict[int | str, set[Location]] = {}
    for first, *rest in unknown:
        nested.setdefault(first, set()).add(tuple(rest))
    is_list = isinstance(node, list)
    values = cast("list[Any]", node) if is_list else ()
    entries = cast("dict[int | str, Any]", dict(enumerate(values)) if is_list else node)
    remaining = {
        key: _without(value, frozenset(nested[key])) if key in nested else value
        for key, value in entries.items()
        if key not in dropped
    }
    return [*remaining.values()] if is_list else remaining


def _format_note(tool: AnyTool, unknown: list[Location]) -> str:
    names = list(dict.fromkeys(map(_format_without_indices, unknown)))
    shown = ", ".join(name[:_MAX_NAME_CHARS] for name in names[:_MAX_NAMED_ARGUMENTS])
    more = ", …" if len(names) > _MAX_NAMED_ARGUMENTS else ""
    known = ", ".join(tool.arguments.model_json_schema()["properties"]) or "none"
    return f"[ignored unknown arguments: {shown}{more}; {tool.name} takes: {known}]"


def _format(location: Location) -> str:
    return ".".join(map(str, location)) or "arguments"


def _format_without_indices(location: Location) -> str:
    return _format(tuple(key for key in location if isinstance(key, str)))
