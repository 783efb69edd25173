"""Decisions from rules, limits, minimum asks, grants and modes."""

from dataclasses import replace

import pytest

from actors.permissions.grants import with_grants
from messages.policy import Action, PermissionMode, PermissionProfile, Policy
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    decide_action,
    decide_requests,
    project_rules,
    rule,
    rules_only_policy,
    user_rules,
)

pytestmark = pytest.mark.quick


def policy_in_mode(mode: PermissionMode) -> Policy:
    return replace(DEFAULT_POLICY, mode=mode)


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
        ("unknown", "x", "ask"),
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
def test_the_defaults_allow_reading_and_ask_for_effects(
    permission: str, target: str, expected: Action
) -> None:
    assert decide_action(permission, target) == expected


def test_an_added_folder_is_like_the_workspace_except_for_allow_rules() -> None:
    policy = replace(DEFAULT_POLICY, added_directories=("/nowhere/shared",))

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


def test_the_last_match_in_a_source_wins() -> None:
    policy = rules_only_policy(
        rule("read", "*"), rule("read", "src/*", "deny"), rule("read", "src/a")
    )

    assert [decide_action("read", name, policy) for name in ("b", "src/b", "src/a")] == [
        "allow",
        "deny",
        "allow",
    ]


def test_the_strictest_of_several_sources_wins() -> None:
    policy = replace(
        DEFAULT_POLICY,
        sources=(user_rules(rule("write", "*")), project_rules(rule("write", "docs/*", "deny"))),
    )

    assert decide_action("write", "src/a", policy) == "allow"
    assert decide_action("write", "docs/a", policy) == "deny"


def test_the_defaults_apply_only_if_no_source_matches() -> None:
    policy = replace(
        DEFAULT_POLICY, sources=(user_rules(rule("read", ".env"), rule("ls", "*", "ask")),)
    )

    assert decide_action("read", ".env", policy) == "allow"
    assert decide_action("read", "api/.env", policy) == "ask"
    assert decide_action("ls", ".", policy) == "ask"


def test_an_unmatched_request_asks_without_defaults() -> None:
    assert decide_action("read", "a", rules_only_policy()) == "ask"
    assert decide_action("question", "*", rules_only_policy(rule("question", "*"))) == "ask"


def test_an_untrusted_source_can_restrict_but_not_allow() -> None:
    allow_rules = rule("write", "*"), rule("read", ".env")
    policy = replace(DEFAULT_POLICY, sources=(project_rules(*allow_rules, trusted=False),))

    assert decide_action("write", "a", policy) == "ask"
    assert decide_action("read", ".env", policy) == "ask"
    restricting = project_rules(rule("read", "*", "deny"), trusted=False)
    assert decide_action("read", "a", replace(DEFAULT_POLICY, sources=(restricting,))) == "deny"


def test_only_absolute_patterns_allow_paths_outside_the_workspace() -> None:
    assert decide_action("read", "/etc/hosts", rules_only_policy(rule("read", "*"))) == "ask"
    assert decide_action("read", "/etc/hosts", rules_only_policy(rule("read", "/etc/*"))) == "allow"
    assert (
        decide_action("read", "/etc/hosts", rules_only_policy(rule("read", "*", "deny"))) == "deny"
    )


def test_an_absolute_deny_applies_inside_the_workspace() -> None:
    policy = rules_only_policy(rule("read", "*"), rule("read", "/nowhere/project/keys/*", "deny"))

    assert decide_action("read", "keys/a", policy) == "deny"


def test_a_rule_for_one_agent_applies_to_that_agent() -> None:
    policy = replace(
        DEFAULT_POLICY, sources=(user_rules(rule("read", "*", "deny", agent="explore")),)
    )
    explore = PermissionProfile(agent="explore")

    assert decide_action("read", "a", policy) == "allow"
    assert decide_action("read", "a", policy, (explore, BUILD_PROFILE)) == "deny"
    assert decide_action("read", "a", policy, (BUILD_PROFILE, explore)) == "deny"


def test_a_file_that_must_not_be_read_must_not_be_edited() -> None:
    policy = rules_only_policy(
        rule("edit", "*"), rule("write", "*"), rule("read", "keys/*", "deny")
    )

    assert decide_action("edit", "a", policy) == "allow"
    assert decide_action("edit", "keys/a", policy) == "deny"
    assert decide_action("write", "keys/a", policy) == "deny"


