"""One verdict from rules, ceiling, floor, grants and mode; each case is a call and its verdict."""

from dataclasses import replace

import pytest

from actors.permissions.default_rules import DEFAULT_RULES
from actors.permissions.grants import with_grants
from messages.policy import Action, PermissionMode, PermissionProfile, Policy
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    decide_action,
    decide_requests,
    project_rules,
    rule,
    rules_only_policy,
    user_rules,
)

pytestmark = pytest.mark.quick

DEFAULTS = Policy(defaults=DEFAULT_RULES)


def policy_in_mode(mode: PermissionMode) -> Policy:
    return replace(DEFAULTS, mode=mode)


@pytest.mark.parametrize(
    ("permission", "target", "expected"),
    [
        ("read", "src/app.py", "allow"),
        ("ls", ".", "allow"),
        ("glob", "src", "allow"),
        ("grep", ".", "allow"),
        ("read", "/etc/passwd", "ask"),
        ("ls", "/etc", "ask"),
        ("grep", "/etc", "ask"),
        ("read", "../other/file", "ask"),
        ("read", "src/../../file", "ask"),
        ("read", "", "ask"),
        ("write", "src/app.py", "ask"),
        ("edit", "src/app.py", "ask"),
        ("write", ".greenroom/plans/next.md", "allow"),
        ("edit", ".greenroom/plans/next.md", "allow"),
        ("write", ".greenroom/plans/x/next.md", "ask"),
        ("unheard_of", "x", "ask"),
        ("mcp__git__log", "{}", "ask"),
        ("todo_write", "*", "allow"),
        ("task", "explore", "allow"),
        ("task_output", "*", "allow"),
        ("task_stop", "*", "allow"),
        ("help", "*", "allow"),
        ("question", "*", "ask"),
        ("plan_enter", "*", "ask"),
        ("plan_exit", "*", "ask"),
        ("read", ".env", "ask"),
        ("read", "api/.env", "ask"),
        ("read", ".env.local", "ask"),
        ("read", "api/.ENV", "ask"),
        ("read", ".env/production", "ask"),
        ("read", "api/.env/production", "ask"),
        ("read", ".env.example", "allow"),
        ("read", "api/.env.example", "allow"),
        ("read", "/other/.env.example", "ask"),
        ("read", ".environment", "allow"),
        ("ls", ".env", "allow"),
    ],
)
def test_the_built_in_defaults(permission: str, target: str, expected: Action) -> None:
    assert decide_action(permission, target) == expected


def test_an_added_folder_is_as_the_workspace_but_for_what_a_rule_allows() -> None:
    policy = replace(DEFAULTS, added_directories=("/nowhere/shared",))

    assert decide_action("read", "/nowhere/shared/a.py", policy) == "allow"
    assert decide_action("ls", "/nowhere/shared", policy) == "allow"
    assert decide_action("read", "/nowhere/shared/.env", policy) == "ask"
    assert decide_action("read", "/nowhere/shared-2/a.py", policy) == "ask"
    assert decide_action("write", "/nowhere/shared/a", replace(policy, mode="auto-edit")) == "allow"
    relative = replace(policy, sources=(user_rules(rule("write", "*")),))
    assert decide_action("write", "/nowhere/shared/a", relative) == "ask"
    absolute = replace(policy, sources=(user_rules(rule("write", "/nowhere/shared/*")),))
    assert decide_action("write", "/nowhere/shared/a", absolute) == "allow"


# Rules.


def test_in_a_source_the_last_match_wins() -> None:
    policy = rules_only_policy(
        rule("read", "*"), rule("read", "src/*", "deny"), rule("read", "src/a")
    )

    assert [decide_action("read", name, policy) for name in ("b", "src/b", "src/a")] == [
        "allow",
        "deny",
        "allow",
    ]


def test_between_sources_the_strictest_wins() -> None:
    policy = replace(
        DEFAULTS,
        sources=(user_rules(rule("write", "*")), project_rules(rule("write", "docs/*", "deny"))),
    )

    assert decide_action("write", "src/a", policy) == "allow"
    assert decide_action("write", "docs/a", policy) == "deny"


