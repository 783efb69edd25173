"""What is wrong with a document, said by key."""

from collections.abc import Generator, Iterable
from typing import cast

from shell.config.schema import TableListSchema, TableSchema, ValueSchema
from shell.config.toml_line_numbers import KeyPath

_SHOWN_CHARS = 40


def find_problems(
    value: object, schema: ValueSchema, key: KeyPath = ()
) -> Generator[tuple[KeyPath, str]]:
    """Say for each key what is wrong with it; nothing: the value may be used."""
    if isinstance(schema, TableSchema):
        yield from _in_table(value, schema, key)
    elif isinstance(schema, TableListSchema):
        yield from _in_tables(value, schema, key)
    elif wrong := schema(value):
        told = f", not {format_value(value)}" if wrong.startswith("must") else ""
        yield key, f"{wrong}{told}"


def format_key(key: KeyPath) -> str:
    """Write a key as TOML does; elements of a list count from 1."""
    name = ""
    for part in key:
        name += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def format_value(value: object) -> str:
    """Show a value in short."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _in_table(value: object, kind: TableSchema, key: KeyPath) -> Generator[tuple[KeyPath, str]]:
    if not isinstance(value, dict):
        yield key, f"must be a table, not {format_value(value)}"
        return
    table = cast("dict[str, object]", value)
    for name, part in table.items():
        if name in kind.keys:
            yield from find_problems(part, kind.keys[name], (*key, name))
        else:  # its value is not told: it may be a key of the other sort
            yield (*key, name), _unknown(name, kind.keys)
    yield from (((*key, name), "is missing") for name in kind.required if name not in table)


def _in_tables(
    value: object, kind: TableListSchema, key: KeyPath
) -> Generator[tuple[KeyPath, str]]:
    if not isinstance(value, list):
        yield key, f"must be a list of [[…]] tables, not {format_value(value)}"
        return
    for index, part in enumerate(cast("list[object]", value)):
        yield from find_problems(part, kind.item, (*key, index))


def _unknown(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (only for errors)

    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    return f"no such key; {hint}"