# Limits.


def test_a_tool_that_an_ancestor_lacks_must_be_delegated() -> None:
    narrow = PermissionProfile(agent="lead", tools=("read", "task"))
    child = PermissionProfile(agent="worker")
    delegating = replace(narrow, delegates=("write",))

    def write(*chain: PermissionProfile) -> Action:
        return decide_action("write", "a", rules_only_policy(rule("write", "*")), chain)

    assert write(child, narrow) == "deny"
    assert write(child, delegating) == "allow"
    assert write(delegating) == "deny"
    assert write(child, replace(delegating, from_project=True)) == "deny"
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
def test_plan_mode_only_reads_and_writes_plan_files(
    permission: str, target: str, expected: Action
) -> None:
    rules = user_rules(rule("write", "*"), rule("edit", "*"), rule("mcp__db__drop", "*"))
    policy = replace(policy_in_mode("plan"), sources=(rules,))
    yolo = replace(DEFAULT_POLICY, sources=(rules,), mode="yolo")
    planner = PermissionProfile(agent="plan", max_mode="plan")

    assert decide_action(permission, target, policy) == expected
    assert decide_action(permission, target, yolo, (BUILD_PROFILE, planner)) == expected


def test_in_plan_mode_no_grant_allows_a_command() -> None:
    granted = replace(policy_in_mode("plan"), grants=(rule("bash", "make"),))
    planner = (BUILD_PROFILE, PermissionProfile(agent="plan", max_mode="plan"))

    for policy, chain in ((granted, (BUILD_PROFILE,)), (policy_in_mode("yolo"), planner)):
        decision = decide_requests(("bash", "make"), policy=policy, chain=chain).decision
        assert (decision.action, decision.grants) == ("ask", ())


def test_a_read_only_agent_and_its_descendants_only_read() -> None:
    policy = replace(DEFAULT_POLICY, mode="yolo")
    reader = PermissionProfile(agent="explore", read_only=True)

    for chain in ((reader, BUILD_PROFILE), (BUILD_PROFILE, reader)):
        assert decide_action("read", "a", policy, chain) == "allow"
        assert decide_action("task", "x", policy, chain) == "allow"
        assert decide_action("write", ".greenroom/plans/a.md", policy, chain) == "deny"
        assert decide_action("bash", "make", policy, chain) == "deny"


def test_the_max_mode_of_a_definition_only_restricts() -> None:
    def decide_write(mode: PermissionMode, max_mode: PermissionMode) -> Action:
        return decide_action(
            "write",
            "a",
            policy_in_mode(mode),
            (PermissionProfile(agent="x", max_mode=max_mode), BUILD_PROFILE),
        )

    assert decide_write("yolo", "default") == "ask"
    assert decide_write("default", "yolo") == "ask"
    assert decide_write("yolo", "auto-edit") == "allow"
    assert decide_write("auto-edit", "plan") == "deny"


# Lifting an ask.


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
def test_a_mode_lifts_only_the_asks_it_covers(
    mode: PermissionMode, permission: str, target: str, expected: Action
) -> None:
    assert decide_action(permission, target, policy_in_mode(mode)) == expected


def test_auto_edit_lifts_only_asks_caused_by_defaults() -> None:
    asks = replace(
        policy_in_mode("auto-edit"), sources=(user_rules(rule("write", "docs/*", "ask")),)
    )
    asks_for_parent = replace(
        policy_in_mode("auto-edit"),
        sources=(user_rules(rule("write", "docs/*", "ask", agent="lead")),),
    )

    assert decide_action("write", "src/a", asks) == "allow"
    assert decide_action("write", "docs/a", asks) == "ask"
    assert (
        decide_action(
            "write", "docs/a", asks_for_parent, (BUILD_PROFILE, PermissionProfile(agent="lead"))
        )
        == "ask"
    )
    assert decide_action("write", "docs/a", replace(asks, mode="yolo")) == "allow"


def test_a_grant_allows_exactly_the_request_it_names() -> None:
    policy = with_grants(DEFAULT_POLICY, (rule("write", "a.py"),))

    assert decide_action("write", "a.py", policy) == "allow"
    for permission, target in [("write", "b.py"), ("edit", "a.py"), ("write", "A.py")]:
        assert decide_action(permission, target, policy) == "ask"


