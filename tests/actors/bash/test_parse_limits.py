"""The parser's limits: equal parts are analyzed once, and the work depends on the length."""

from random import Random

import pytest

from actors.bash.command_parser import TOO_DEEP
from actors.bash.parse import parse_command
from actors.bash.syntax.fast_path import split_plain_commands
from actors.tools.tool_list import TOOL_LIST
from messages.policy import Policy, Rule, RuleSource
from tests.actors.permissions.decision_helpers import (
    DEFAULT_RULES,
    decide_action,
    decide_requests,
    rules_only_policy,
)

pytestmark = pytest.mark.quick

ALLOW_BASH = Rule(permission="bash", pattern="*", action="allow")
DENY_RM = rules_only_policy(ALLOW_BASH, Rule(permission="bash", pattern="rm *", action="deny"))
NESTED_TEXTS = (
    "a|" * 2_000, "$a|" * 2_000 + "a", "{ a; } | " * 1_000, "if a; then " * 500, ">" * 4_000,
    "$>" * 2_000, "<>" * 2_000, ")" * 4_000, "cat <<E\n" * 1_000, "f() " * 1_000, "\0" * 4_000,
    "(" * 4_000, "cat <<-E\n" * 1_000, "x ) " * 30, "{ a ) " * 30,
)  # fmt: skip
WORDS = ("a", "rm", "-x", "./b", "c=d", "1", "do", "fi", "e,f", "g:h", "%", "@", "+", "^", "time")
SEPARATORS = (" ", "  ", "\t", ";", "; ", " && ", "||", "|", "\n", "&", " & ", ";;", "|&", "\n\n")


def make_plain_text(random: Random) -> str:
    pieces = (random.choice(WORDS) + random.choice(SEPARATORS) for _ in range(random.randint(1, 9)))
    return "".join(pieces)


def test_plain_texts_parse_alike_with_and_without_grammar() -> None:
    """A comment at the end makes the parser use the grammar."""
    random, compared = Random(1), 0  # noqa: S311  (a seed must replay)
    for _ in range(3_000):
        text = make_plain_text(random)
        by_grammar = parse_command(f"{text} # x")
        if split_plain_commands(text) is not None and not by_grammar.ask_reason:
            compared += 1
            assert parse_command(text).parts == by_grammar.parts, text
    assert compared > 250


@pytest.mark.parametrize("nested", NESTED_TEXTS, ids=lambda nested: repr(nested[:8]))
def test_deep_nesting_hides_no_command_from_a_denial(nested: str) -> None:
    for command in ("rm x", "/bin/rm x", "sudo rm x", "A=1 rm x", "r\0m x"):
        assert decide_action("bash", f"{nested}\n{command}\n", DENY_RM) == "deny"
    recursive = rules_only_policy(
        ALLOW_BASH, Rule(permission="bash", pattern="rm -rf *", action="deny")
    )
    for command in ("bash -c 'rm -rf x'", 'sudo sh -c "cd a; rm -rf x"', "sh -c 'exec rm -rf x'"):
        assert decide_action("bash", f"{nested}\n{command}\n", recursive) == "deny"
    assert decide_action("bash", nested, rules_only_policy(ALLOW_BASH)) != "allow"


def test_a_case_with_many_arms_is_not_too_deep() -> None:
    arms = "".join(f" a{at}) ls;;" for at in range(50))
    assert parse_command(f"case x in{arms} esac").ask_reason == ""


_CREATED = ("read", "a")
"""A second access: what sudo runs may create the file, which does not exist."""


def test_equal_parts_and_paths_are_decided_once() -> None:
    command = ("bash", "cat a; rm a; cat a; sudo cat a; sudo cat a; cat a")
    accesses = [
        ("bash", "cat a"), ("read", "a"), _CREATED, ("bash", "rm a"), ("write", "a"),
        ("bash", "sudo cat a"), ("read", "cat"),
    ]  # fmt: skip
    files = [Rule(permission=name, pattern="*", action="ask") for name in ("read", "write")]
    assert list_accesses(command, make_policy(*files)) == accesses
    cat = Rule(permission="bash", pattern="cat *", action="deny")
    nested = ("bash", "cat a")
    assert list_accesses(command, make_policy(*files, cat)) == [*accesses, nested], (
        "a rule applies to what sudo runs"
    )


