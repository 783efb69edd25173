"""Checks a document against a schema."""

from collections.abc import Generator, Iterable
from typing import cast

from shell.config.schema import TableListSchema, TableMapSchema, TableSchema, ValueSchema
from shell.config.toml_line_numbers import KeyPath

MAX_VALUE_CHARS = 40


def find_problems(
    value: object, schema: ValueSchema, key: KeyPath = ()
) -> Generator[tuple[KeyPath, str]]:
    """Yield each invalid key with its problem; nothing if the value is valid."""
    if isinstance(schema, TableSchema):
        yield from _check_table(value, schema, key)
    elif isinstance(schema, TableListSchema):
        yield from _check_table_list(value, schema, key)
    elif isinstance(schema, TableMapSchema):
        yield from _check_table_map(value, schema, key)
    elif problem := schema(value):
        actual = f", not {format_value(value)}" if problem.startswith("must") else ""
        yield key, f"{problem}{actual}"


def format_key(key: KeyPath) -> str:
    """Return a key as TOML writes it; list items are numbered from 1."""
    name = ""
    for part in key:
        name += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def format_value(value: object) -> str:
    """Return a short form of a value for messages."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}…"


def _check_table(
    value: object, schema: TableSchema, key: KeyPath
) -> Generator[tuple[KeyPath, str]]:
    if not isinstance(value, dict):
        yield key, f"must be a table, not {format_value(value)}"
        return
    table = cast("dict[str, object]", value)
    for name, item in table.items():
        if name in schema.keys:
            yield from find_problems(item, schema.keys[name], (*key, name))
        else:  # the value is not shown, since it may be an API key
            yield (*key, name), _format_unknown_key(name, schema.keys)
    yield from (((*key, name), "is missing") for name in schema.required if name not in table)


def _check_table_list(
    value: object, schema: TableListSchema, key: KeyPath
) -> Generator[tuple[KeyPath, str]]:
    if not isinstance(value, list):
        yield key, f"must be a list of [[…]] tables, not {format_value(value)}"
        return
    for index, item in enumerate(cast("list[object]", value)):
        yield from find_problems(item, schema.item, (*key, index))


def _check_table_map(
    value: object, schema: TableMapSchema, key: KeyPath
) -> Generator[tuple[KeyPath, str]]:
    if not isinstance(value, dict):
        yield key, f"must be a table, not {format_value(value)}"
        return
    for name, item in cast("dict[str, object]", value).items():
        if problem := schema.check_name(name):
            yield (*key, name), f"the name {problem}"
        else:
            yield from find_problems(item, schema.item, (*key, name))


def _format_unknown_key(name: str, known_names: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (only for errors)

    matches = get_close_matches(name, known_names, 1)
    hint = f"did you mean {matches[0]}?" if matches else f"known keys: {', '.join(known_names)}"
    return f"unknown key; {hint}"