def test_storing_the_offered_grants_allows_the_call() -> None:
    call = (("write", "a.py"), ("read", "/etc/hosts"), ("write", "a.py"))
    offered = decide_requests(*call).decision.grants

    assert offered == (rule("write", "a.py"), rule("read", "/etc/hosts"))
    granted = with_grants(DEFAULT_POLICY, offered)
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
def test_no_grant_is_offered_for_unclear_or_protected_targets(permission: str, target: str) -> None:
    assert decide_requests((permission, target)).decision.grants == ()
    forced = replace(DEFAULT_POLICY, grants=(rule(permission, target),))
    assert decide_action(permission, target, forced) == "ask"


def test_a_prefix_grant_does_not_lift_a_minimum_ask() -> None:
    prefixes = replace(
        DEFAULT_POLICY, grants=tuple(rule("bash", pattern) for pattern in ("git *", "sudo *"))
    )

    assert decide_action("bash", "git commit -m x", prefixes) == "allow"
    for command in ("sudo make", "git -c a=b log", "git commit -m x > f", "A=1 git commit -m x"):
        assert decide_action("bash", command, prefixes) == "ask", command


def test_a_grant_does_not_override_a_deny_rule() -> None:
    policy = replace(rules_only_policy(rule("write", "a", "deny")), grants=(rule("write", "a"),))

    assert decide_action("write", "a", policy) == "deny"


def test_ask_and_deny_rules_cannot_be_granted() -> None:
    restrictions = (rule("read", "a.py", "deny"), rule("read", "b.py", "ask"))

    assert with_grants(DEFAULT_POLICY, restrictions).grants == ()


def test_a_repeated_grant_is_stored_once_and_counted_twice() -> None:
    policy = with_grants(DEFAULT_POLICY, (rule("write", "a"), rule("write", "a")))
    again = with_grants(policy, (rule("write", "a"),))

    assert again.grants == (rule("write", "a"),)
    assert (policy.policy_version, again.policy_version) == (2, 3)


# Whole calls.


def test_the_strictest_request_decides_the_whole_call() -> None:
    decision = decide_requests(("read", "a"), ("write", "b"), ("read", "c")).decision

    assert (decision.action, decision.grants) == ("ask", (rule("write", "b"),))


def test_a_call_without_requests_asks_even_in_yolo() -> None:
    assert decide_requests(policy=policy_in_mode("yolo")).decision.action == "ask"


def test_a_target_that_is_too_long_asks() -> None:
    decision = decide_requests(
        ("bash", "true " * 50_000), policy=rules_only_policy(rule("bash", "*"))
    ).decision

    assert (decision.action, decision.reason) == ("ask", "it is longer than 200,000 characters")


def test_the_reason_names_what_decided_the_call() -> None:
    def get_reason(permission: str, target: str, policy: Policy = DEFAULT_POLICY) -> str:
        return decide_requests((permission, target), policy=policy).decision.reason

    assert get_reason("read", ".env") == 'the rule "ask read .env" applies (built-in default)'
    assert get_reason("write", "a.py") == "it writes to a.py"
    assert get_reason("write", "/a.py") == "/a.py is outside the workspace"
    assert get_reason("write", "a.py", policy_in_mode("auto-edit")) == "auto-edit mode allows it"
    granted = with_grants(DEFAULT_POLICY, (rule("write", "a.py"),))
    assert (
        get_reason("write", "a.py", granted)
        == 'the rule "allow write a.py" applies (granted for this session)'
    )
    denied = replace(DEFAULT_POLICY, sources=(user_rules(rule("write", "*.py", "deny")),))
    assert get_reason("write", "a.py", denied) == 'the rule "deny write *.py" applies (user rules)'


# A rule that allows a subagent something its ancestors have only defaults for.


PLAN_PROFILE = PermissionProfile(agent="plan", max_mode="plan")
TOUCH_RULES = user_rules(rule("bash", "touch *"), rule("write", "a.txt"))
TOUCHER = PermissionProfile(agent="toucher", rules=TOUCH_RULES)


def test_an_own_allow_rule_overrides_the_defaults_of_all_ancestors() -> None:
    chain = (TOUCHER, PermissionProfile(agent="general"), BUILD_PROFILE)
    by_name = replace(
        DEFAULT_POLICY, sources=(user_rules(rule("bash", "touch *", agent="general")),)
    )

    assert decide_action("bash", "touch x", chain=chain) == "allow"
    assert decide_action("write", "a.txt", chain=chain) == "allow"
    assert decide_action("write", "b.txt", chain=chain) == "ask"
    assert decide_action("bash", "touch x && rm x", chain=chain) == "ask"
    assert decide_action("bash", "touch x", by_name, chain[1:]) == "allow"