def test_files_without_rules_add_nothing_to_decide() -> None:
    command = ("bash", "cat a; rm a; sudo cat a")
    commands = [("bash", "cat a"), ("bash", "rm a"), ("bash", "sudo cat a")]
    assert list_accesses(command, make_policy()) == [commands[0], _CREATED, *commands[1:]]
    parts = decide_requests(command, policy=make_policy()).resolved_requests
    resolved = {(part.permission, part.target) for part in parts}
    assert resolved == {*commands, ("read", "a"), ("write", "a"), ("read", "cat")}


def make_policy(*rules: Rule) -> Policy:
    return Policy(
        tools=TOOL_LIST,
        defaults=DEFAULT_RULES,
        sources=(RuleSource(name="rules", rules=rules),),
    )


def list_accesses(command: tuple[str, str], policy: Policy) -> list[tuple[str, str]]:
    decisions = decide_requests(command, policy=policy).access_decisions
    return [(access.permission, access.target) for access, _ in decisions]


def test_a_read_in_a_nested_script_is_decided_again_outside_it() -> None:
    secret = rules_only_policy(Rule(permission="read", pattern="secret", action="deny"))
    decisions = decide_requests(
        ("bash", "bash -c 'cat secret'; cat secret"), policy=secret
    ).access_decisions
    assert [access.rule_scope for access, _ in decisions if access.target == "secret"] == [
        "deny_only",
        "ask_or_deny",
        "all",  # `bash` may create it
    ]


@pytest.mark.parametrize("move", ["cd -", "pushd x", "cd $x", "cd a; cd b; cd c; cd d; cd e"])
def test_denied_paths_apply_after_an_unknown_directory_change(move: str) -> None:
    secret = Rule(permission="read", pattern="*/secret", action="deny")
    absolute = rules_only_policy(
        ALLOW_BASH, secret, Rule(permission="write", pattern="/etc/*", action="deny")
    )
    for command in ("cat x/secret", "rm /etc/x", "env cat /a/secret"):
        assert decide_action("bash", f"{move}; {command}", absolute) == "deny"


def test_a_few_nested_wrappers_are_analyzed_and_hundreds_denied() -> None:
    assert decide_action("bash", "sudo timeout 5 nice env bash -c 'rm x'", DENY_RM) == "deny"
    for wrapper in ("eval ", "ssh h ", "env ", "find -exec "):
        assert parse_command(wrapper * 400).deny_reason == TOO_DEEP


@pytest.mark.parametrize(
    "command",
    [
        "a=" * 45 + "b",
        "".join(f"a=b{at};" for at in range(6_000)),
        "python -c 'x(\"" + "a;" * 10_001 + "\")'",
        "python <<E\n"
        + "".join(f"run(['bash', '-c', 'bash -c \"eval a{at}\"'])\n" for at in range(300))
        + "E",
        "sudo -x y " * 30 + "a",
    ],
    ids=lambda command: command[:12],
)
def test_guessed_commands_alone_never_deny_the_call(command: str) -> None:
    assert parse_command(command).deny_reason == ""


@pytest.mark.parametrize("depth", range(36, 42))
def test_a_guessed_command_is_denied_at_any_depth(depth: int) -> None:
    guessed = "nohup -z 1 rm x"
    nested = f"{'sudo ' * depth}eval {guessed}"
    padding = ": " * 2_000

    assert decide_action("bash", f"{nested}; {padding}", DENY_RM) == "deny"
    assert decide_action("bash", f"{nested}; {guessed}; {padding}", DENY_RM) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "python -c '\"" + "a " * 45_000 + "'",
        "cat " + "[" * 90_000,
        "cat " + "[a" * 45_000,
        "cat " + "?" * 90_000,
        "git log -L" + "1:" * 45_000,
        "git show " + "a:" * 45_000,
        "sed '" + "e " * 45_000 + "'",
        "let '" + "$(" * 45_000 + "'",
        "printf '" + "%" * 90_000 + "'",
        "perl -e '" + '"\\' * 45_000 + "'",
        "perl -e '" + "%!" * 45_000 + "'",
        "perl -e '" + "! " * 45_000 + "'",
        "perl -e '" + '"a",' * 22_500 + "'",
        "sed '" + "s!" * 45_000 + "'",
        "ssh -o '" + "Command" * 13_000 + "'",
        "{" + "a," * 40_000 + "b}",
        "a=" * 45_000,
    ],
)
def test_no_text_takes_more_than_linear_time(command: str) -> None:
    policy = rules_only_policy(ALLOW_BASH, Rule(permission="read", pattern=".env", action="deny"))

    assert decide_action("bash", command, policy) in {
        "allow",
        "ask",
    }  # within the timeout of a test