def test_the_defaults_speak_only_where_no_source_does() -> None:
    policy = replace(DEFAULTS, sources=(user_rules(rule("read", ".env"), rule("ls", "*", "ask")),))

    assert decide_action("read", ".env", policy) == "allow"
    assert decide_action("read", "api/.env", policy) == "ask"
    assert decide_action("ls", ".", policy) == "ask"


def test_without_defaults_what_no_rule_speaks_of_asks() -> None:
    assert decide_action("read", "a", rules_only_policy()) == "ask"
    assert decide_action("question", "*", rules_only_policy(rule("question", "*"))) == "ask"


def test_what_an_untrusted_source_allows_is_silence_and_what_it_tightens_counts() -> None:
    allows = rule("write", "*"), rule("read", ".env")
    policy = replace(DEFAULTS, sources=(project_rules(*allows, trusted=False),))

    assert decide_action("write", "a", policy) == "ask"
    assert decide_action("read", ".env", policy) == "ask"
    tight = project_rules(rule("read", "*", "deny"), trusted=False)
    assert decide_action("read", "a", replace(DEFAULTS, sources=(tight,))) == "deny"


def test_outside_the_workspace_an_allow_needs_an_absolute_pattern_and_a_deny_does_not() -> None:
    assert decide_action("read", "/etc/hosts", rules_only_policy(rule("read", "*"))) == "ask"
    assert decide_action("read", "/etc/hosts", rules_only_policy(rule("read", "/etc/*"))) == "allow"
    assert (
        decide_action("read", "/etc/hosts", rules_only_policy(rule("read", "*", "deny"))) == "deny"
    )


def test_a_deny_may_name_what_is_inside_absolutely() -> None:
    policy = rules_only_policy(rule("read", "*"), rule("read", "/nowhere/project/keys/*", "deny"))

    assert decide_action("read", "keys/a", policy) == "deny"


def test_a_rule_for_one_agent_is_for_that_agent() -> None:
    policy = replace(DEFAULTS, sources=(user_rules(rule("read", "*", "deny", agent="explore")),))
    explore = PermissionProfile(agent="explore")

    assert decide_action("read", "a", policy) == "allow"
    assert decide_action("read", "a", policy, (explore, BUILD_PROFILE)) == "deny"
    assert decide_action("read", "a", policy, (BUILD_PROFILE, explore)) == "deny"


def test_a_change_looks_into_the_file_so_what_may_not_be_read_may_not_be_edited() -> None:
    policy = rules_only_policy(
        rule("edit", "*"), rule("write", "*"), rule("read", "keys/*", "deny")
    )

    assert decide_action("edit", "a", policy) == "allow"
    assert decide_action("edit", "keys/a", policy) == "deny"
    assert decide_action("write", "keys/a", policy) == "deny"


# The ceiling.


def test_a_tool_that_one_above_lacks_is_denied_unless_it_is_handed_on() -> None:
    narrow = PermissionProfile(agent="lead", tools=("read", "task"))
    child = PermissionProfile(agent="worker")
    handing = replace(narrow, delegates=("write",))

    def write(*chain: PermissionProfile) -> Action:
        return decide_action("write", "a", rules_only_policy(rule("write", "*")), chain)

    assert write(child, narrow) == "deny"
    assert write(child, handing) == "allow"
    assert write(handing) == "deny"
    assert write(child, replace(handing, from_project=True)) == "deny"
    assert write(PermissionProfile(agent="a", tools=("wri*",))) == "allow"


@pytest.mark.parametrize(
    ("permission", "target", "expected"),
    [
        ("read", "a", "allow"),
        ("write", "a", "deny"),
        ("edit", "a", "deny"),
        ("write", ".greenroom/plans/a.md", "allow"),
        ("mcp__db__drop", "{}", "deny"),
        ("task", "explore", "allow"),
        ("todo_write", "*", "allow"),
        ("plan_exit", "*", "ask"),
    ],
)
def test_plan_only_reads_and_writes_plans(permission: str, target: str, expected: Action) -> None:
    rules = user_rules(rule("write", "*"), rule("edit", "*"), rule("mcp__db__drop", "*"))
    policy = replace(policy_in_mode("plan"), sources=(rules,))
    under = replace(DEFAULTS, sources=(rules,), mode="yolo")
    planner = PermissionProfile(agent="plan", max_mode="plan")

    assert decide_action(permission, target, policy) == expected
    assert decide_action(permission, target, under, (BUILD_PROFILE, planner)) == expected


