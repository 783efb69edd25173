"""What is wrong with a document, said by key."""

from collections.abc import Generator, Iterable
from typing import cast

from shell.config.schema import Kind, Table, Tables
from shell.config.toml_lines import Key

_SHOWN_CHARS = 40


def problems(value: object, kind: Kind, key: Key = ()) -> Generator[tuple[Key, str]]:
    """Say for each key what is wrong with it; nothing: the value may be used."""
    if isinstance(kind, Table):
        yield from _in_table(value, kind, key)
    elif isinstance(kind, Tables):
        yield from _in_tables(value, kind, key)
    elif wrong := kind(value):
        told = f", not {shown(value)}" if wrong.startswith("must") else ""
        yield key, f"{wrong}{told}"


def named(key: Key) -> str:
    """Write a key as TOML does; elements of a list count from 1."""
    name = ""
    for part in key:
        name += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if name else part
    return name


def shown(value: object) -> str:
    """Show a value in short."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _in_table(value: object, kind: Table, key: Key) -> Generator[tuple[Key, str]]:
    if not isinstance(value, dict):
        yield key, f"must be a table, not {shown(value)}"
        return
    table = cast("dict[str, object]", value)
    for name, part in table.items():
        if name in kind.keys:
            yield from problems(part, kind.keys[name], (*key, name))
        else:  # its value is not told: it may be a key of the other sort
            yield (*key, name), _unknown(name, kind.keys)
    yield from (((*key, name), "is missing") for name in kind.required if name not in table)


def _in_tables(value: object, kind: Tables, key: Key) -> Generator[tuple[Key, str]]:
    if not isinstance(value, list):
        yield key, f"must be a list of [[…]] tables, not {shown(value)}"
        return
    for index, part in enumerate(cast("list[object]", value)):
        yield from problems(part, kind.each, (*key, index))


def _unknown(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (only for errors)

    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    return f"no such key; {hint}"
