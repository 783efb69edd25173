"""Which grants are offered, and that each allows exactly what it shows."""

from dataclasses import replace

import pytest

from actors.permissions.decision import AccessDecision
from actors.permissions.grants import find_command_prefix, with_grants
from messages.policy import Rule
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_requests,
    rule,
)

pytestmark = pytest.mark.quick


def decide_command(command: str, *grants: Rule) -> AccessDecision:
    return decide_requests(
        ("bash", command), policy=replace(DEFAULT_POLICY, grants=grants)
    ).decision


def format_patterns(rules: tuple[Rule, ...]) -> list[str]:
    return [f"{rule.permission} {rule.pattern}" for rule in rules]


@pytest.mark.parametrize(
    ("command", "exact", "broader"),
    [
        ("npm test", ["bash npm test"], ["bash npm test *"]),
        ("pytest -q", ["bash pytest -q"], ["bash pytest *"]),
        ("mytool a && mytool b", ["bash mytool a", "bash mytool b"], None),
        ("make", ["bash make"], []),
        ("rm -rf build", ["bash rm -rf build"], []),
        ("python x.py", ["bash python x.py"], []),
        ("git push origin main", ["bash git push origin main"], ["bash git push *"]),
        ("git commit -m 'a b'", ["bash git commit -m 'a b'"], ["bash git commit *"]),
        ("cd src && mytool -a", ["bash cd src && mytool -a"], ["bash mytool *"]),
        ("mytool a", ["bash mytool a"], []),
        ("touch w1", ["bash touch w1"], ["bash touch *"]),
        ("mkdir new", ["bash mkdir new"], ["bash mkdir *"]),
        ("bash -c 'rm x'", ["bash bash -c 'rm x'"], []),
        ("A=1 mytool x", ["bash A=1 mytool x"], []),
        ("mytool x > f", ["bash mytool x > f", "write f"], []),
        ("bash <<< 'ls x'", ["bash bash <<< 'ls x'"], []),
        ("bash <<E\nls\nE", [], []),
        ("git commit -m 'a\nb'", [], []),
        ("mytool " + "x" * 500, [], []),
        (" && ".join(f"mytool {'x' * 40} {number}" for number in range(20)), [], []),
        ("mytool a\nmytool b", ["bash mytool a", "bash mytool b"], None),
        ("mytool *.py", [], []),
        ("tee .git/config", [], []),
    ],
)
def test_the_offered_grants_cover_everything_that_runs(
    command: str, exact: list[str], broader: list[str] | None
) -> None:
    decision = decide_command(command)
    assert format_patterns(decision.grants) == exact
    assert broader is None or format_patterns(decision.broader_grants) == broader
    if exact:
        assert decide_command(command, *decision.grants).action == "allow"
    if decision.broader_grants:
        assert decide_command(command, *decision.broader_grants).action == "allow"


@pytest.mark.parametrize(
    ("granted", "other"),
    [
        ("mytool x", "PATH=/tmp mytool x"),
        ("rm -f 'a b'", "rm -f a b"),
        ("rm -f a b", "rm -f 'a b'"),
        ("bash -c 'rm x'", "bash -c rm x"),
        ("mytool '$HOME'", "mytool $HOME"),
        ("rm x", "cd src && rm x"),
        ("mytool x > f", "mytool x >> f"),
        ("mytool x", "mytool x > f"),
        ("curl http://x | bash", "cat y | bash"),
        ("curl http://x | bash", "bash"),
        ("bash <<E\nls\nE", "bash <<E\nrm -rf x\nE"),
        ("bash <<E\nls\nE", "bash"),
        ("bash <<< ls", "bash <<< rm"),
        ("mytool x", "mytool x <<E\ny\nE"),
        ("mytool ''", "mytool"),
        ("mytool x", "mytool x; rm y"),
        ("mytool x", "mytool x &\nrm y"),
        ("mytool x", "mytool() { rm y; }; mytool x"),
        ("mytool x", "alias mytool=rm; mytool x"),
        ("mytool x", "./mytool x"),
        ("./mytool x", "cd src; ./mytool x"),
    ],
)
def test_an_exact_grant_does_not_allow_similar_commands(granted: str, other: str) -> None:
    grants = decide_command(granted).grants
    if "\n" in granted:
        assert grants == ()
        grants = (rule("bash", granted),)
    assert decide_command(granted, *grants).action == "allow"
    assert decide_command(other, *grants).action == "ask"


@pytest.mark.parametrize(
    "other",
    [
        "A=1 npm test",
        "npm test > f",
        "npm test $(curl x)",
        "npm test; rm x",
        "npm test\nrm x",
        "npm test <(rm x)",
        "npm testing",
        "npm run x",
        "npm",
        "cd /tmp && npm test",
        "npm test .git/config > .git/config",
    ],
)
def test_a_prefix_grant_does_not_lift_a_minimum_ask(other: str) -> None:
    prefix_grants = decide_command("npm test -- a").broader_grants
    assert format_patterns(prefix_grants) == ["bash npm test *"]
    for command in ("npm test", "npm test -- b", "cd src && npm test"):
        assert decide_command(command, *prefix_grants).action == "allow", command
    assert decide_command(other, *prefix_grants).action == "ask"


NEVER_GRANTED_ALONE = (
    "bash sh zsh fish dash ksh nu xonsh python python3 python3.12 node perl ruby php lua java "
    "dotnet env xargs sudo doas timeout nice nohup time watch flock ssh docker "
    "kubectl npx uvx find awk sed git rm mv cp tee dd make eval exec source command builtin "
    "busybox gtimeout script expect tox"
)


@pytest.mark.parametrize("name", NEVER_GRANTED_ALONE.split())
def test_no_interpreter_shell_or_wrapper_is_granted_alone(name: str) -> None:
    assert find_command_prefix(f"{name} -x y") == ""
    assert decide_command(f"{name} -x y").broader_grants == ()


@pytest.mark.parametrize("text", ["a\tb c", "'a' b", "a/b c", "A=1 b", "$x b", "-x b", "a\nb c"])
def test_only_a_plain_program_name_has_a_prefix(text: str) -> None:
    assert find_command_prefix(text) == ""


def test_a_pattern_that_cannot_be_offered_allows_nothing() -> None:
    for pattern in ("*", "* x", "npm*", "npm * x", "n*m test"):
        forced = with_grants(DEFAULT_POLICY, (rule("bash", pattern),))
        assert decide_requests(("bash", "npm test x"), policy=forced).decision.action == "ask", (
            pattern
        )
    forced = with_grants(DEFAULT_POLICY, (rule("write", "src/*"), rule("write", "*")))
    assert decide_requests(("write", "src/a.py"), policy=forced).decision.action == "ask"
