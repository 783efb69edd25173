"""May this run? Asked of the permission engine, the only one who says allow, ask or deny."""

from typing import Literal

from messages.address import Address
from messages.base import Message
from messages.rules import (
    Action,
    PermissionRequest,
    Policy,
    Profile,
    ReadRules,
    Rule,
    Source,
)


class RegisterAgent(Message):
    """Make an agent known before it starts; an unknown asker is denied.

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
    """The exact rules a person may store for this session; empty: once or no."""
    parts: tuple[PermissionRequest, ...] = ()
    """What the call came to, with paths resolved: a command's parts and files."""
    reads: ReadRules | None = None
    """For `glob` and `grep`: what each file that they open is judged by."""


class CallJudged(Message):
    """What came of a query; the engine's own word to itself, on the way to whoever asked."""

    type: Literal["call_judged"] = "call_judged"
    ticket: int
    verdict: PermissionVerdict


class StoreGrant(Message):
    """Keep rules a person granted; answered by `GrantStored` or `GrantNotStored`."""

    bounces = True
    type: Literal["store_grant"] = "store_grant"
    id: str
    rules: tuple[Rule, ...]


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
    grants: tuple[Rule, ...] = ()
    loaded: LoadRules | None = None
    """Rules that were read anew in this run; a later run reads the files itself."""
