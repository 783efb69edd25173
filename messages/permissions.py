"""Requests to the permission engine, and its answers."""

from typing import Literal

from messages.address import Address
from messages.base import Message, Value
from messages.policy import (
    Action,
    CommandSandbox,
    FileReadPolicy,
    GrantScope,
    PermissionMode,
    PermissionProfile,
    PermissionRequest,
    Policy,
    Rule,
    RuleSource,
    SessionMode,
    WorkspaceAccess,
)


class RegisterAgent(Message):
    """Register an agent before it starts, or replace its profile.

    The parent of a subagent must already be registered. An unknown agent is denied everything.
    """

    type: Literal["register_agent"] = "register_agent"
    agent: Address
    profile: PermissionProfile


class EvaluatePermission(Message):
    """Evaluate one tool call; answered by `PermissionDecision`."""

    notify_undelivered = True
    type: Literal["evaluate_permission"] = "evaluate_permission"
    id: str
    agent: Address
    """The agent whose call is evaluated, which may differ from the sender."""
    requests: tuple[PermissionRequest, ...]
    """The requests as planned by the tool; the engine splits commands into parts."""
    workspace_access: WorkspaceAccess = "read-only"
    """What the model says that a command needs; it matters only where there is a sandbox."""


class PermissionDecision(Message):
    """The strictest action of all requests of a call, and what decided it."""

    type: Literal["permission_decision"] = "permission_decision"
    id: str
    action: Action
    reason: str
    """The rule and source that decided; shown to the user."""
    policy_version: int
    """Counts changes of rules, grants, mode and trust; a decision is valid for its version."""
    rule: Rule | None = None
    """The rule that decided, if one did."""
    source: str = ""
    """The rule's source, or what else decided, such as `mode yolo`."""
    grants: tuple[Rule, ...] = ()
    """The exact rules the user may store, one per part that asks; empty: only once or no."""
    broader_grants: tuple[Rule, ...] = ()
    """Rules for command prefixes that the user may store instead; empty: none."""
    resolved_requests: tuple[PermissionRequest, ...] = ()
    """The requests after analysis: a command's parts and files, with paths resolved."""
    changes_nothing: bool = False
    """The call is known to only read, whatever the rules say about it."""
    sandbox: CommandSandbox | None = None
    """For a command: the sandbox that it runs in if it is allowed or approved; None: none."""
    read_policy: FileReadPolicy | None = None
    """For `glob` and `grep`: the rules for each file that they open."""


class EvaluatedRequest(Value):
    """One request of a call, and the decision on it."""

    request: PermissionRequest
    action: Action
    reason: str


class StoreGrant(Message):
    """Store rules that the user granted; answered by `GrantStored` or `StoreGrantFailed`."""

    notify_undelivered = True
    type: Literal["store_grant"] = "store_grant"
    id: str
    rules: tuple[Rule, ...]
    scope: GrantScope = "session"


class GrantStored(Message):
    """The grant is on disk and in effect."""

    type: Literal["grant_stored"] = "grant_stored"
    id: str
    policy_version: int


class StoreGrantFailed(Message):
    """The grant could not be stored, so the decision is for the current call only."""

    type: Literal["store_grant_failed"] = "store_grant_failed"
    id: str
    detail: str


class RevokeGrant(Message):
    """Revoke a grant, effective at once; answered by `GrantRevoked` or `RevokeGrantFailed`."""

    notify_undelivered = True
    type: Literal["revoke_grant"] = "revoke_grant"
    rule: Rule
    scope: GrantScope


class GrantRevoked(Message):
    """The grant is revoked and removed from disk."""

    type: Literal["grant_revoked"] = "grant_revoked"
    rule: Rule
    scope: GrantScope
    policy_version: int


class RevokeGrantFailed(Message):
    """The grant is revoked for this run, but could not be removed from disk."""

    type: Literal["revoke_grant_failed"] = "revoke_grant_failed"
    rule: Rule
    scope: GrantScope
    detail: str


class ChangeMode(Message):
    """Change the session's mode; answered by `ModeChanged` or `ChangeModeFailed`."""

    notify_undelivered = True
    type: Literal["change_mode"] = "change_mode"
    mode: SessionMode


class ModeChanged(Message):
    """The mode is on disk and in effect."""

    type: Literal["mode_changed"] = "mode_changed"
    mode: SessionMode
    policy_version: int


class ChangeModeFailed(Message):
    """The mode could not be saved; only a stricter one is in effect for this run."""

    type: Literal["change_mode_failed"] = "change_mode_failed"
    mode: SessionMode
    detail: str
    in_effect: bool = False
    """The mode is in effect for this run."""


class ReplaceRules(Message):
    """Use these rules from now on; answered by `RulesReplaced` or `ReplaceRulesFailed`.

    The sender has read the files. If a file is invalid, nothing is sent and the old rules stay.
    """

    notify_undelivered = True
    type: Literal["replace_rules"] = "replace_rules"
    sources: tuple[RuleSource, ...]
    trusted: bool
    protected_paths: tuple[str, ...] | None = ()
    """As in `Policy`, with the current targets of links and hooks."""


class RulesReplaced(Message):
    """The rules are on disk and in effect."""

    type: Literal["rules_replaced"] = "rules_replaced"
    policy_version: int


class ReplaceRulesFailed(Message):
    """The rules could not be saved; the old rules stay in effect."""

    type: Literal["replace_rules_failed"] = "replace_rules_failed"
    detail: str


class PolicyChanged(Message):
    """The policy changed; parked requests must be evaluated again."""

    type: Literal["policy_changed"] = "policy_changed"
    policy_version: int


class ExplainLastDecision(Message):
    """Ask how the most recent call was decided; answered by `DecisionExplained`."""

    type: Literal["explain_last_decision"] = "explain_last_decision"


class DecisionExplained(Message):
    """How the most recent call was decided; the decision is None if there was no call."""

    type: Literal["decision_explained"] = "decision_explained"
    agent: Address | None = None
    decision: PermissionDecision | None = None
    evaluated_requests: tuple[EvaluatedRequest, ...] = ()


class GetPolicy(Message):
    """Ask for the current policy; answered by `PolicySnapshot`."""

    type: Literal["get_policy"] = "get_policy"


class PolicySnapshot(Message):
    """The current policy."""

    type: Literal["policy_snapshot"] = "policy_snapshot"
    policy: Policy


class SessionSettings(Message):
    """Recorded: the session's complete settings; the last record applies."""

    type: Literal["session_settings"] = "session_settings"
    mode: PermissionMode = "default"
    grants: tuple[Rule, ...] = ()
    replaced_rules: ReplaceRules | None = None
    """Rules that were reloaded in this run; a later run reads the files itself."""