def test_a_command_in_plan_that_asks_is_lifted_by_a_person_alone() -> None:
    granted = replace(policy_in_mode("plan"), grants=(rule("bash", "make"),))
    planner = (BUILD_PROFILE, PermissionProfile(agent="plan", max_mode="plan"))

    for policy, chain in ((granted, (BUILD_PROFILE,)), (policy_in_mode("yolo"), planner)):
        judgement = decide_requests(("bash", "make"), policy=policy, chain=chain).decision
        assert (judgement.action, judgement.grants) == ("ask", ())


def test_read_only_denies_all_but_reading_also_below() -> None:
    policy = replace(DEFAULTS, mode="yolo")
    reader = PermissionProfile(agent="explore", read_only=True)

    for chain in ((reader, BUILD_PROFILE), (BUILD_PROFILE, reader)):
        assert decide_action("read", "a", policy, chain) == "allow"
        assert decide_action("task", "x", policy, chain) == "allow"
        assert decide_action("write", ".greenroom/plans/a.md", policy, chain) == "deny"
        assert decide_action("bash", "make", policy, chain) == "deny"


def test_a_definitions_mode_only_tightens() -> None:
    def in_session(mode: PermissionMode, definition: PermissionMode) -> Action:
        return decide_action(
            "write",
            "a",
            policy_in_mode(mode),
            (PermissionProfile(agent="x", max_mode=definition), BUILD_PROFILE),
        )

    assert in_session("yolo", "default") == "ask"
    assert in_session("default", "yolo") == "ask"
    assert in_session("yolo", "auto-edit") == "allow"
    assert in_session("auto-edit", "plan") == "deny"


# Lifts.


@pytest.mark.parametrize(
    ("mode", "permission", "target", "expected"),
    [
        ("yolo", "bash", "make clean", "allow"),
        ("yolo", "write", "/srv/x", "allow"),
        ("yolo", "read", ".env", "allow"),
        ("yolo", "write", ".git/hooks/pre-commit", "ask"),
        ("yolo", "edit", ".bashrc", "ask"),
        ("yolo", "question", "*", "ask"),
        ("auto-edit", "write", "src/app.py", "allow"),
        ("auto-edit", "edit", "src/app.py", "allow"),
        ("auto-edit", "write", "/srv/x", "ask"),
        ("auto-edit", "write", "../x", "ask"),
        ("auto-edit", "write", "", "ask"),
        ("auto-edit", "write", ".env", "ask"),
        ("auto-edit", "edit", ".vscode/tasks.json", "ask"),
        ("auto-edit", "bash", "make", "ask"),
        ("auto-edit", "read", ".env", "ask"),
    ],
)
def test_modes_lift_an_ask_within_their_bounds(
    mode: PermissionMode, permission: str, target: str, expected: Action
) -> None:
    assert decide_action(permission, target, policy_in_mode(mode)) == expected


def test_auto_edit_lifts_only_what_defaults_made_in_the_whole_chain() -> None:
    asks = replace(
        policy_in_mode("auto-edit"), sources=(user_rules(rule("write", "docs/*", "ask")),)
    )
    below = replace(
        policy_in_mode("auto-edit"),
        sources=(user_rules(rule("write", "docs/*", "ask", agent="lead")),),
    )

    assert decide_action("write", "src/a", asks) == "allow"
    assert decide_action("write", "docs/a", asks) == "ask"
    assert (
        decide_action("write", "docs/a", below, (BUILD_PROFILE, PermissionProfile(agent="lead")))
        == "ask"
    )
    assert decide_action("write", "docs/a", replace(asks, mode="yolo")) == "allow"