def test_an_allow_rule_of_an_ancestor_does_not_reach_its_subagents() -> None:
    assert decide_action("bash", "touch x", chain=(BUILD_PROFILE, TOUCHER)) == "ask"
    by_name = replace(DEFAULT_POLICY, sources=(user_rules(rule("bash", "touch *", agent="build")),))
    chain = (PermissionProfile(agent="general"), BUILD_PROFILE)
    assert decide_action("bash", "touch x", by_name, chain) == "ask"


@pytest.mark.parametrize(
    ("ancestor", "expected"),
    [
        (PermissionProfile(agent="a", rules=user_rules(rule("bash", "*", "ask"))), "ask"),
        (PermissionProfile(agent="a", rules=user_rules(rule("bash", "*", "deny"))), "deny"),
        (PermissionProfile(agent="a", tools=("read", "task")), "deny"),
        (PermissionProfile(agent="a", disallowed_tools=("bash",)), "deny"),
        (PermissionProfile(agent="a", read_only=True), "deny"),
        (PLAN_PROFILE, "ask"),
    ],
)
@pytest.mark.parametrize("between", [(), (PermissionProfile(agent="general"),)])
def test_an_ancestor_still_forbids_by_rule_tools_or_mode(
    ancestor: PermissionProfile, expected: Action, between: tuple[PermissionProfile, ...]
) -> None:
    chain = (TOUCHER, *between, ancestor, BUILD_PROFILE)
    assert decide_action("bash", "touch x", chain=chain) == expected
    for_ancestor = replace(
        DEFAULT_POLICY, sources=(user_rules(rule("bash", "touch *", "ask", agent="build")),)
    )
    assert decide_action("bash", "touch x", for_ancestor, (TOUCHER, BUILD_PROFILE)) == "ask"


def test_plan_mode_above_an_agent_still_forbids_its_changes() -> None:
    chain = (TOUCHER, PLAN_PROFILE)
    assert decide_action("write", "a.txt", chain=chain) == "deny"
    decision = decide_requests(("bash", "touch x"), chain=chain).decision
    assert decision.always_ask
    assert decide_action("bash", "touch x", policy_in_mode("plan"), (TOUCHER, BUILD_PROFILE)) == (
        "ask"
    )


@pytest.mark.parametrize(
    ("permission", "target", "pattern"),
    [
        ("bash", "cat $F", "cat *"),
        ("bash", "touch x > .bashrc", "touch *"),
        ("bash", "sudo touch x", "sudo *"),
        ("write", ".git/hooks/pre-commit", "*"),
        ("write", ".greenroom/config.toml", "*"),
        ("question", "*", "*"),
        ("write", "/etc/hosts", "*"),
    ],
)
def test_an_own_allow_rule_lifts_no_minimum_ask_or_protection(
    permission: str, target: str, pattern: str
) -> None:
    own = PermissionProfile(agent="own", rules=user_rules(rule(permission, pattern)))
    assert decide_action(permission, target, chain=(own, BUILD_PROFILE)) == "ask"


def test_an_allow_rule_of_a_project_definition_allows_nothing() -> None:
    project = replace(TOUCHER, from_project=True)
    assert decide_action("bash", "touch x", chain=(project, BUILD_PROFILE)) == "ask"
    below = (PermissionProfile(agent="general"), project, BUILD_PROFILE)
    assert decide_action("bash", "touch x", chain=below) == "ask"
    untrusted = replace(
        DEFAULT_POLICY,
        sources=(project_rules(rule("bash", "touch *", agent="general"), trusted=False),),
    )
    assert decide_action("bash", "touch x", untrusted, (below[0], BUILD_PROFILE)) == "ask"


def test_a_default_for_secret_files_still_asks_under_a_command_rule() -> None:
    reader = PermissionProfile(agent="reader", rules=user_rules(rule("bash", "cat *")))
    assert decide_action("bash", "cat .env", chain=(reader, BUILD_PROFILE)) == "ask"
    ask_rule = PermissionProfile(agent="a", rules=user_rules(rule("read", "secrets/*", "ask")))
    assert decide_action("bash", "cat secrets/x", chain=(reader, ask_rule)) == "ask"
