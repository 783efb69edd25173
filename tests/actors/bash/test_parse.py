"""Which parts a command is split into, and what makes it ambiguous."""

import pytest

from actors.bash.parse import parse_command
from actors.bash.syntax.word_reader import UNCLEAR_EXPANSION

pytestmark = pytest.mark.quick


def part_texts(command: str) -> list[str]:
    return [part.text for part in parse_command(command).parts]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a && b || c; d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
        ("(a; { b; })", ["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("for f in x; do a; done; while b; do c; done", ["a", "b", "c"]),
        ('echo "a $(b `c`)"', ["echo a $(b `c`)", "b `c`", "c"]),
        ("cat <<E\n$(a)\nE\nb", ["cat", "a", "b"]),
        ("true | find . > /dev/null -delete", ["true", "find . -delete"]),
        ("echo a \\\n b", ["echo a b"]),
    ],
)
def test_every_command_in_a_text_becomes_a_part(command: str, expected: list[str]) -> None:
    assert parse_command(command).ask_reason == ""
    assert part_texts(command) == expected


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("\\\na{b*", "part of it could not be parsed"),
        ("cat <<E\n`a`\nE", UNCLEAR_EXPANSION),
        ("echo a\\\nb", "a line continuation joins two words"),
        ("b(b)", "it is unclear where a command ends"),
        ("!$#", "may not be a reserved word"),
        ("do a", "is a reserved word"),
        ('echo "${x:-`a`}"', "may run commands or set variables"),
    ],
)
def test_a_text_that_bash_may_read_differently_asks(command: str, reason: str) -> None:
    assert reason in parse_command(command).ask_reason
