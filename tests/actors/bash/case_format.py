"""A command with the rules that decide it and the expected decision; and tables of them."""

from dataclasses import dataclass
from typing import Literal

from messages.policy import Action, Rule

Stage = Literal["analyze syntax", "analyze program", "resolve paths"]
"""What a case tests: `bash/syntax`, `bash/programs`, or the paths (`access_resolution.py`).

The last stage, the decision, has its own tests in `test_decide.py`.
"""


@dataclass(frozen=True, slots=True)
class CommandCase:
    command: str
    stage: Stage
    kind: str
    expected: Action
    rules: tuple[Rule, ...]


def make_rules(action: Action, *patterns: str, permission: str = "bash") -> tuple[Rule, ...]:
    return tuple(
        Rule(permission=permission, pattern=pattern, action=action) for pattern in patterns
    )


ALLOW_ALL = (
    *make_rules("allow", "*"),
    *make_rules("allow", "*", "/*", permission="read"),
    *make_rules("allow", "*", "/*", permission="write"),
)
"""Every command, read and write, so that only the command itself can be a reason to ask."""
DENY_RM = (*ALLOW_ALL, *make_rules("deny", "rm *", "git push *", "curl *"))
ALLOW_ECHO = make_rules(
    "allow", "echo *", "ls *", "cat *", "git status", "git log *", "grep *", "ls", "cat"
)


def parse_cases(
    stage: Stage, kind: str, expected: Action, rules: tuple[Rule, ...], text: str
) -> tuple[CommandCase, ...]:
    """Make a case of each line; `⏎` in a line means a line break."""
    lines = [line.replace("⏎", "\n") for line in text.strip().splitlines()]
    return tuple(CommandCase(line, stage, kind, expected, rules) for line in lines)
