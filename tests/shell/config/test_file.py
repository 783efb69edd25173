"""A configuration file is right, or everything wrong with it is told by file, line and key."""

import os
from dataclasses import astuple, fields, replace
from pathlib import Path

import pytest

from messages.rules import Rule
from shell.config.file import MOST_BYTES, ConfigFileError, read_config
from shell.config.schema import FILE, Budget, Compact, FileConfig, Review

pytestmark = pytest.mark.quick

WHOLE = """
format = 1
model = "claude-opus-5"
agent = "build"
permission_mode = "auto-edit"
max_depth = 2
max_concurrent_agents = 4
background_placement = "process"
budget = { turns = 10, tokens = 1_000_000, seconds = 60, spawns = 0 }

[[rules]]
permission = "bash"
pattern = "git *"
action = "ask"

[[rules]]
permission = "bash"
pattern = "git status"
action = "allow"
agent = "explore"

[review]
model = "claude-haiku-5"

[compact]
model = "claude-haiku-5"
threshold = 0.8
remote = false
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def problems(file: Path, content: str | bytes) -> list[str]:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ConfigFileError) as raised:
        read_config(file)
    assert all(each.startswith(str(file)) for each in raised.value.problems)
    return [each.removeprefix(str(file)) for each in raised.value.problems]


def test_every_key_of_the_interface_is_taken(file: Path) -> None:
    file.write_text(WHOLE)
    read = read_config(file)

    assert read is not None
    assert read.config == FileConfig(
        model="claude-opus-5",
        agent="build",
        permission_mode="auto-edit",
        max_depth=2,
        max_concurrent_agents=4,
        background_placement="process",
        budget=Budget(turns=10, tokens=1_000_000, seconds=60, spawns=0),
        rules=(
            Rule(permission="bash", pattern="git *", action="ask"),
            Rule(permission="bash", pattern="git status", action="allow", agent="explore"),
        ),
        review=Review(model="claude-haiku-5"),
        compact=Compact(model="claude-haiku-5", threshold=0.8, remote=False),
    )
    assert None not in astuple(replace(read.config, rules=()))
    assert FILE.keys.keys() == {"format", *(each.name for each in fields(FileConfig))}


def test_a_file_of_a_later_format_is_told_by_that_alone(file: Path) -> None:
    told = "is 2, and this version knows up to 1; it takes a later Greenroom"
    assert problems(file, 'later = "x"\nmodel = 1\nformat = 2\n') == [f":3: format: {told}"]
    assert problems(file, "format = true\n") == [":1: format: must be a whole number, not true"]


def test_no_file_is_no_configuration_and_an_empty_one_says_nothing(file: Path) -> None:
    assert read_config(file) is None
    file.write_bytes(b"\xef\xbb\xbf# nothing\r\n")
    read = read_config(file)
    assert read is not None
    assert read.config == FileConfig()


def test_everything_wrong_is_told_at_once_in_the_order_of_the_file(file: Path) -> None:
    content = """\
# A comment, and a text with brackets in it.
permision_mode = "plan"
model = [
  "[budget]",
]
max_depth = true

[budget]
turns = 0
tokens = "many"
seconds = nan
[[rules]]
permission = "bash"
pattern = '''
[[rules]]
'''
action = "allow"
[[rules]]
permission = "bash"
action = "maybe"
[compact]
threshold = 2
"""
    assert problems(file, content) == [
        ":2: permision_mode: no such key; did you mean permission_mode?",
        ":3: model: must be a text in quotes, not a list",
        ":6: max_depth: must be a whole number, not true",
        ":9: budget.turns: must be 1 or more, not 0",
        ":10: budget.tokens: must be a whole number, not 'many'",
        ":11: budget.seconds: must be above 0, not nan",
        ":18: rules[2].pattern: is missing",
        ":20: rules[2].action: must be allow, ask or deny, not 'maybe'",
        ":22: compact.threshold: must be above 0, at most 1, not 2",
    ]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('a.b.c = 1\nmodel = ""', ":1: a: no such key; there are: model"),
        ("\n\nbudget.turns = 1.5", ":3: budget.turns: must be a whole number"),
        ("rules = [{permission = 'x', pattern = 'y', action = 'z'}]", ":1: rules[1].action: must"),
        ("[[rules]]\nx = 1\n[[rules]]\n[rules.y]", ":1: rules[1].permission: is missing"),
        (
            "[[rules]]\npermission = 'bahs'",
            ":2: rules[1].permission: there is no permission 'bahs'",
        ),
        ("rules = 5", ":1: rules: must be a list"),
        ("[[budget]]", ":1: budget: must be a table, not a list"),
        ('model = "\\u001b[2J"', ":1: model: must be one line"),
        ('[review]\nmodel = "a\\nb"', ":2: review.model: must be one line"),
        ("agent = 'A b'", ":1: agent: must be a name of a-z"),
        ("model = 'a'\nmodel = 'b'", ":2: model: not valid TOML: Cannot overwrite a value"),
        ("[budget]\n[budget]", ":2: not valid TOML: Cannot declare"),
        ("\nmodel = ", ":2: model: not valid TOML"),
        ("\nmodel = 'a", ":2: model: not valid TOML"),
        (b"# fine\nmodel = '\xff'", ":2: not UTF-8"),
        ("a = " + "[" * 100_000, ":1: a: not valid TOML: nested too deeply"),
        ("\na = 1\nb = [\n" + "[" * 9_000 + "\n]", ":4: not valid TOML: nested too deeply"),
        ("x = 2\na = 1" + "0" * 5_000, ":2: a: not valid TOML: a number of too many digits"),
        ("#\n" * MOST_BYTES, f":{MOST_BYTES // 2 + 1}: here it gets longer than 262,144 bytes"),
        ("#" * (MOST_BYTES + 1), ":1: here it gets longer than 262,144 bytes"),
        ("[[rules]]\n" * 30, ": 70 more problems"),
    ],
)
def test_what_cannot_be_used_is_told(file: Path, content: str | bytes, told: str) -> None:
    found = problems(file, content)
    assert any(each.startswith(told) for each in found), found


def test_the_value_of_an_unknown_key_is_not_told(file: Path) -> None:
    (told,) = problems(file, 'api_key = "sk-ant-secret"')
    assert "secret" not in told


def test_a_long_value_is_told_in_short(file: Path) -> None:
    (told,) = problems(file, f'permission_mode = "{"x" * 1_000}"')
    assert len(told) < 150


def test_what_is_no_regular_file_is_not_waited_for(file: Path) -> None:
    os.mkfifo(file)
    with pytest.raises(ConfigFileError, match="cannot be read: it is no regular file"):
        read_config(file)
    with pytest.raises(ConfigFileError, match="cannot be read: "):
        read_config(file.parent)


def test_a_link_that_leads_nowhere_is_no_missing_file(file: Path) -> None:
    """The denies that somebody keeps elsewhere must not lapse in silence."""
    file.symlink_to(file.parent / "gone.toml")
    with pytest.raises(ConfigFileError, match="cannot be read: it is a link that leads nowhere"):
        read_config(file)
