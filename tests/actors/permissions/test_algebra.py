"""The laws of the algebra, over random rules, chains, grants and calls."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from actors.permissions.defaults import BUILT_IN
from actors.permissions.granting import granting
from actors.permissions.judgement import SILENT, AccessDecision, strictest
from actors.permissions.judging import decide, judged
from actors.permissions.matters import Access
from actors.permissions.modes import MODES
from actors.permissions.rulebook import rulebook_of
from actors.permissions.rules import STRICTNESS
from messages.rules import PermissionProfile, Policy, Rule, RuleSource
from tests.actors.permissions.judged import decided

pytestmark = pytest.mark.quick

Chain = tuple[PermissionProfile, ...]
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
granted = st.builds(Rule, permission=permissions, pattern=patterns, action=st.just("allow"))
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
    mode=st.sampled_from((*MODES, "yolo", "yolo")),
    read_only=st.sampled_from((False, False, False, True)),
    of_project=st.booleans(),
)
chains = st.lists(profiles, min_size=1, max_size=3).map(tuple)
policies = st.builds(
    Policy,
    mode=st.sampled_from(MODES),
    sources=st.lists(sources, max_size=2).map(tuple),
    defaults=st.sampled_from((BUILT_IN, ())),
    grants=st.lists(
        st.builds(Rule, permission=permissions, pattern=patterns, action=st.just("allow")),
        max_size=3,
    ).map(tuple),
    protected=st.sampled_from(((), None)),
    trusted=st.booleans(),
)


@st.composite
def matters(draw: st.DrawFn) -> Access:
    permission, target = draw(permissions), draw(st.sampled_from(TARGETS))
    reads = Access("read", "a", "bash", reading=True)
    command = permission == "bash"
    return Access(
        permission=permission,
        target=target,
        tool=permission,
        weight=draw(st.sampled_from(("full", "full", "tightens", "denies"))),
        also=draw(st.sampled_from(((), ("a",), ("rm a",)))),
        inside=not target.startswith("/"),
        floor=draw(st.sampled_from(("", "", "a floor"))),
        protected=draw(st.sampled_from(("", "", "protected"))),
        reading=permission in ("read", "task"),
        harmless=draw(st.sampled_from((None, (), (reads,)))) if command else None,
        trusted_only=command and draw(st.booleans()),
        unknown=draw(st.sampled_from((False, False, False, True))),
    )


LAW = settings(max_examples=2 * settings().max_examples)
calls = st.lists(matters(), min_size=1, max_size=3)


PLAIN = [Access("write", "a", "write")]
LOOSE = RuleSource(name="loose", rules=(Rule(permission="write", pattern="*", action="allow"),))
BUILD = PermissionProfile(agent="build")
DEFAULTS = Policy(defaults=BUILT_IN)
LOOSENED = replace(DEFAULTS, sources=(LOOSE,))
EDITING = replace(DEFAULTS, mode="auto-edit")
ASKED = RuleSource(name="asked", rules=(Rule(permission="write", pattern="a", action="ask"),))
DENIED = RuleSource(name="denied", rules=(Rule(permission="write", pattern="a", action="deny"),))
ALLOWED = RuleSource(name="allowed", rules=(Rule(permission="bash", pattern="*", action="allow"),))
GIT = [
    Access(
        "bash",
        "git status",
        "bash",
        reading=True,
        harmless=(),
        trusted_only=True,
    )
]


def verdict(call: list[Access], policy: Policy, chain: Chain) -> AccessDecision:
    return judged((each, decide(each, rulebook_of(policy, chain))) for each in call)


def strictness(call: list[Access], policy: Policy, chain: Chain) -> int:
    return STRICTNESS[verdict(call, policy, chain).action]


@LAW
@given(calls, matters(), policies, chains)
def test_one_more_part_never_loosens(
    call: list[Access], more: Access, policy: Policy, chain: Chain
) -> None:
    alone = strictness(call, policy, chain)
    assert strictness([*call, more], policy, chain) >= alone
    assert strictness([more, *call], policy, chain) >= alone


@LAW
@given(calls, policies, chains, profiles)
@example(PLAIN, EDITING, (replace(BUILD, rules=ASKED),), BUILD)
@example(PLAIN, DEFAULTS, (replace(BUILD, mode="plan"),), BUILD)
def test_no_child_is_looser_than_who_is_above_it_lifts_included(
    call: list[Access], policy: Policy, chain: Chain, child: PermissionProfile
) -> None:
    assert strictness(call, policy, (child, *chain)) >= strictness(call, policy, chain)


@LAW
@given(calls, policies, chains, profiles)
@example(PLAIN, DEFAULTS, (BUILD,), replace(BUILD, rules=DENIED))
@example(PLAIN, DEFAULTS, (BUILD,), replace(BUILD, read_only=True))
def test_who_is_above_never_loosens_what_holds_for_an_agent_by_itself(
    call: list[Access], policy: Policy, chain: Chain, child: PermissionProfile
) -> None:
    assert strictness(call, policy, (child, *chain)) >= strictness(call, policy, (child,))


@LAW
@given(matters(), policies, chains)
@example(PLAIN[0], LOOSENED, (replace(BUILD, disallowed_tools=("write",)),))
@example(PLAIN[0], LOOSENED, (BUILD, replace(BUILD, tools=("read",))))
def test_a_tool_that_somebody_of_the_chain_lacks_is_denied(
    matter: Access, policy: Policy, chain: Chain
) -> None:
    tool = matter.tool
    had = [{"*", tool} & {*each.tools} and tool not in each.disallowed_tools for each in chain]
    if matter.weight == "full" and not all(had):
        assert decide(matter, rulebook_of(policy, chain)).action == "deny"


@LAW
@given(matters(), policies, chains)
def test_no_lift_changes_a_deny_or_what_only_an_answer_lifts(
    matter: Access, policy: Policy, chain: Chain
) -> None:
    before = decide(matter, rulebook_of(replace(policy, mode="default", grants=()), chain))
    exact = matter.request
    grant = Rule(permission=exact.permission, pattern=exact.target, action="allow")
    for mode in MODES[1:]:
        lifted = granting(replace(policy, mode=mode), (grant,))
        after = decide(matter, rulebook_of(lifted, chain))
        if before.action == "deny":
            assert after.action == "deny"
        if before.lasting:
            assert (after.action, after.grants) == ("ask", ())


@LAW
@given(calls, policies, chains)
def test_a_looser_mode_never_tightens(call: list[Access], policy: Policy, chain: Chain) -> None:
    found = [strictness(call, replace(policy, mode=mode), chain) for mode in MODES]
    assert found == sorted(found, reverse=True)


@LAW
@given(
    calls,
    policies,
    chains,
    st.builds(Rule, permission=permissions, pattern=patterns, action=st.just("allow")),
)
def test_a_grant_never_tightens(
    call: list[Access], policy: Policy, chain: Chain, grant: Rule
) -> None:
    granted = granting(policy, (grant,))
    assert strictness(call, granted, chain) <= strictness(call, policy, chain)


@LAW
@given(calls, policies, chains)
@example(PLAIN, LOOSENED, (BUILD,))
@example(GIT, DEFAULTS, (BUILD,))
def test_trust_never_tightens(call: list[Access], policy: Policy, chain: Chain) -> None:
    def trusting(*, trusted: bool) -> Policy:
        heard = tuple(replace(each, trusted=trusted) for each in policy.sources)
        return replace(policy, sources=heard, trusted=trusted)

    assert strictness(call, trusting(trusted=True), chain) <= strictness(
        call, trusting(trusted=False), chain
    )


@LAW
@given(calls, policies, chains, profiles)
@example(PLAIN, DEFAULTS, (BUILD,), replace(BUILD, rules=LOOSE))
@example(PLAIN, LOOSENED, (BUILD,), replace(BUILD, tools=("read",)))
def test_a_definition_of_the_project_never_loosens(
    call: list[Access], policy: Policy, chain: Chain, definition: PermissionProfile
) -> None:
    of_project = replace(definition, of_project=True, delegates=("*",))
    without = PermissionProfile(agent=definition.agent, tools=definition.tools)
    for above in ((), chain):
        loosest = strictness(call, policy, (without, *above))
        assert strictness(call, policy, (of_project, *above)) >= loosest
        below = strictness(call, policy, (*chain, without))
        assert strictness(call, policy, (*chain, of_project)) >= below


@LAW
@given(calls, policies, chains, st.booleans())
def test_a_missing_source_is_as_an_empty_one(
    call: list[Access],
    policy: Policy,
    chain: Chain,
    trusted: bool,  # noqa: FBT001  (drawn)
) -> None:
    empty = RuleSource(name="empty", trusted=trusted)
    with_empty = replace(policy, sources=(*policy.sources, empty))
    of_definition = (replace(chain[0], rules=chain[0].rules or empty), *chain[1:])

    assert verdict(call, with_empty, of_definition) == verdict(call, policy, chain)


@LAW
@given(calls, policies, chains)
def test_storing_what_is_offered_allows_the_call(
    call: list[Access], policy: Policy, chain: Chain
) -> None:
    offered = verdict(call, policy, chain).grants
    if offered:
        assert verdict(call, granting(policy, offered), chain).action == "allow"


def test_of_two_questions_the_one_that_no_grant_lifts_is_the_stricter() -> None:
    lifted, lasting = AccessDecision("ask", "a"), AccessDecision("ask", "b", lasting=True)

    for each in ([lifted, lasting], [lasting, lifted], [SILENT, lifted, lasting, lifted]):
        assert strictest(each) is lasting
    assert strictest([lasting, AccessDecision("deny", "c"), SILENT]).action == "deny"


COMMANDS = (
    "cat {}",
    "cd {} && ls",
    "grep x {} a",
    "cat a < {}",
    "sort {} | head",
    "find {} -name x",
)
PLACES = ("a", "/etc/hosts", "../b", "$F", '"$HOME/x"', "*.md", "x/$(ls)", "~/x", ".env", "a b")
some_commands = st.builds(str.format, st.sampled_from(COMMANDS), st.sampled_from(PLACES))


@LAW
@given(st.lists(some_commands, min_size=1, max_size=3).map("; ".join), policies)
@example("cat /etc/hosts", DEFAULTS)
@example("cat /etc/hosts", replace(DEFAULTS, sources=(ALLOWED,)))
@example("cd /etc && ls", DEFAULTS)
def test_storing_what_is_offered_of_a_command_allows_that_command(
    command: str, policy: Policy
) -> None:
    judgement = decided(("bash", command), policy=policy).judgement
    for offered in (judgement.grants, judgement.broader_grants):
        if offered:
            granted = granting(policy, offered)
            assert decided(("bash", command), policy=granted).judgement.action == "allow"


@LAW
@given(some_commands, policies)
def test_who_allows_commands_allows_no_reading_beyond_what_may_be_read(
    command: str, policy: Policy
) -> None:
    allowing = replace(policy, sources=(*policy.sources, ALLOWED))
    matters = [
        each
        for each, _ in decided(("bash", command), policy=allowing).matters
        if each.permission == "read"
    ]
    read = [
        decide(each._replace(weight="full"), rulebook_of(allowing, (BUILD,))) for each in matters
    ]
    reads_outside = any(
        each.action != "allow" and not matter.inside
        for matter, each in zip(matters, read, strict=True)
    )
    if reads_outside:
        assert decided(("bash", command), policy=allowing).judgement.action != "allow"
