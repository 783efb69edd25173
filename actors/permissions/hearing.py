"""What the rules say of something, for each agent on its own."""

from collections.abc import Iterable
from dataclasses import replace

from actors.permissions import defaults
from actors.permissions.judgement import Judgement, by, strictest
from actors.permissions.matters import Matter
from actors.permissions.rules import PATHS, matches, matches_tightly
from messages.rules import Policy, Profile, Rule, Source


def heard(matter: Matter, policy: Policy, chain: tuple[Profile, ...], at: int) -> Judgement:
    """Hear the rules as they are for one agent of the chain, on its own."""
    profile = chain[at]
    lacking = _lacks_tool(matter, chain[: at + 1]) if matter.weight == "full" else ""
    if lacking:
        return Judgement("deny", lacking, source=f"definition {profile.agent}")
    said = list(_spoken(matter, policy, profile))
    return strictest(said) if said else _unspoken(matter, policy, profile)


def _sources(policy: Policy, profile: Profile) -> tuple[Source, ...]:
    own = profile.rules
    if own is None:
        return policy.sources
    return (*policy.sources, replace(own, trusted=own.trusted and not profile.of_project))


def _spoken(matter: Matter, policy: Policy, profile: Profile) -> Iterable[Judgement]:
    for source in _sources(policy, profile):
        rule = _last_match(source, matter, profile.agent)
        if rule is None or (rule.action == "allow" and not source.trusted):
            continue
        if matter.weight != "denies" or rule.action == "deny":
            yield by(rule, source.name)


def _last_match(source: Source, matter: Matter, agent: str) -> Rule | None:
    """Find the rule that speaks for a source."""
    for rule in reversed(source.rules):
        if rule.agent in (None, agent) and speaks_of(rule, matter):
            return rule
    return None


def speaks_of(rule: Rule, matter: Matter, *, folded: bool = False) -> bool:
    """Whether a rule speaks of a matter.

    An allow hears only the target itself, and outside the workspace needs an absolute pattern; the
    others hear every spelling of it.
    """
    request = matter.request
    if rule.permission != request.permission:
        return False
    if rule.action == "allow":
        reaches = request.permission not in PATHS or _reaches(rule.pattern, matter)
        return reaches and matches(rule.pattern, request.target)
    return any(
        matches_tightly(rule, text, folded=folded or matter.folded)
        for text in (request.target, *matter.also)
    )


def _reaches(pattern: str, matter: Matter) -> bool:
    if pattern.startswith("/"):
        return True
    return matter.inside and not matter.request.target.startswith("/")


def _unspoken(matter: Matter, policy: Policy, profile: Profile) -> Judgement:
    """Decide where no source of an agent speaks: by the built-in defaults, which never deny."""
    if matter.weight == "denies":
        return Judgement("allow", "", by_default=True)
    rule = _default(matter, policy)
    if matter.weight == "tightens":
        if rule is not None and rule.action == "ask":
            return by(rule, defaults.SOURCE, by_default=True)
        return Judgement("allow", "", by_default=True)
    if rule is not None:
        return by(rule, defaults.SOURCE, by_default=True)
    if matter.harmless is not None and policy.defaults:
        return _harmless(matter, matter.harmless, policy, profile)
    return Judgement("ask", _why_unspoken(matter, policy), by_default=True)


def _default(matter: Matter, policy: Policy) -> Rule | None:
    """Find the default that speaks; added folders are as the workspace, and case never matters."""
    target = matter.request.target
    within = next((each for each in policy.added if target.startswith(f"{each}/")), None)
    if within is not None:
        named = replace(matter.request, target=target[len(within) + 1 :])
        matter = replace(matter, request=named)
    elif target in policy.added:
        matter = replace(matter, request=replace(matter.request, target="."))
    for rule in reversed(policy.defaults):
        if speaks_of(rule, matter, folded=True):
            return rule
    return None


def _harmless(
    matter: Matter, reads: tuple[Matter, ...], policy: Policy, profile: Profile
) -> Judgement:
    """Allow a command that only reads, if this agent may read all that it reads."""
    if matter.trusted_only and not policy.trusted:
        return Judgement("ask", "the folder is not trusted, and git may start what it says there")
    for read in reads:
        said = list(_spoken(read, policy, profile))
        judged = strictest(said) if said else _unspoken(read, policy, profile)
        if judged.action != "allow" or read.floor:
            why = read.floor or f"it reads {read.request.target}: {judged.reason}"
            return Judgement("ask", why, rule=judged.rule, source=judged.source, by_default=True)
        if matter.deep and _tighter_below(read.request.target, policy, profile):
            why = f"it reads all below {read.request.target}, where a rule on read asks or denies"
            return Judgement("ask", why, by_default=True)
    return Judgement("allow", "harmless command (built-in default)", by_default=True)


def _tighter_below(folder: str, policy: Policy, profile: Profile) -> bool:
    """Whether a rule that somebody wrote could tighten the reading of what lies in a folder."""
    begin = "" if folder == "." else f"{folder}/"
    rules = (rule for source in _sources(policy, profile) for rule in source.rules)
    literal = (
        rule.pattern.partition("*")[0]
        for rule in rules
        if rule.permission == "read" and rule.action != "allow"
    )
    return any(each.startswith(begin) or begin.startswith(each) for each in literal)


def _why_unspoken(matter: Matter, policy: Policy) -> str:
    request = matter.request
    if request.permission in PATHS and not matter.inside:
        return f"{request.target} is outside the workspace"
    where = defaults.SOURCE if policy.defaults else "no rule speaks of it"
    return f"{request.permission} asks unless it is allowed ({where})"


def _lacks_tool(matter: Matter, below: tuple[Profile, ...]) -> str:
    """Say that an agent has no such tool; one above may hand on what it lacks itself."""
    profile = below[-1]
    hands_on = len(below) > 1 and not profile.of_project
    usable = (*profile.tools, *profile.delegates) if hands_on else profile.tools
    if any(matches(name, matter.tool) for name in usable):
        return ""
    return f"{profile.agent} has no tool {matter.tool}"
