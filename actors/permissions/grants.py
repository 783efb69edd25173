"""Grants that can be offered, and what a grant allows: an exact target or a command prefix."""

import re
from collections.abc import Iterable
from dataclasses import replace

from actors.bash.parse import count_runner_words, has_effect_rule, takes_only_operands
from actors.permissions.access import Access
from actors.permissions.rule_matching import compile_rule, find_rule_problem, get_categories
from messages.policy import GrantScope, Policy, Rule, ToolDeclaration

_PROGRAM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_PROGRAM_PATH = re.compile(r"[A-Za-z0-9._/+-]*/[A-Za-z0-9][A-Za-z0-9._+-]*")
_PYTHON = re.compile(r"python[0-9.]*")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_FILE_CHANGERS = (
    "rm rmdir unlink mv cp ln chmod chown chgrp truncate shred mkfs mount umount reboot"
)
_PROGRAM_RUNNERS = (
    "crystal dart dotnet elvish erb fzf gtimeout java jupyter kotlin matlab mongo mono nim nox nu "
    "ocaml pdksh php-cgi powershell pry runghc runhaskell sbcl sshpass swift tcc tox wine xonsh "
    "yash zx"
)
_NEVER_GRANTED_BY_PREFIX = frozenset([*_FILE_CHANGERS.split(), *_PROGRAM_RUNNERS.split()])
"""No prefix is granted for these, because what they do depends on their arguments. Program runners
that have an effect rule are not listed."""
_SUBCOMMAND_PROGRAMS = (
    "git npm pnpm yarn cargo go make gmake ninja just uv poetry pdm pipenv hatch bundle gh ruff"
)
_GRANTED_WITH_SUBCOMMAND = frozenset(_SUBCOMMAND_PROGRAMS.split())
"""Programs that a prefix of two words is granted for: the program and its subcommand."""
_PROJECT_CHECKS = (
    "pytest unittest mypy pyright tsc jest vitest mocha eslint prettier black isort flake8 pylint "
    "rspec phpunit gradle gradlew"
)
_TAKES_OPERANDS = frozenset(_PROJECT_CHECKS.split())
"""Programs that check, build or test the project, whose first word is not a subcommand."""

MAX_OFFERED_CHARS = 400
"""Total length of the rules in one offer. They must fit on the screen of the approval prompt."""


def list_grantable_rules(asking: Iterable[Access]) -> tuple[Rule, ...]:
    """Return rules that allow exactly these accesses.

    Empty if a rule would match more than its access, or if the rules are too long to be read
    before they are stored.
    """
    patterns: dict[tuple[str, str], None] = {}
    for access in asking:
        pattern = get_exact_pattern(access)
        if access.is_target_unknown or not pattern or "*" in pattern:
            return ()
        patterns[access.permission, pattern] = None
    return _build_readable_rules(patterns)


def list_broader_grants(asking: Iterable[Access]) -> tuple[Rule, ...]:
    """Return rules for the command prefixes of these accesses.

    An access that is not a command, or under a minimum ask that no prefix lifts, gets its exact
    rule.
    """
    patterns: dict[tuple[str, str], None] = {}
    for access in asking:
        is_exact = access.permission != "bash" or (access.ask_reason and not access.named_prefix)
        prefix = "" if is_exact else find_command_prefix(access.target)
        pattern = f"{prefix} *" if prefix else get_exact_pattern(access)
        patterns[access.permission, pattern] = None
    return _build_readable_rules(patterns)


def _build_readable_rules(patterns: Iterable[tuple[str, str]]) -> tuple[Rule, ...]:
    """Build rules from permissions and patterns; none if they are too long to be read."""
    text = "".join([pattern for _, pattern in patterns])
    if len(text) > MAX_OFFERED_CHARS or "\n" in text:
        return ()
    return tuple(
        Rule(permission=permission, pattern=pattern, action="allow")
        for permission, pattern in patterns
    )


def get_exact_pattern(access: Access) -> str:
    """Return the pattern of a grant for exactly this access."""
    return access.grant_text or access.target


def find_command_prefix(command: str) -> str:
    """Return the words that a broader grant may allow: a program, and its subcommand if any.

    The program may be named by its path, run by another one (`uv run pytest`), or be a module of
    Python. Empty if there is none. An interpreter, shell, wrapper or `git` is never granted on its
    own. A word after a program about which nothing is known may be a subcommand or a file, so
    nothing is granted by prefix.
    """
    words = command.split(" ")
    count = count_runner_words(words)
    if not count and _PYTHON.fullmatch(words[0].rpartition("/")[2]) and words[1:2] == ["-m"]:
        count = 2
    if count:
        prefix = find_command_prefix(" ".join(words[count:]))
        return f"{' '.join(words[:count])} {prefix}" if prefix else ""
    program = words[0].rpartition("/")[2]
    is_plain = (_PROGRAM_NAME if program == words[0] else _PROGRAM_PATH).fullmatch(words[0])
    if not is_plain or program in _NEVER_GRANTED_BY_PREFIX:
        return ""
    return " ".join(words[: _count_prefix_words(program, words[1:])])


