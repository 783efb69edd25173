"""How a command is split into parts, and what makes it uncertain."""

import pytest

from actors.bash.parse import parse_command

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
def test_every_command_in_a_text_is_a_part(command: str, expected: list[str]) -> None:
    assert parse_command(command).ask_reason == ""
    assert part_texts(command) == expected


@pytest.mark.parametrize(
    ("command", "doubt"),
    [
        ("\\\na{b*", "a piece of it was not understood"),
        ("cat <<E\n`a`\nE", "an expansion is not plainly one"),
        ("echo a\\\nb", "a line break joins two words"),
        ("b(b)", "where a command ends is not certain"),
        ("!$#", "may not be a reserved word"),
        ("do a", "is a reserved word"),
        ('echo "${x:-`a`}"', "is not plainly an expansion"),
    ],
)
def test_where_grammar_and_words_do_not_agree_it_asks(command: str, doubt: str) -> None:
    assert doubt in parse_command(command).ask_reason
