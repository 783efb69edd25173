"""A configuration file is right, or everything wrong with it is told by file, line and key."""

import os
from dataclasses import astuple, fields, replace
from pathlib import Path

import pytest

from messages.policy import Rule
from shell.config.config_file import MAX_BYTES, ConfigFileError, read_config_file
from shell.config.schema import FILE_SCHEMA, BudgetConfig, CompactConfig, FileConfig, ReviewConfig

pytestmark = pytest.mark.quick

FULL_CONFIG = """
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
def config_path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def problems_in(config_path: Path, content: str | bytes) -> list[str]:
    config_path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ConfigFileError) as raised:
        read_config_file(config_path)
    assert all(each.startswith(str(config_path)) for each in raised.value.problems)
    return [each.removeprefix(str(config_path)) for each in raised.value.problems]


def test_every_key_of_the_interface_is_taken(config_path: Path) -> None:
    config_path.write_text(FULL_CONFIG)
    read = read_config_file(config_path)

    assert read is not None
    assert read.config == FileConfig(
        model="claude-opus-5",
        agent="build",
        permission_mode="auto-edit",
        max_depth=2,
        max_concurrent_agents=4,
        background_placement="process",
        budget=BudgetConfig(turns=10, tokens=1_000_000, seconds=60, spawns=0),
        rules=(
            Rule(permission="bash", pattern="git *", action="ask"),
            Rule(permission="bash", pattern="git status", action="allow", agent="explore"),
        ),
        review=ReviewConfig(model="claude-haiku-5"),
        compact=CompactConfig(model="claude-haiku-5", threshold=0.8, remote=False),
    )
    assert None not in astuple(replace(read.config, rules=()))
    assert FILE_SCHEMA.keys.keys() == {"format", *(each.name for each in fields(FileConfig))}


def test_a_file_of_a_later_format_is_told_by_that_alone(config_path: Path) -> None:
    told = "is 2, and this version knows up to 1; it takes a later Greenroom"
    assert problems_in(config_path, 'later = "x"\nmodel = 1\nformat = 2\n') == [
        f":3: format: {told}"
    ]
    assert problems_in(config_path, "format = true\n") == [
        ":1: format: must be a whole number, not true"
    ]


def test_no_file_is_no_configuration_and_an_empty_one_says_nothing(config_path: Path) -> None:
    assert read_config_file(config_path) is None
    config_path.write_bytes(b"\xef\xbb\xbf# nothing\r\n")
    read = read_config_file(config_path)
    assert read is not None
    assert read.config == FileConfig()


def test_everything_wrong_is_told_at_once_in_the_order_of_the_file(config_path: Path) -> None:
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
    assert problems_in(config_path, content) == [
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
            ":2: rules[1].permission: unknown permission 'bahs'",
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
        ("#\n" * MAX_BYTES, f":{MAX_BYTES // 2 + 1}: here it gets longer than 262,144 bytes"),
        ("#" * (MAX_BYTES + 1), ":1: here it gets longer than 262,144 bytes"),
        ("[[rules]]\n" * 30, ": 70 more problems"),
    ],
)
def test_what_cannot_be_used_is_told(config_path: Path, content: str | bytes, told: str) -> None:
    found = problems_in(config_path, content)
    assert any(each.startswith(told) for each in found), found


def test_the_value_of_an_unknown_key_is_not_told(config_path: Path) -> None:
    (told,) = problems_in(config_path, 'api_key = "sk-ant-secret"')
    assert "secret" not in told


def test_a_long_value_is_told_in_short(config_path: Path) -> None:
    (told,) = problems_in(config_path, f'permission_mode = "{"x" * 1_000}"')
    assert len(told) < 150


def test_what_is_no_regular_file_is_not_waited_for(config_path: Path) -> None:
    os.mkfifo(config_path)
    with pytest.raises(ConfigFileError, match="cannot be read: it is no regular file"):
        read_config_file(config_path)
    with pytest.raises(ConfigFileError, match="cannot be read: "):
        read_config_file(config_path.parent)


def test_a_link_that_leads_nowhere_is_no_missing_file(config_path: Path) -> None:
    """The denies that somebody keeps elsewhere must not lapse in silence."""
    config_path.symlink_to(config_path.parent / "gone.toml")
    with pytest.raises(ConfigFileError, match="cannot be read: it is a link that leads nowhere"):
        read_config_file(config_path)
