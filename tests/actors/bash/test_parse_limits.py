"""What a text may cost: equal things once, and no more than its length allows."""

from random import Random

import pytest

from actors.bash.parse import parse_command
from actors.bash.syntax.fast_path import split_plain_commands
from actors.bash.syntax.parsed_command import ParsedCommand
from actors.permissions.default_rules import DEFAULT_RULES
from messages.policy import Policy, Rule, RuleSource
from tests.actors.permissions.decision_helpers import (
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


def is_certain(command: ParsedCommand) -> bool:
    return not command.ask_reason


def test_a_plain_text_is_the_same_with_and_without_the_grammar() -> None:
    """A comment behind it makes it one that the grammar reads."""
    random, compared = Random(1), 0  # noqa: S311  (a seed must replay)
    for _ in range(3_000):
        text = make_plain_text(random)
        by_grammar = parse_command(f"{text} # x")
        if split_plain_commands(text) is not None and is_certain(by_grammar):
            compared += 1
            assert parse_command(text).parts == by_grammar.parts, text
    assert compared > 250


@pytest.mark.parametrize("tower", NESTED_TEXTS, ids=lambda tower: repr(tower[:8]))
def test_a_tower_is_no_work_and_hides_nothing_from_a_deny(tower: str) -> None:
    for command in ("rm x", "/bin/rm x", "sudo rm x", "A=1 rm x", "r\0m x"):
        assert decide_action("bash", f"{tower}\n{command}\n", DENY_RM) == "deny"
    recursive = rules_only_policy(
        ALLOW_BASH, Rule(permission="bash", pattern="rm -rf *", action="deny")
    )
    for command in ("bash -c 'rm -rf x'", 'sudo sh -c "cd a; rm -rf x"', "sh -c 'exec rm -rf x'"):
        assert decide_action("bash", f"{tower}\n{command}\n", recursive) == "deny"
    assert decide_action("bash", tower, rules_only_policy(ALLOW_BASH)) != "allow"


def test_a_case_of_many_arms_is_no_tower() -> None:
    arms = "".join(f" a{at}) ls;;" for at in range(50))
    assert parse_command(f"case x in{arms} esac").ask_reason == ""


def test_equal_parts_and_paths_are_told_once() -> None:
    command = ("bash", "cat a; rm a; cat a; sudo cat a; sudo cat a; cat a")
    told = [
        ("bash", "cat a"), ("read", "a"), ("bash", "rm a"), ("write", "a"),
        ("bash", "sudo cat a"), ("read", "cat"),
    ]  # fmt: skip
    files = [Rule(permission=name, pattern="*", action="ask") for name in ("read", "write")]
    assert list_accesses(command, policy_of(*files)) == told
    cat = Rule(permission="bash", pattern="cat *", action="deny")
    inside = ("bash", "cat a")
    assert list_accesses(command, policy_of(*files, cat)) == [*told, inside], (
        "somebody speaks of what sudo runs"
    )


def test_of_files_that_nobody_speaks_of_there_is_nothing_to_decide() -> None:
    command = ("bash", "cat a; rm a; sudo cat a")
    commands = [("bash", "cat a"), ("bash", "rm a"), ("bash", "sudo cat a")]
    assert list_accesses(command, policy_of()) == commands
    parts = decide_requests(command, policy=policy_of()).resolved_requests
    named = {(part.permission, part.target) for part in parts}
    assert named == {*commands, ("read", "a"), ("write", "a"), ("read", "cat")}


def policy_of(*rules: Rule) -> Policy:
    return Policy(defaults=DEFAULT_RULES, sources=(RuleSource(name="rules", rules=rules),))


def list_accesses(command: tuple[str, str], policy: Policy) -> list[tuple[str, str]]:
    matters = decide_requests(command, policy=policy).access_decisions
    return [(matter.permission, matter.target) for matter, _ in matters]


def test_what_was_told_of_a_script_that_a_shell_runs_is_told_again_of_a_command() -> None:
    secret = rules_only_policy(Rule(permission="read", pattern="secret", action="deny"))
    matters = decide_requests(
        ("bash", "bash -c 'cat secret'; cat secret"), policy=secret
    ).access_decisions
    assert [matter.rule_scope for matter, _ in matters if matter.target == "secret"] == [
        "deny_only",
        "ask_or_deny",
    ]


@pytest.mark.parametrize("mover", ["cd -", "pushd x", "cd $x", "cd a; cd b; cd c; cd d; cd e"])
def test_where_a_command_runs_may_be_unknown_but_what_it_names_is_heard(mover: str) -> None:
    secret = Rule(permission="read", pattern="*/secret", action="deny")
    absolute = rules_only_policy(
        ALLOW_BASH, secret, Rule(permission="write", pattern="/etc/*", action="deny")
    )
    for command in ("cat x/secret", "rm /etc/x", "env cat /a/secret"):
        assert decide_action("bash", f"{mover}; {command}", absolute) == "deny"


def test_a_wrapper_in_a_few_wrappers_is_looked_into_and_in_hundreds_refused() -> None:
    assert decide_action("bash", "sudo timeout 5 nice env bash -c 'rm x'", DENY_RM) == "deny"
    for wrapper in ("eval ", "ssh h ", "env ", "find -exec "):
        deep = parse_command(wrapper * 400)
        assert deep.deny_reason == "it holds more commands within commands than anybody reads"


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
def test_what_is_only_guessed_at_is_no_reason_to_refuse(command: str) -> None:
    assert parse_command(command).deny_reason == ""


@pytest.mark.parametrize("deep", range(36, 42))
def test_a_deny_holds_however_deep_a_wrapper_stands_that_is_guessed_at(deep: int) -> None:
    guessed = "nohup -z 1 rm x"
    within = f"{'sudo ' * deep}eval {guessed}"
    padding = ": " * 2_000

    assert decide_action("bash", f"{within}; {padding}", DENY_RM) == "deny"
    assert decide_action("bash", f"{within}; {guessed}; {padding}", DENY_RM) == "deny"


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
def test_no_text_is_gone_over_again_and_again(command: str) -> None:
    policy = rules_only_policy(ALLOW_BASH, Rule(permission="read", pattern=".env", action="deny"))

    assert decide_action("bash", command, policy) in {"allow", "ask"}  # in the time that a test has
