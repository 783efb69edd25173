"""What rules are made of: plain values, so that a rule can be judged without anything else loaded.

They are parts of messages; `messages/permissions.py` has the messages themselves.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Action = Literal["allow", "ask", "deny"]
PermissionMode = Literal["plan", "default", "auto-edit", "yolo"]
"""From strict to loose."""
SessionMode = Literal["default", "auto-edit", "yolo"]
"""What a session may be set to; to plan is to work as another agent."""
GrantScope = Literal["session", "project"]

_CLOSED: dict[str, Any] = {"extra": "forbid"}
"""For pydantic: unknown fields are refused, as in every other value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of policy; in a pattern `*` is any run of characters and nothing else is special."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    permission: str
    pattern: str
    action: Action
    agent: str | None = None
    """Only for agents of this definition; None: for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """One thing that a call would do, such as `("write", "src/app.py")`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    permission: str
    target: str
    """A path inside the workspace is relative to its root, any other absolute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSource:
    """Rules from one place; the last that matches speaks for it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    name: str
    """As a person reads it, such as `user rules, ~/.config/greenroom/config.toml`."""
    rules: tuple[Rule, ...] = ()
    trusted: bool = True
    """False: where it would allow it says nothing, so that it can only tighten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionProfile:
    """What an agent's definition says about its rights; its children stand under it too."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    agent: str
    """The definition's name."""
    rules: RuleSource | None = None
    tools: tuple[str, ...] = ("*",)
    """Names of the tools it may use; `*` as in patterns."""
    disallowed_tools: tuple[str, ...] = ()
    """Names of those that it may not, all the same."""
    delegates: tuple[str, ...] = ()
    """Tools that those below it may use though it may not; user's own definitions only."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that it may work in, whatever the session's is."""
    read_only: bool = False
    from_project: bool = False
    """A file of the project made it: where it would loosen it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All that a verdict depends on beside the asker's own chain."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    mode: PermissionMode = "default"
    sources: tuple[RuleSource, ...] = ()
    """The user's and the project's files."""
    defaults: tuple[Rule, ...] = ()
    """Heard where no source speaks; empty: everything that no rule speaks of asks."""
    grants: tuple[Rule, ...] = ()
    """What a person answered with "don't ask again" in this session."""
    project_grants: tuple[Rule, ...] = ()
    """The same for every session of this workspace."""
    added_directories: tuple[str, ...] = ()
    """Folders that count as inside beside the workspace, absolute."""
    protected_paths: tuple[str, ...] | None = ()
    """Protected targets beside those known by name; None: nothing is protected."""
    trusted: bool = False
    """The user trusts what the workspace's own git configuration may start."""
    policy_version: int = 1
    """Counts changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReadPolicy:
    """What decides whether an agent may read a file: for tools that open many."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    policy: Policy
    profile_chain: tuple[PermissionProfile, ...]
    """The asker's own profile, then its parent's, up to the primary's."""
