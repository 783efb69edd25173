"""Every problem of a configuration file is reported with file, line and key."""

import os
from dataclasses import astuple, fields, replace
from pathlib import Path

import pytest

from messages.policy import Rule
from shell.config.config_file import MAX_BYTES, ConfigFileError, read_config_file
from shell.config.schema import (
    FILE_SCHEMA,
    BudgetConfig,
    CompactConfig,
    FileConfig,
    ModelsConfig,
    PricesConfig,
    ReviewConfig,
    WeightsConfig,
)

pytestmark = pytest.mark.quick

FULL_CONFIG = """
format = 1
model = "claude-opus-5"
effort = "high"
background_placement = "process"
agent = "build"
permission_mode = "auto-edit"
max_depth = 2
max_concurrent_agents = 4
models = { small = "haiku" }
review = { model = "opus" }
compact = { model = "haiku", threshold = 0.5, remote = true }
budget = { turns = 10, tokens = 1_000_000, seconds = 60, spawns = 0 }
weights = { input = 1, output = 5, cache_read = 0.1, cache_write = 1.25 }
prices.haiku = { input = 1, output = 5, cache_read = 0.1, cache_write = 1.25 }

[[rules]]
permission = "bash"
pattern = "git *"
action = "ask"

[[rules]]
permission = "bash"
pattern = "git status"
action = "allow"
agent = "explore"
"""


@pytest.fixture
def config_path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def problems_in(config_path: Path, content: str | bytes) -> list[str]:
    config_path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ConfigFileError) as raised:
        read_config_file(config_path)
    assert all(problem.startswith(str(config_path)) for problem in raised.value.problems)
    return [problem.removeprefix(str(config_path)) for problem in raised.value.problems]


def test_every_documented_key_is_read(config_path: Path) -> None:
    config_path.write_text(FULL_CONFIG)
    file = read_config_file(config_path)

    assert file is not None
    assert file.config == FileConfig(
        model="claude-opus-5",
        effort="high",
        background_placement="process",
        agent="build",
        permission_mode="auto-edit",
        max_depth=2,
        max_concurrent_agents=4,
        budget=BudgetConfig(turns=10, tokens=1_000_000, seconds=60, spawns=0),
        models=ModelsConfig(small="haiku"),
        review=ReviewConfig(model="opus"),
        compact=CompactConfig(model="haiku", threshold=0.5, remote=True),
        weights=WeightsConfig(input=1, output=5, cache_read=0.1, cache_write=1.25),
        prices={"haiku": PricesConfig(input=1, output=5, cache_read=0.1, cache_write=1.25)},
        rules=(
            Rule(permission="bash", pattern="git *", action="ask"),
            Rule(permission="bash", pattern="git status", action="allow", agent="explore"),
        ),
    )
    assert None not in astuple(replace(file.config, rules=()))
    assert FILE_SCHEMA.keys.keys() == {"format", *(field.name for field in fields(FileConfig))}


def test_a_later_format_is_reported_alone(config_path: Path) -> None:
    problem = "is 2, but this version supports only 1; upgrade Greenroom"
    assert problems_in(config_path, 'later = "x"\nmodel = 1\nformat = 2\n') == [
        f":3: format: {problem}"
    ]
    assert problems_in(config_path, "format = true\n") == [
        ":1: format: must be a whole number, not true"
    ]


def test_a_missing_file_is_none_and_an_empty_one_is_valid(config_path: Path) -> None:
    assert read_config_file(config_path) is None
    config_path.write_bytes(b"\xef\xbb\xbf# nothing\r\n")
    file = read_config_file(config_path)
    assert file is not None
    assert file.config == FileConfig()


