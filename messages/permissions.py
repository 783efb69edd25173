"""May this run? Asked of the permission engine, the only one who says allow, ask or deny."""

from typing import Literal

from messages.address import Address
from messages.base import Message, Value
from messages.policy import (
    Action,
    FileReadPolicy,
    GrantScope,
    PermissionMode,
    PermissionProfile,
    PermissionRequest,
    Policy,
    Rule,
    RuleSource,
    SessionMode,
)


class RegisterAgent(Message):
    """Make an agent known before it starts, or say what it works by now; an unknown one is denied.

    Its parent, unless it is the primary, is known already: the rights of both count.
    """

    type: Literal["register_agent"] = "register_agent"
    agent: Address
    profile: PermissionProfile


class EvaluatePermission(Message):
    """Judge one call; answered by `PermissionDecision` to its sender."""

    notify_undelivered = True
    type: Literal["evaluate_permission"] = "evaluate_permission"
    id: str
    agent: Address
    """On whose behalf; it counts, not the sender."""
    requests: tuple[PermissionRequest, ...]
    """As the tool knows them; the engine finds the parts of a command itself."""


class PermissionDecision(Message):
    """The strictest action over all that a call would do, and what decided it."""

    type: Literal["permission_decision"] = "permission_decision"
    id: str
    action: Action
    reason: str
    """The rule and the source that decided, as a person reads it."""
    policy_version: int
    """Counts changes of rules, grants, mode and trust; a verdict holds for its own generation."""
    rule: Rule | None = None
    """The rule that decided, where one did."""
    source: str = ""
    """Where that rule stands, or what else decided, such as `mode yolo`."""
    grants: tuple[Rule, ...] = ()
    """The exact rules a person may store, one for each part that asks; empty: once or no."""
    broader_grants: tuple[Rule, ...] = ()
    """The same by the beginnings of commands; empty: there are none that could be offered."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """What the call came to, with paths resolved: a command's parts and files."""
    read_policy: FileReadPolicy | None = None
    """For `glob` and `grep`: what each file that they open is judged by."""


class EvaluatedRequest(Value):
    """One thing that a call would do, and what was decided of it."""

    request: PermissionRequest
    action: Action
    reason: str


class StoreGrant(Message):
    """Keep rules a person granted; answered by `GrantStored` or `StoreGrantFailed`."""

    notify_undelivered = True
    type: Literal["store_grant"] = "store_grant"
    id: str
    rules: tuple[Rule, ...]
    scope: GrantScope = "session"


class GrantStored(Message):
    """The rules are on disk and in force."""

    type: Literal["grant_stored"] = "grant_stored"
    id: str
    policy_version: int


class StoreGrantFailed(Message):
    """The rules could not be kept; the call at hand counts as allowed once."""

    type: Literal["store_grant_failed"] = "store_grant_failed"
    id: str
    detail: str


class RevokeGrant(Message):
    """Take a grant back; acts at once; answered by `GrantRevoked` or `RevokeGrantFailed`."""

    notify_undelivered = True
    type: Literal["revoke_grant"] = "revoke_grant"
    rule: Rule
    scope: GrantScope


class GrantRevoked(Message):
    """The grant is gone, from the disk too."""

    type: Literal["grant_revoked"] = "grant_revoked"
    rule: Rule
    scope: GrantScope
    policy_version: int


class RevokeGrantFailed(Message):
    """This run goes without the grant, but it could not be taken off the disk."""

    type: Literal["revoke_grant_failed"] = "revoke_grant_failed"
    rule: Rule
    scope: GrantScope
    detail: str


class ChangeMode(Message):
    """Work in another mode; answered by `ModeChanged` or `ChangeModeFailed` to its sender."""

    notify_undelivered = True
    type: Literal["change_mode"] = "change_mode"
    mode: SessionMode


class ModeChanged(Message):
    """The mode is on disk and in force."""

    type: Literal["mode_changed"] = "mode_changed"
    mode: SessionMode
    policy_version: int


class ChangeModeFailed(Message):
    """The mode could not be kept; a looser one does not hold, a stricter one does in this run."""

    type: Literal["change_mode_failed"] = "change_mode_failed"
    mode: SessionMode
    detail: str
    in_effect: bool = False
    """It is at work in this run all the same."""


class ReplaceRules(Message):
    """Go by these rules from now on; answered by `RulesReplaced` or `ReplaceRulesFailed` to its sender.

    Who sends it has read the files; when one is broken it is not sent, and the old rules stay.
    """

    notify_undelivered = True
    type: Literal["replace_rules"] = "replace_rules"
    sources: tuple[RuleSource, ...]
    trusted: bool
    protected_paths: tuple[str, ...] | None = ()
    """As in `Policy`: where links and hooks lead now."""


class RulesReplaced(Message):
    """The rules are on disk and in force."""

    type: Literal["rules_replaced"] = "rules_replaced"
    policy_version: int


class ReplaceRulesFailed(Message):
    """The old rules stay."""

    type: Literal["replace_rules_failed"] = "replace_rules_failed"
    detail: str


class PolicyChanged(Message):
    """What waits for a person may be decided otherwise now: have it judged anew."""

    type: Literal["policy_changed"] = "policy_changed"
    policy_version: int


class ExplainLastDecision(Message):
    """Tell how the last call of an agent was decided; answered by `DecisionExplained` to its sender."""

    type: Literal["explain_last_decision"] = "explain_last_decision"


class DecisionExplained(Message):
    """How the last call was decided; no verdict: there was no call."""

    type: Literal["decision_explained"] = "decision_explained"
    agent: Address | None = None
    decision: PermissionDecision | None = None
    evaluated_requests: tuple[EvaluatedRequest, ...] = ()


class GetPolicy(Message):
    """Tell what verdicts go by; answered by `PolicySnapshot` to its sender."""

    type: Literal["get_policy"] = "get_policy"


class PolicySnapshot(Message):
    """What verdicts go by now."""

    type: Literal["policy_snapshot"] = "policy_snapshot"
    policy: Policy


class SessionSettings(Message):
    """What a session keeps beside its conversation; whole each time, the last one counts."""

    type: Literal["session_settings"] = "session_settings"
    mode: PermissionMode = "default"
    grants: tuple[Rule, ...] = ()
    replaced_rules: ReplaceRules | None = None
    """Rules that were read anew in this run; a later run reads the files itself."""
