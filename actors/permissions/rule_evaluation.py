"""Apply the rules to one access, separately for each agent of the profile chain."""

from actors.permissions import default_rules
from actors.permissions.access import Access, RuleScope
from actors.permissions.decision import NO_OBJECTION, AccessDecision, find_strictest
from actors.permissions.rule_index import RuleGroup, RuleIndex
from actors.permissions.rule_matching import PATH_CATEGORIES, can_use_tool, fold_case

NOT_ALLOWED_REASON = "it is not allowed by any rule"
_READ_ONLY_COMMAND = AccessDecision(
    "allow", f"the command is read-only ({default_rules.DEFAULT_SOURCE})", by_default=True
)


def evaluate_rules(access: Access, rule_index: RuleIndex, chain_index: int) -> AccessDecision:
    """Decide an access by the rules for one agent of the chain."""
    profile = rule_index.chain[chain_index]
    is_ancestor = chain_index > 0
    if access.rule_scope == "all" and not can_use_tool(
        profile, access.tool, is_ancestor=is_ancestor
    ):
        reason = f"the agent {profile.agent} does not have the tool {access.tool}"
        return AccessDecision("deny", reason, source=f"definition {profile.agent}")
    texts = (access.target, *access.other_spellings)
    # In an added folder, the defaults match another target, so the shortcut cannot be used.
    if not rule_index.policy.added_directories and rule_index.has_no_possible_match(
        access.permission, access.rule_scope, texts
    ):
        return _decide_unmatched(access, access.rule_scope, rule_index, chain_index)
    decisions = _evaluate_sources(access, rule_index, chain_index)
    if decisions:
        return find_strictest(decisions)
    return _decide_by_defaults(access, access.rule_scope, rule_index, chain_index)


def _evaluate_sources(
    access: Access, rule_index: RuleIndex, chain_index: int
) -> list[AccessDecision]:
    """Return the decision of each rule source that matches."""
    decisions: list[AccessDecision] = []
    for group in rule_index.groups_by_profile[chain_index].get(access.permission, ()):
        decision = _find_first_match(group, access, ignore_case=access.is_case_insensitive)
        if decision is None or (decision.action == "allow" and not group.trusted):
            continue
        if access.rule_scope != "deny_only" or decision.action == "deny":
            decisions.append(decision)
    return decisions


def _find_first_match(
    group: RuleGroup, access: Access, *, ignore_case: bool
) -> AccessDecision | None:
    """Return the decision of the first rule that matches.

    An allow matches only the target itself, and outside the workspace only with an absolute
    pattern. Ask and deny match every spelling of the target.
    """
    target = access.target
    texts = (target, *access.other_spellings)
    is_inside = access.category not in PATH_CATEGORIES or (
        access.is_in_workspace and not target.startswith("/")
    )
    folded_texts = None
    for rule, decision in group.select_rules(texts):
        if rule.is_allow:
            if (is_inside or rule.is_absolute) and rule.match(target):
                return decision
            continue
        if ignore_case and folded_texts is None:
            folded_texts = tuple(map(fold_case, texts))
        if rule.has_ask_or_deny_match(texts, folded_texts):
            return decision
    return None


def _decide_by_defaults(
    access: Access, rule_scope: RuleScope, rule_index: RuleIndex, chain_index: int
) -> AccessDecision:
    """Decide an access that no rule source matches; the built-in defaults never deny."""
    decision = _find_default(access, rule_index) if rule_scope != "deny_only" else None
    if decision is None or (rule_scope == "ask_or_deny" and decision.action != "ask"):
        return _decide_unmatched(access, rule_scope, rule_index, chain_index)
    return decision


def _decide_unmatched(
    access: Access, rule_scope: RuleScope, rule_index: RuleIndex, chain_index: int
) -> AccessDecision:
    """Decide an access that neither a rule source nor a default matches."""
    if rule_scope != "all":
        return NO_OBJECTION
    if access.required_reads is not None and rule_index.policy.defaults:
        return _decide_read_only_command(access, access.required_reads, rule_index, chain_index)
    return AccessDecision("ask", _describe_unmatched(access), by_default=True)


def _find_default(access: Access, rule_index: RuleIndex) -> AccessDecision | None:
    """Apply the defaults. Added folders are treated like the workspace, and case is ignored."""
    group = rule_index.default_groups.get(access.permission)
    if group is None:
        return None
    added_folders = rule_index.policy.added_directories
    if not added_folders:
        return _find_first_match(group, access, ignore_case=True)
    target = access.target
    folder = next((added for added in added_folders if target.startswith(f"{added}/")), None)
    if folder is not None:
        access = access._replace(target=target[len(folder) + 1 :])
    elif target in added_folders:
        access = access._replace(target=".")
    return _find_first_match(group, access, ignore_case=True)


def _decide_read_only_command(
    access: Access, reads: tuple[Access, ...], rule_index: RuleIndex, chain_index: int
) -> AccessDecision:
    """Allow a read-only command if this agent may read everything that it reads."""
    if access.requires_trust and not rule_index.policy.trusted:
        return AccessDecision(
            "ask",
            "it may run programs that this folder's settings name, and the folder is not trusted; "
            "start greenroom with --trust to trust it",
        )
    for read in reads:
        decisions = _evaluate_sources(read, rule_index, chain_index)
        if decisions:
            decision = find_strictest(decisions)
        else:
            decision = _decide_by_defaults(read, "all", rule_index, chain_index)
        if decision.action != "allow" or read.ask_reason:
            reason = read.ask_reason or f"it reads {read.target}, and {decision.reason}"
            return AccessDecision(
                "ask", reason, rule=decision.rule, source=decision.source, by_default=True
            )
    return _READ_ONLY_COMMAND


def _describe_unmatched(access: Access) -> str:
    if access.project_program:
        return (
            f"PATH leads to {access.project_program}, which may be the project's own program; "
            "remove relative and project folders from PATH"
        )
    if access.category in PATH_CATEGORIES and not access.is_in_workspace:
        return f"{access.target} is outside the workspace"
    if access.category == "change":
        return f"it writes to {access.target}"
    return NOT_ALLOWED_REASON
