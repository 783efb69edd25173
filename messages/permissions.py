"""May this run? Asked of the permission engine, the only one who says allow, ask or deny."""

from typing import Literal

from messages.address import Address
from messages.base import Message, Value

Action = Literal["allow", "ask", "deny"]
PermissionMode = Literal["default", "auto-edit", "yolo"]


class Rule(Value):
    """One line of policy; in a pattern `*` is any run of characters and nothing else is special."""

    permission: str
    pattern: str
    action: Action


class PermissionRequest(Value):
    """One thing that a call would do, such as `("write", "src/app.py")`."""

    permission: str
    target: str
    """A path inside the workspace is relative to its root, any other absolute."""


class RegisterAgent(Message):
    """Make an agent known before it starts; an unknown asker is denied."""

    type: Literal["register_agent"] = "register_agent"
    agent: Address


class PermissionQuery(Message):
    """Judge one call; answered by `PermissionVerdict` to its sender."""

    bounces = True
    type: Literal["permission_query"] = "permission_query"
    id: str
    agent: Address
    """On whose behalf; it counts, not the sender."""
    requests: tuple[PermissionRequest, ...]


class PermissionVerdict(Message):
    """The strictest action over all requests of a query, and what decided it."""

    type: Literal["permission_verdict"] = "permission_verdict"
    id: str
    action: Action
    reason: str
    """The rule and the source that decided, as a person reads it."""
    generation: int
    """Counts changes of rules, grants and mode; a verdict holds for its own generation."""
    grants: tuple[Rule, ...] = ()
    """The exact rules a person may store for this session; empty: once or no."""


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


class Config(Message):
    """What a session keeps beside its conversation; whole each time, the last one counts."""

    type: Literal["config"] = "config"
    grants: tuple[Rule, ...] = ()
