"""What the rules say of something, for each agent on its own."""

from actors.permissions import defaults
from actors.permissions.judgement import SILENT, AccessDecision, strictest
from actors.permissions.matters import Access, RuleScope
from actors.permissions.rulebook import RuleGroup, RuleIndex
from actors.permissions.rules import PATHS, fold, has_tool, matches
from messages.rules import Policy

_HARMLESS = AccessDecision("allow", "harmless command (built-in default)", by_default=True)


def heard(matter: Access, book: RuleIndex, at: int) -> AccessDecision:
    """Hear the rules as they are for one agent of the chain, on its own."""
    profile = book.chain[at]
    if matter.weight == "full" and not has_tool(profile, matter.tool):
        # One that is above others may hand on what it lacks itself.
        hands_on = at > 0 and not profile.of_project
        if not (hands_on and any(matches(name, matter.tool) for name in profile.delegates)):
            why = f"{profile.agent} has no tool {matter.tool}"
            return AccessDecision("deny", why, source=f"definition {profile.agent}")
    texts = (matter.target, *matter.also)
    # The defaults see another target in an added folder.
    if not book.policy.added and book.is_silent(matter.permission, matter.weight, texts):
        return _unheard(matter, matter.weight, book, at)
    said = _spoken(matter, book, at)
    return strictest(said) if said else _unspoken(matter, matter.weight, book, at)


def _spoken(matter: Access, book: RuleIndex, at: int) -> list[AccessDecision]:
    said: list[AccessDecision] = []
    for voice in book.spoken[at].get(matter.permission, ()):
        judgement = _first_match(voice, matter, folds=matter.folded)
        if judgement is None or (judgement.action == "allow" and not voice.trusted):
            continue
        if matter.weight != "denies" or judgement.action == "deny":
            said.append(judgement)
    return said


def _first_match(voice: RuleGroup, matter: Access, *, folds: bool) -> AccessDecision | None:
    """Find what the first rule decides that speaks of a matter.

    An allow hears only the target itself, and outside the workspace needs an absolute pattern; the
    others hear every spelling of it.
    """
    target = matter.target
    texts = (target, *matter.also)
    folded = None
    for each, judgement in voice.for_texts(texts):
        if each.allows:
            is_near = each.far or (matter.inside and not target.startswith("/"))
            if is_near and each.whole(target):
                return judgement
            continue
        if folds and folded is None:
            folded = tuple(map(fold, texts))
        if each.tightens(texts, folded):
            return judgement
    return None


def _unspoken(matter: Access, weight: RuleScope, book: RuleIndex, at: int) -> AccessDecision:
    """Decide where no source of an agent speaks: by the built-in defaults, which never deny."""
    judgement = _default(matter, book) if weight != "denies" else None
    if judgement is None or (weight == "tightens" and judgement.action != "ask"):
        return _unheard(matter, weight, book, at)
    return judgement


def _unheard(matter: Access, weight: RuleScope, book: RuleIndex, at: int) -> AccessDecision:
    """Decide where the defaults say nothing either."""
    if weight != "full":
        return SILENT
    if matter.harmless is not None and book.policy.defaults:
        return _harmless(matter, matter.harmless, book, at)
    return AccessDecision("ask", _why_unspoken(matter, book.policy), by_default=True)


def _default(matter: Access, book: RuleIndex) -> AccessDecision | None:
    """Hear the defaults; added folders are as the workspace, and case never matters."""
    voice = book.unspoken.get(matter.permission)
    if voice is None:
        return None
    added = book.policy.added
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
    if matter.trusted_only and not book.policy.trusted:
        return AccessDecision(
            "ask", "the folder is not trusted, and git may start what it says there"
        )
    for read in reads:
        said = _spoken(read, book, at)
        judged = strictest(said) if said else _unspoken(read, "full", book, at)
        if judged.action != "allow" or read.floor:
            why = read.floor or f"it reads {read.target}: {judged.reason}"
            return AccessDecision(
                "ask", why, rule=judged.rule, source=judged.source, by_default=True
            )
    return _HARMLESS


def _why_unspoken(matter: Access, policy: Policy) -> str:
    if matter.permission in PATHS and not matter.inside:
        return f"{matter.target} is outside the workspace"
    where = defaults.SOURCE if policy.defaults else "no rule speaks of it"
    return f"{matter.permission} asks unless it is allowed ({where})"