def test_a_grant_lifts_exactly_what_was_asked() -> None:
    policy = with_grants(DEFAULTS, (rule("write", "a.py"),))

    assert decide_action("write", "a.py", policy) == "allow"
    for permission, target in [("write", "b.py"), ("edit", "a.py"), ("write", "A.py")]:
        assert decide_action(permission, target, policy) == "ask"


def test_what_is_offered_is_what_is_stored_and_what_lifts() -> None:
    call = (("write", "a.py"), ("read", "/etc/hosts"), ("write", "a.py"))
    offered = decide_requests(*call).decision.grants

    assert offered == (rule("write", "a.py"), rule("read", "/etc/hosts"))
    granted = with_grants(DEFAULTS, offered)
    assert decide_requests(*call, policy=granted).decision.action == "allow"


@pytest.mark.parametrize(
    ("permission", "target"),
    [
        ("write", "a*.py"),
        ("write", "*"),
        ("write", ""),
        ("write", ".git/config"),
        ("write", "/home/me/.bashrc"),
        ("question", "*"),
    ],
)
def test_some_things_cannot_be_granted(permission: str, target: str) -> None:
    assert decide_requests((permission, target)).decision.grants == ()
    forced = replace(DEFAULTS, grants=(rule(permission, target),))
    assert decide_action(permission, target, forced) == "ask"


def test_a_grant_of_a_beginning_lifts_what_it_covers_but_no_floor() -> None:
    wide = replace(DEFAULTS, grants=tuple(rule("bash", each) for each in ("git *", "sudo *")))

    assert decide_action("bash", "git commit -m x", wide) == "allow"
    for command in ("sudo make", "git -c a=b log", "git commit -m x > f", "A=1 git commit -m x"):
        assert decide_action("bash", command, wide) == "ask", command


def test_a_grant_does_not_lift_a_deny() -> None:
    policy = replace(rules_only_policy(rule("write", "a", "deny")), grants=(rule("write", "a"),))

    assert decide_action("write", "a", policy) == "deny"


def test_a_grant_can_only_allow() -> None:
    wrong = (rule("read", "a.py", "deny"), rule("read", "b.py", "ask"))

    assert with_grants(DEFAULTS, wrong).grants == ()


def test_granting_twice_stores_once_and_counts_each_change() -> None:
    policy = with_grants(DEFAULTS, (rule("write", "a"), rule("write", "a")))
    again = with_grants(policy, (rule("write", "a"),))

    assert again.grants == (rule("write", "a"),)
    assert (policy.policy_version, again.policy_version) == (2, 3)


# Whole calls.


def test_the_strictest_request_of_a_call_decides() -> None:
    judgement = decide_requests(("read", "a"), ("write", "b"), ("read", "c")).decision

    assert (judgement.action, judgement.grants) == ("ask", (rule("write", "b"),))


def test_a_call_that_does_not_say_what_it_touches_asks_in_every_mode() -> None:
    assert decide_requests(policy=policy_in_mode("yolo")).decision.action == "ask"


def test_a_target_too_long_to_look_into_asks() -> None:
    judgement = decide_requests(
        ("bash", "true " * 50_000), policy=rules_only_policy(rule("bash", "*"))
    ).decision

    assert (judgement.action, judgement.reason) == ("ask", "it is longer than 200,000 characters")


def test_a_verdict_says_what_decided_it() -> None:
    def reason(permission: str, target: str, policy: Policy = DEFAULTS) -> str:
        return decide_requests((permission, target), policy=policy).decision.reason

    assert reason("read", ".env") == 'the rule "ask read .env" applies (built-in default)'
    assert reason("write", "a.py") == "it writes to a.py"
    assert reason("write", "/a.py") == "/a.py is outside the workspace"
    assert reason("write", "a.py", policy_in_mode("auto-edit")) == "auto-edit mode allows it"
    granted = with_grants(DEFAULTS, (rule("write", "a.py"),))
    assert (
        reason("write", "a.py", granted)
        == 'the rule "allow write a.py" applies (granted for this session)'
    )
    denied = replace(DEFAULTS, sources=(user_rules(rule("write", "*.py", "deny")),))
    assert reason("write", "a.py", denied) == 'the rule "deny write *.py" applies (user rules)'