def test_all_problems_are_reported_at_once_in_order(config_path: Path) -> None:
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
"""
    assert problems_in(config_path, content) == [
        ":2: permision_mode: unknown key; did you mean permission_mode?",
        ":3: model: must be a string in quotes, not a list",
        ":6: max_depth: must be a whole number, not true",
        ":9: budget.turns: must be 1 or more, not 0",
        ":10: budget.tokens: must be a whole number, not 'many'",
        ":11: budget.seconds: must be above 0, not nan",
        ":18: rules[2].pattern: is missing",
        ":20: rules[2].action: must be allow, ask or deny, not 'maybe'",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('a.b.c = 1\nmodel = ""', ":1: a: unknown key; known keys: model"),
        ("\n\nbudget.turns = 1.5", ":3: budget.turns: must be a whole number"),
        ("rules = [{permission = 'x', pattern = 'y', action = 'z'}]", ":1: rules[1].action: must"),
        ("[[rules]]\nx = 1\n[[rules]]\n[rules.y]", ":1: rules[1].permission: is missing"),
        (
            "[[rules]]\npermission = 'bahs'",
            ":2: rules[1].permission: unknown permission 'bahs'",
        ),
        (
            "[[rules]]\npattern = ''",
            ":2: rules[1].pattern: the pattern is empty and matches nothing; use *",
        ),
        ("[[rules]]\npattern = 5", ":2: rules[1].pattern: must be a string in quotes, not 5"),
        ("rules = 5", ":1: rules: must be a list"),
        ("[[budget]]", ":1: budget: must be a table, not a list"),
        ('model = "\\u001b[2J"', ":1: model: must be one line"),
        ("weights.output = -1", ":1: weights.output: must be from 0 to 1,000,000, not -1"),
        ("weights.input = nan", ":1: weights.input: must be from 0 to 1,000,000"),
        ("[prices.m]\ninput = 1", ":1: prices.m.output: is missing"),
        ("[prices]\n'a\\nb' = {}", ":2: prices.a"),
        ("prices = 5", ":1: prices: must be a table, not 5"),
        ('model = "a\\nb"', ":1: model: must be one line"),
        ("[review]\nmodel = ''", ":2: review.model: must be one line"),
        ("[review]\neffort = 'low'", ":2: review.effort: unknown key"),
        ("[compact]\nremote = 1", ":2: compact.remote: must be true or false, not 1"),
        ("[compact]\nthreshold = 2", ":2: compact.threshold: must be from 0.1 to 1, not 2"),
        ("background_placement = 'cluster'", ":1: background_placement: must be"),
        ("agent = 'A b'", ":1: agent: must be a name of a-z"),
        ("model = 'a'\nmodel = 'b'", ":2: model: invalid TOML: Cannot overwrite a value"),
        ("[budget]\n[budget]", ":2: invalid TOML: Cannot declare"),
        ("\nmodel = ", ":2: model: invalid TOML"),
        ("\nmodel = 'a", ":2: model: invalid TOML"),
        (b"# fine\nmodel = '\xff'", ":2: is not UTF-8"),
        ("a = " + "[" * 100_000, ":1: a: invalid TOML: nested too deeply"),
        ("\na = 1\nb = [\n" + "[" * 9_000 + "\n]", ":4: invalid TOML: nested too deeply"),
        ("x = 2\na = 1" + "0" * 5_000, ":2: a: invalid TOML: a number has too many digits"),
        ("#\n" * MAX_BYTES, f":{MAX_BYTES // 2 + 1}: the file is larger than 262,144 bytes"),
        ("#" * (MAX_BYTES + 1), ":1: the file is larger than 262,144 bytes"),
        ("[[rules]]\n" * 30, ": 70 more problems"),
    ],
)
def test_an_invalid_file_is_reported(config_path: Path, content: str | bytes, problem: str) -> None:
    problems = problems_in(config_path, content)
    assert any(line.startswith(problem) for line in problems), problems


def test_the_value_of_an_unknown_key_is_not_shown(config_path: Path) -> None:
    (problem,) = problems_in(config_path, 'api_key = "sk-ant-secret"')
    assert "secret" not in problem


def test_a_long_value_is_shortened(config_path: Path) -> None:
    (problem,) = problems_in(config_path, f'permission_mode = "{"x" * 1_000}"')
    assert len(problem) < 150


def test_a_pipe_as_configuration_does_not_block(config_path: Path) -> None:
    os.mkfifo(config_path)
    with pytest.raises(ConfigFileError, match="cannot be read: Not a regular file"):
        read_config_file(config_path)
    with pytest.raises(ConfigFileError, match="cannot be read: "):
        read_config_file(config_path.parent)


def test_a_broken_link_is_an_error(config_path: Path) -> None:
    """Otherwise the deny rules behind it would silently be lost."""
    config_path.symlink_to(config_path.parent / "gone.toml")
    with pytest.raises(ConfigFileError, match="is a broken link"):
        read_config_file(config_path)