def _count_prefix_words(program: str, arguments: list[str]) -> int:
    """Count the words of the prefix that may be granted for a program; 0: there is none."""
    if program in _TAKES_OPERANDS:
        return 1
    if not arguments:
        return 0
    is_word = bool(_SUBCOMMAND.fullmatch(arguments[0]))
    if program in _GRANTED_WITH_SUBCOMMAND:
        return 2 if is_word else 0
    if has_effect_rule(program):
        return 0
    return 1 if not is_word or takes_only_operands(program) else 0


def names_program(rule: Rule, access: Access) -> bool:
    """Whether a rule spells out which program a command runs."""
    prefix = access.named_prefix
    return bool(prefix) and (rule.pattern == prefix or rule.pattern.startswith(f"{prefix} "))


def covers(rule: Rule, access: Access) -> bool:
    """Whether a grant lifts the ask of an access.

    Under a minimum ask, only a grant of the exact text does, or one that names the program that
    asks, and only while the files that it executes are unchanged. The only broader grant is a
    command prefix followed by ` *`; it also matches the prefix alone.
    """
    if rule.action != "allow" or rule.permission != access.permission or access.is_target_unknown:
        return False
    if "*" not in rule.pattern:
        is_same_text = rule.pattern == get_exact_pattern(access)
        return is_same_text and rule.executed_digest == access.executed_digest
    is_prefix = rule.pattern.endswith(" *") and rule.pattern.count("*") == 1
    may_cover = rule.permission == "bash" and is_prefix
    if access.ask_reason:
        # A program that did not exist when it was granted may be anything now.
        is_known = bool(access.named_digest) or "/" not in access.named_prefix
        is_unchanged = is_known and rule.executed_digest == access.named_digest
        may_cover = may_cover and is_unchanged and names_program(rule, access)
    return may_cover and compile_rule(rule).has_ask_or_deny_match((access.target,), None)


def find_grant_problem(rule: Rule, tools: tuple[ToolDeclaration, ...]) -> str:
    """Return why a rule cannot be stored as a grant, or an empty string."""
    problem = find_rule_problem(rule, tools)
    if problem:
        return problem
    asks_user = get_categories(tools).get(rule.permission) == "ask"
    is_wildcard = "*" in rule.permission
    if rule.action != "allow" or rule.agent is not None or asks_user or is_wildcard:
        return f"{rule.permission} {rule.pattern} cannot be granted"
    if "*" not in rule.pattern:
        return ""
    prefix = rule.pattern.removesuffix(" *")
    if (
        rule.permission != "bash"
        or prefix == rule.pattern
        or find_command_prefix(f"{prefix} -") != prefix  # `-` is never a subcommand
    ):
        return f"{rule.permission} {rule.pattern} is broader than any grant that can be offered"
    return ""


def with_grants(policy: Policy, rules: tuple[Rule, ...], scope: GrantScope = "session") -> Policy:
    """Return the policy with additional grants; only allow rules are added.

    A grant replaces one of the same text that was bound to other files.
    """
    added = [rule for rule in rules if rule.action == "allow"]
    texts = {(rule.permission, rule.pattern) for rule in added}
    kept = [
        rule
        for rule in get_grants(policy, scope)
        if rule in added or (rule.permission, rule.pattern) not in texts
    ]
    return _with_rules(policy, (*kept, *added), scope)


def without_grant(policy: Policy, rule: Rule, scope: GrantScope) -> Policy:
    """Return the policy without one grant."""
    remaining = (grant for grant in get_grants(policy, scope) if grant != rule)
    return _with_rules(policy, remaining, scope)


def _with_rules(policy: Policy, rules: Iterable[Rule], scope: GrantScope) -> Policy:
    grants, version = tuple(dict.fromkeys(rules)), policy.policy_version + 1
    if scope == "project":
        return replace(policy, project_grants=grants, policy_version=version)
    return replace(policy, grants=grants, policy_version=version)


def get_grants(policy: Policy, scope: GrantScope) -> tuple[Rule, ...]:
    """Return the grants of a scope."""
    return policy.project_grants if scope == "project" else policy.grants
