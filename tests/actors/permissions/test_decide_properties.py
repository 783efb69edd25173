"""Properties of decisions over random rules, chains, grants and calls."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from actors.permissions.access import Access
from actors.permissions.decide import combine_decisions, decide_access
from actors.permissions.decision import NO_OBJECTION, AccessDecision, find_strictest
from actors.permissions.grants import with_grants
from actors.permissions.mode_order import MODES
from actors.permissions.rule_index import get_rule_index
from actors.permissions.rule_matching import STRICTNESS, get_categories
from actors.tools.tool_list import TOOL_LIST
from messages.policy import PermissionProfile, Policy, Rule, RuleSource
from tests.actors.permissions.decision_helpers import DEFAULT_POLICY, DEFAULT_RULES, decide_requests

pytestmark = pytest.mark.quick

ProfileChain = tuple[PermissionProfile, ...]
NAMES = ("read", "write", "write", "bash", "bash", "question")
TARGETS = ("a", "a", "/x/a", "rm a")
AGENTS = ("build", "explore", "lead")

permissions = st.sampled_from(NAMES)
patterns = st.sampled_from(("*", "*", "a", "/x/*", "rm *"))
rules = st.builds(
    Rule,
    permission=permissions,
    pattern=patterns,
    action=st.sampled_from(("allow", "ask", "deny")),
    agent=st.sampled_from((None, None, None, *AGENTS)),
)
grants = st.builds(Rule, permission=permissions, pattern=patterns, action=st.just("allow"))
some_rules = st.lists(rules, max_size=4).map(tuple)
sources = st.builds(
    RuleSource, name=st.sampled_from(("user", "project")), rules=some_rules, trusted=st.booleans()
)
tools = st.sampled_from((("*",), ("*",), ("*",), ("read", "bash")))
profiles = st.builds(
    PermissionProfile,
    agent=st.sampled_from(AGENTS),
    rules=st.none() | sources,
    tools=tools,
    disallowed_tools=st.sampled_from(((), (), (), ("write",), ("read", "bash"))),
    max_mode=st.sampled_from((*MODES, "yolo", "yolo")),
    read_only=st.sampled_from((False, False, False, True)),
    from_project=st.booleans(),
)
chains = st.lists(profiles, min_size=1, max_size=3).map(tuple)
policies = st.builds(
    Policy,
    mode=st.sampled_from(MODES),
    sources=st.lists(sources, max_size=2).map(tuple),
    defaults=st.sampled_from((DEFAULT_RULES, ())),
    grants=st.lists(grants, max_size=3).map(tuple),
    protected_paths=st.sampled_from(((), None)),
    trusted=st.booleans(),
)

CATEGORIES = get_categories(TOOL_LIST)


@st.composite
def accesses(draw: st.DrawFn) -> Access:
    permission, target = draw(permissions), draw(st.sampled_from(TARGETS))
    read = Access("read", "a", "bash", "read", changes_nothing=True)
    is_command = permission == "bash"
    return Access(
        permission=permission,
        target=target,
        tool=permission,
        category=CATEGORIES[permission],
        rule_scope=draw(st.sampled_from(("all", "all", "ask_or_deny", "deny_only"))),
        other_spellings=draw(st.sampled_from(((), ("a",), ("rm a",)))),
        is_in_workspace=not target.startswith("/"),
        ask_reason=draw(st.sampled_from(("", "", "it is unclear"))),
        protection_reason=draw(st.sampled_from(("", "", "it is protected"))),
        changes_nothing=permission in ("read", "task"),
        required_reads=draw(st.sampled_from((None, (), (read,)))) if is_command else None,
        requires_trust=is_command and draw(st.booleans()),
        is_target_unknown=draw(st.sampled_from((False, False, False, True))),
    )


PROPERTY = settings(max_examples=2 * settings().max_examples)
calls = st.lists(accesses(), min_size=1, max_size=3)


PLAIN = [Access("write", "a", "write", "change")]
LOOSE_SOURCE = RuleSource(
    name="loose", rules=(Rule(permission="write", pattern="*", action="allow"),)
)
BUILD = PermissionProfile(agent="build")
LOOSE_POLICY = replace(DEFAULT_POLICY, sources=(LOOSE_SOURCE,))
AUTO_EDIT = replace(DEFAULT_POLICY, mode="auto-edit")
ASK_SOURCE = RuleSource(name="ask", rules=(Rule(permission="write", pattern="a", action="ask"),))
DENY_SOURCE = RuleSource(name="deny", rules=(Rule(permission="write", pattern="a", action="deny"),))
ALLOW_SOURCE = RuleSource(
    name="allow", rules=(Rule(permission="bash", pattern="*", action="allow"),)
)
ALLOW_EVERYTHING = tuple(
    Rule(permission=name, pattern=pattern, action="allow")
    for name in sorted(set(NAMES))
    for pattern in ("*", "/*")
)
"""Defaults that restrict nothing."""
GIT = [
    Access(
        "bash",
        "git status",
        "bash",
        "command",
        changes_nothing=True,
        required_reads=(),
        requires_trust=True,
    )
]


def decide_accesses(call: list[Access], policy: Policy, chain: ProfileChain) -> AccessDecision:
    return combine_decisions(
        (access, decide_access(access, get_rule_index(policy, chain))) for access in call
    )


def get_strictness(call: list[Access], policy: Policy, chain: ProfileChain) -> int:
    return STRICTNESS[decide_accesses(call, policy, chain).action]


@PROPERTY
@given(calls, accesses(), policies, chains)
def test_an_additional_access_never_loosens_a_call(
    call: list[Access], additional: Access, policy: Policy, chain: ProfileChain
) -> None:
    strictness = get_strictness(call, policy, chain)
    assert get_strictness([*call, additional], policy, chain) >= strictness
    assert get_strictness([additional, *call], policy, chain) >= strictness


@PROPERTY
@given(calls, policies, chains, profiles)
@example(PLAIN, AUTO_EDIT, (replace(BUILD, rules=ASK_SOURCE),), BUILD)
@example(PLAIN, DEFAULT_POLICY, (replace(BUILD, max_mode="plan"),), BUILD)
def test_a_child_without_allow_rules_is_never_looser_than_its_ancestors(
    call: list[Access], policy: Policy, chain: ProfileChain, child: PermissionProfile
) -> None:
    child = replace(child, agent="child", from_project=True)
    assert get_strictness(call, policy, (child, *chain)) >= get_strictness(call, policy, chain)


@PROPERTY
@given(calls, policies, chains, profiles)
@example(PLAIN, AUTO_EDIT, (replace(BUILD, rules=ASK_SOURCE),), BUILD)
@example(PLAIN, DEFAULT_POLICY, (BUILD,), replace(BUILD, rules=LOOSE_SOURCE))
@example(
    PLAIN, DEFAULT_POLICY, (replace(BUILD, read_only=True),), replace(BUILD, rules=LOOSE_SOURCE)
)
@example(GIT, DEFAULT_POLICY, (BUILD,), replace(BUILD, rules=ALLOW_SOURCE))
def test_a_child_is_looser_only_than_the_defaults_of_its_ancestors(
    call: list[Access], policy: Policy, chain: ProfileChain, child: PermissionProfile
) -> None:
    strictness = get_strictness(call, policy, (child, *chain))
    without_defaults = replace(policy, defaults=ALLOW_EVERYTHING)
    assert strictness >= get_strictness(call, without_defaults, chain)


@PROPERTY
@given(calls, policies, chains, profiles)
@example(
    PLAIN, DEFAULT_POLICY, (replace(BUILD, max_mode="plan"),), replace(BUILD, rules=LOOSE_SOURCE)
)
def test_in_plan_mode_a_child_is_never_looser_than_its_ancestors(
    call: list[Access], policy: Policy, chain: ProfileChain, child: PermissionProfile
) -> None:
    policy = replace(policy, mode="plan")
    assert get_strictness(call, policy, (child, *chain)) >= get_strictness(call, policy, chain)


@PROPERTY
@given(calls, policies, chains, profiles)
@example(PLAIN, DEFAULT_POLICY, (BUILD,), replace(BUILD, rules=DENY_SOURCE))
@example(PLAIN, DEFAULT_POLICY, (BUILD,), replace(BUILD, read_only=True))
def test_ancestors_never_loosen_what_applies_to_an_agent(
    call: list[Access], policy: Policy, chain: ProfileChain, child: PermissionProfile
) -> None:
    assert get_strictness(call, policy, (child, *chain)) >= get_strictness(call, policy, (child,))


@PROPERTY
@given(accesses(), policies, chains)
@example(PLAIN[0], LOOSE_POLICY, (replace(BUILD, disallowed_tools=("write",)),))
@example(PLAIN[0], LOOSE_POLICY, (BUILD, replace(BUILD, tools=("read",))))
def test_a_tool_missing_anywhere_in_the_chain_is_denied(
    access: Access, policy: Policy, chain: ProfileChain
) -> None:
    tool = access.tool
    is_allowed_by = [
        {"*", tool} & {*profile.tools} and tool not in profile.disallowed_tools for profile in chain
    ]
    if access.rule_scope == "all" and not all(is_allowed_by):
        assert decide_access(access, get_rule_index(policy, chain)).action == "deny"


@PROPERTY
@given(accesses(), policies, chains)
def test_modes_and_grants_never_lift_deny_or_always_ask(
    access: Access, policy: Policy, chain: ProfileChain
) -> None:
    before = decide_access(
        access, get_rule_index(replace(policy, mode="default", grants=()), chain)
    )
    grant = Rule(permission=access.permission, pattern=access.target, action="allow")
    for mode in MODES[1:]:
        lifted = with_grants(replace(policy, mode=mode), (grant,))
        after = decide_access(access, get_rule_index(lifted, chain))
        if before.action == "deny":
            assert after.action == "deny"
        if before.always_ask:
            assert (after.action, after.grants) == ("ask", ())


@PROPERTY
@given(calls, policies, chains)
def test_a_looser_mode_never_restricts_a_call(
    call: list[Access], policy: Policy, chain: ProfileChain
) -> None:
    by_mode = [get_strictness(call, replace(policy, mode=mode), chain) for mode in MODES]
    assert by_mode == sorted(by_mode, reverse=True)


@PROPERTY
@given(calls, policies, chains, grants)
def test_a_grant_never_restricts_a_call(
    call: list[Access], policy: Policy, chain: ProfileChain, grant: Rule
) -> None:
    granted = with_grants(policy, (grant,))
    assert get_strictness(call, granted, chain) <= get_strictness(call, policy, chain)


@PROPERTY
@given(calls, policies, chains)
@example(PLAIN, LOOSE_POLICY, (BUILD,))
@example(GIT, DEFAULT_POLICY, (BUILD,))
def test_trust_never_restricts_a_call(
    call: list[Access], policy: Policy, chain: ProfileChain
) -> None:
    def with_trust(*, trusted: bool) -> Policy:
        sources = tuple(replace(source, trusted=trusted) for source in policy.sources)
        return replace(policy, sources=sources, trusted=trusted)

    assert get_strictness(call, with_trust(trusted=True), chain) <= get_strictness(
        call, with_trust(trusted=False), chain
    )


@PROPERTY
@given(calls, policies, chains, profiles)
@example(PLAIN, DEFAULT_POLICY, (BUILD,), replace(BUILD, rules=LOOSE_SOURCE))
@example(PLAIN, LOOSE_POLICY, (BUILD,), replace(BUILD, tools=("read",)))
def test_a_definition_from_the_project_never_loosens(
    call: list[Access], policy: Policy, chain: ProfileChain, definition: PermissionProfile
) -> None:
    from_project = replace(definition, from_project=True, delegates=("*",))
    without = PermissionProfile(agent=definition.agent, tools=definition.tools)
    for ancestors in ((), chain):
        without_definition = get_strictness(call, policy, (without, *ancestors))
        assert get_strictness(call, policy, (from_project, *ancestors)) >= without_definition
        as_ancestor = get_strictness(call, policy, (*chain, without))
        assert get_strictness(call, policy, (*chain, from_project)) >= as_ancestor


@PROPERTY
@given(calls, policies, chains, st.booleans())
def test_an_empty_source_does_not_change_decisions(
    call: list[Access],
    policy: Policy,
    chain: ProfileChain,
    trusted: bool,  # noqa: FBT001  (drawn)
) -> None:
    empty = RuleSource(name="empty", trusted=trusted)
    with_empty = replace(policy, sources=(*policy.sources, empty))
    with_empty_rules = (replace(chain[0], rules=chain[0].rules or empty), *chain[1:])

    assert decide_accesses(call, with_empty, with_empty_rules) == decide_accesses(
        call, policy, chain
    )


@PROPERTY
@given(calls, policies, chains)
def test_storing_the_offered_grants_allows_the_call(
    call: list[Access], policy: Policy, chain: ProfileChain
) -> None:
    offered = decide_accesses(call, policy, chain).grants
    if offered:
        assert decide_accesses(call, with_grants(policy, offered), chain).action == "allow"


def test_always_ask_is_stricter_than_a_plain_ask() -> None:
    ask, always_ask = AccessDecision("ask", "a"), AccessDecision("ask", "b", always_ask=True)

    for decisions in ([ask, always_ask], [always_ask, ask], [NO_OBJECTION, ask, always_ask, ask]):
        assert find_strictest(decisions) is always_ask
    assert find_strictest([always_ask, AccessDecision("deny", "c"), NO_OBJECTION]).action == "deny"


COMMANDS = (
    "cat {}",
    "cd {} && ls",
    "grep x {} a",
    "cat a < {}",
    "sort {} | head",
    "find {} -name x",
)
ARGUMENTS = ("a", "/etc/hosts", "../b", "$F", '"$HOME/x"', "*.md", "x/$(ls)", "~/x", ".env", "a b")
some_commands = st.builds(str.format, st.sampled_from(COMMANDS), st.sampled_from(ARGUMENTS))


@PROPERTY
@given(st.lists(some_commands, min_size=1, max_size=3).map("; ".join), policies)
@example("cat /etc/hosts", DEFAULT_POLICY)
@example("cat /etc/hosts", replace(DEFAULT_POLICY, sources=(ALLOW_SOURCE,)))
@example("cd /etc && ls", DEFAULT_POLICY)
def test_storing_the_grants_offered_for_a_command_allows_it(command: str, policy: Policy) -> None:
    decision = decide_requests(("bash", command), policy=policy).decision
    for offered in (decision.grants, decision.broader_grants):
        if offered:
            granted = with_grants(policy, offered)
            assert decide_requests(("bash", command), policy=granted).decision.action == "allow"


@PROPERTY
@given(some_commands, policies)
def test_allowing_commands_does_not_allow_reading_outside_files(
    command: str, policy: Policy
) -> None:
    allowing = replace(policy, sources=(*policy.sources, ALLOW_SOURCE))
    reads = [
        access
        for access, _ in decide_requests(("bash", command), policy=allowing).access_decisions
        if access.permission == "read"
    ]
    rule_index = get_rule_index(allowing, (BUILD,))
    reads_outside = any(
        not access.is_in_workspace
        and decide_access(access._replace(rule_scope="all"), rule_index).action != "allow"
        for access in reads
    )
    if reads_outside:
        assert decide_requests(("bash", command), policy=allowing).decision.action != "allow"
