"""May this run? Asked of the permission engine, the only one who says allow, ask or deny."""

from typing import Literal

from messages.address import Address
from messages.base import Message, Value
from messages.rules import (
    Action,
    GrantScope,
    PermissionMode,
    PermissionRequest,
    Policy,
    Profile,
    ReadRules,
    Rule,
    SessionMode,
    Source,
)


class RegisterAgent(Message):
    """Make an agent known before it starts, or say what it works by now; an unknown one is denied.

    Its parent, unless it is the primary, is known already: the rights of both count.
    """

    type: Literal["register_agent"] = "register_agent"
    agent: Address
    profile: Profile


class PermissionQuery(Message):
    """Judge one call; answered by `PermissionVerdict` to its sender."""

    bounces = True
    type: Literal["permission_query"] = "permission_query"
    id: str
    agent: Address
    """On whose behalf; it counts, not the sender."""
    requests: tuple[PermissionRequest, ...]
    """As the tool knows them; the engine finds the parts of a command itself."""


class PermissionVerdict(Message):
    """The strictest action over all that a call would do, and what decided it."""

    type: Literal["permission_verdict"] = "permission_verdict"
    id: str
    action: Action
    reason: str
    """The rule and the source that decided, as a person reads it."""
    generation: int
    """Counts changes of rules, grants, mode and trust; a verdict holds for its own generation."""
    rule: Rule | None = None
    """The rule that decided, where one did."""
    source: str = ""
    """Where that rule stands, or what else decided, such as `mode yolo`."""
    grants: tuple[Rule, ...] = ()
    """The exact rules a person may store, one for each part that asks; empty: once or no."""
    wider: tuple[Rule, ...] = ()
    """The same by the beginnings of commands; empty: there are none that could be offered."""
    parts: tuple[PermissionRequest, ...] = ()
    """What the call came to, with paths resolved: a command's parts and files."""
    reads: ReadRules | None = None
    """For `glob` and `grep`: what each file that they open is judged by."""


class JudgedPart(Value):
    """One thing that a call would do, and what was decided of it."""

    request: PermissionRequest
    action: Action
    reason: str


class CallJudged(Message):
    """What came of a query; the engine's own word to itself, on the way to whoever asked."""

    type: Literal["call_judged"] = "call_judged"
    ticket: int
    verdict: PermissionVerdict
    parts: tuple[JudgedPart, ...] = ()


class StoreGrant(Message):
    """Keep rules a person granted; answered by `GrantStored` or `GrantNotStored`."""

    bounces = True
    type: Literal["store_grant"] = "store_grant"
    id: str
    rules: tuple[Rule, ...]
    scope: GrantScope = "session"


class GrantStored(Message):
    """The rules are on disk and in force."""

    type: Literal["grant_stored"] = "grant_stored"
    id: str
    generation: int


class GrantNotStored(Message):
    """The rules could not be kept; the call at hand counts as allowed once."""

    type: Literal["grant_not_stored"] = "grant_not_stored"
    id: str
    detail: str


class RevokeGrant(Message):
    """Take a grant back; acts at once; answered by `GrantRevoked` or `GrantNotRevoked`."""

    bounces = True
    type: Literal["revoke_grant"] = "revoke_grant"
    rule: Rule
    scope: GrantScope


class GrantRevoked(Message):
    """The grant is gone, from the disk too."""

    type: Literal["grant_revoked"] = "grant_revoked"
    rule: Rule
    scope: GrantScope
    generation: int


class GrantNotRevoked(Message):
    """This run goes without the grant, but it could not be taken off the disk."""

    type: Literal["grant_not_revoked"] = "grant_not_revoked"
    rule: Rule
    scope: GrantScope
    detail: str


class ProjectGrantsRead(Message):
    """What the store of the project's grants holds; the engine's own word to itself."""

    type: Literal["project_grants_read"] = "project_grants_read"
    rules: tuple[Rule, ...]
    changed: bool = True
    """As a change left them; else as they were found."""


class ProjectGrantsFailed(Message):
    """The store of the project's grants could not be changed; as above."""

    type: Literal["project_grants_failed"] = "project_grants_failed"
    detail: str


class ChangeMode(Message):
    """Work in another mode; answered by `ModeChanged` or `ModeNotChanged` to its sender."""

    bounces = True
    type: Literal["change_mode"] = "change_mode"
    mode: SessionMode


class ModeChanged(Message):
    """The mode is on disk and in force."""

    type: Literal["mode_changed"] = "mode_changed"
    mode: SessionMode
    generation: int


class ModeNotChanged(Message):
    """The mode could not be kept; a looser one does not hold, a stricter one does in this run."""

    type: Literal["mode_not_changed"] = "mode_not_changed"
    mode: SessionMode
    detail: str
    holds: bool = False
    """It is at work in this run all the same."""


class LoadRules(Message):
    """Go by these rules from now on; answered by `RulesLoaded` or `RulesNotLoaded` to its sender.

    Who sends it has read the files; when one is broken it is not sent, and the old rules stay.
    """

    bounces = True
    type: Literal["load_rules"] = "load_rules"
    sources: tuple[Source, ...]
    trusted: bool
    protected: tuple[str, ...] | None = ()
    """As in `Policy`: where links and hooks lead now."""


class RulesLoaded(Message):
    """The rules are on disk and in force."""

    type: Literal["rules_loaded"] = "rules_loaded"
    generation: int


class RulesNotLoaded(Message):
    """The old rules stay."""

    type: Literal["rules_not_loaded"] = "rules_not_loaded"
    detail: str


class PolicyChanged(Message):
    """What waits for a person may be decided otherwise now: have it judged anew."""

    type: Literal["policy_changed"] = "policy_changed"
    generation: int


class ExplainCall(Message):
    """Tell how the last call of an agent was decided; answered by `CallExplained` to its sender."""

    type: Literal["explain_call"] = "explain_call"


class CallExplained(Message):
    """How the last call was decided; no verdict: there was no call."""

    type: Literal["call_explained"] = "call_explained"
    agent: Address | None = None
    verdict: PermissionVerdict | None = None
    parts: tuple[JudgedPart, ...] = ()


class ListPolicy(Message):
    """Tell what verdicts go by; answered by `PolicyListed` to its sender."""

    type: Literal["list_policy"] = "list_policy"


class PolicyListed(Message):
    """What verdicts go by now."""

    type: Literal["policy_listed"] = "policy_listed"
    policy: Policy


class Config(Message):
    """What a session keeps beside its conversation; whole each time, the last one counts."""

    type: Literal["config"] = "config"
    mode: PermissionMode = "default"
    grants: tuple[Rule, ...] = ()
    loaded: LoadRules | None = None
    """Rules that were read anew in this run; a later run reads the files itself."""
