"""What the rules say of something, for each agent on its own."""

from actors.permissions import default_rules
from actors.permissions.access import Access, RuleScope
from actors.permissions.decision import NO_OBJECTION, AccessDecision, find_strictest
from actors.permissions.rule_index import RuleGroup, RuleIndex
from actors.permissions.rules import PATH_PERMISSIONS, fold_case, has_tool, is_match
from messages.policy import Policy

_HARMLESS = AccessDecision("allow", "harmless command (built-in default)", by_default=True)


def evaluate_rules(access: Access, rule_index: RuleIndex, chain_index: int) -> AccessDecision:
    """Hear the rules as they are for one agent of the chain, on its own."""
    profile = rule_index.chain[chain_index]
    if access.rule_scope == "full" and not has_tool(profile, access.tool):
        # One that is above others may hand on what it lacks itself.
        hands_on = chain_index > 0 and not profile.from_project
        if not (hands_on and any(is_match(name, access.tool) for name in profile.delegates)):
            why = f"{profile.agent} has no tool {access.tool}"
            return AccessDecision("deny", why, source=f"definition {profile.agent}")
    texts = (access.target, *access.other_spellings)
    # The defaults see another target in an added folder.
    if not rule_index.policy.added_directories and rule_index.has_no_possible_match(
        access.permission, access.rule_scope, texts
    ):
        return _unheard(access, access.rule_scope, rule_index, chain_index)
    said = _spoken(access, rule_index, chain_index)
    return (
        find_strictest(said)
        if said
        else _unspoken(access, access.rule_scope, rule_index, chain_index)
    )


def _spoken(matter: Access, book: RuleIndex, at: int) -> list[AccessDecision]:
    said: list[AccessDecision] = []
    for voice in book.groups_by_profile[at].get(matter.permission, ()):
        judgement = _first_match(voice, matter, folds=matter.is_case_insensitive)
        if judgement is None or (judgement.action == "allow" and not voice.trusted):
            continue
        if matter.rule_scope != "denies" or judgement.action == "deny":
            said.append(judgement)
    return said


def _first_match(voice: RuleGroup, matter: Access, *, folds: bool) -> AccessDecision | None:
    """Find what the first rule decides that speaks of a matter.

    An allow hears only the target itself, and outside the workspace needs an absolute pattern; the
    others hear every spelling of it.
    """
    target = matter.target
    texts = (target, *matter.other_spellings)
    folded = None
    for each, judgement in voice.select_rules(texts):
        if each.is_allow:
            is_near = each.can_match_outside or (
                matter.is_in_workspace and not target.startswith("/")
            )
            if is_near and each.match(target):
                return judgement
            continue
        if folds and folded is None:
            folded = tuple(map(fold_case, texts))
        if each.has_ask_or_deny_match(texts, folded):
            return judgement
    return None


def _unspoken(matter: Access, rule_scope: RuleScope, book: RuleIndex, at: int) -> AccessDecision:
    """Decide where no source of an agent speaks: by the built-in defaults, which never deny."""
    judgement = _default(matter, book) if rule_scope != "denies" else None
    if judgement is None or (rule_scope == "tightens" and judgement.action != "ask"):
        return _unheard(matter, rule_scope, book, at)
    return judgement


def _unheard(matter: Access, rule_scope: RuleScope, book: RuleIndex, at: int) -> AccessDecision:
    """Decide where the defaults say nothing either."""
    if rule_scope != "full":
        return NO_OBJECTION
    if matter.required_reads is not None and book.policy.defaults:
        return _harmless(matter, matter.required_reads, book, at)
    return AccessDecision("ask", _why_unspoken(matter, book.policy), by_default=True)


def _default(matter: Access, book: RuleIndex) -> AccessDecision | None:
    """Hear the defaults; added folders are as the workspace, and case never matters."""
    voice = book.default_groups.get(matter.permission)
    if voice is None:
        return None
    added = book.policy.added_directories
    if not added:
        return _first_match(voice, matter, folds=True)
    target = matter.target
    within = next((each for each in added if target.startswith(f"{each}/")), None)
    if within is not None:
        matter = matter._replace(target=target[len(within) + 1 :])
    elif target in added:
        matter = matter._replace(target=".")
    return _first_match(voice, matter, folds=True)


def _harmless(
    matter: Access, reads: tuple[Access, ...], book: RuleIndex, at: int
) -> AccessDecision:
    """Allow a command that only reads, if this agent may read all that it reads."""
    if matter.requires_trust and not book.policy.trusted:
        return AccessDecision(
            "ask", "the folder is not trusted, and git may start what it says there"
        )
    for read in reads:
        said = _spoken(read, book, at)
        judged = find_strictest(said) if said else _unspoken(read, "full", book, at)
        if judged.action != "allow" or read.ask_reason:
            why = read.ask_reason or f"it reads {read.target}: {judged.reason}"
            return AccessDecision(
                "ask", why, rule=judged.rule, source=judged.source, by_default=True
            )
    return _HARMLESS


def _why_unspoken(matter: Access, policy: Policy) -> str:
    if matter.permission in PATH_PERMISSIONS and not matter.is_in_workspace:
        return f"{matter.target} is outside the workspace"
    where = default_rules.DEFAULT_SOURCE if policy.defaults else "no rule speaks of it"
    return f"{matter.permission} asks unless it is allowed ({where})"
