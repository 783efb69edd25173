"""The values that permission rules consist of.

They are plain dataclasses, so that `permissions check` can evaluate rules without loading pydantic.
The messages that contain them are in `messages/permissions.py`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Action = Literal["allow", "ask", "deny"]
PermissionMode = Literal["plan", "default", "auto-edit", "yolo"]
"""Ordered from strictest to loosest."""
SessionMode = Literal["default", "auto-edit", "yolo"]
"""Modes that a session can be set to; plan mode is entered by switching to the `plan` agent."""
GrantScope = Literal["session", "project"]
ToolCategory = Literal["read", "search", "change", "command", "internal", "ask", "external"]
"""What a tool works on; decides how its calls are evaluated.

read, change: one file or folder · search: the files below a folder · command: runs programs ·
internal: only the session itself · ask: the user, so only the user can decide it · external: a
service that is not known, such as an MCP server.
"""

WorkspaceAccess = Literal["read-only", "writable"]
"""What a sandboxed command can do with the workspace."""

_CLOSED: dict[str, Any] = {"extra": "forbid"}
"""Pydantic configuration: extra fields are rejected, as in every other value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One permission rule. In a pattern, `*` matches any text; paths are normalized first."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    permission: str
    """A permission, or a pattern such as `mcp__git__*`."""
    pattern: str
    action: Action
    agent: str | None = None
    """The definition that the rule applies to; None: all agents."""
    executed_digest: str = ""
    """For a grant: digest of the files that the command executes; it applies only to these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """One thing that a tool call would do, such as `("write", "src/app.py")`."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    permission: str
    target: str
    """A path inside the workspace is relative to its root; any other path is absolute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSandbox:
    """The sandbox that a command was allowed or approved to run in."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    access: WorkspaceAccess
    hidden_files: tuple[str, ...] = ()
    """Absolute paths of files that read rules guard; the command cannot read them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDeclaration:
    """The properties of a tool that rules and decisions depend on."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    name: str
    """Also the name of its permission."""
    category: ToolCategory
    default_action: Action
    """Applied where no rule source matches; never `deny`."""
    reads_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSource:
    """Rules from one file or definition; the last match decides for the source."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    name: str
    """Shown to the user, such as `user rules, ~/.config/greenroom/config.toml`."""
    rules: tuple[Rule, ...] = ()
    trusted: bool = True
    """False: its allow rules are ignored, so it can only restrict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionProfile:
    """An agent's rights according to its definition; they also limit its descendants."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    agent: str
    """The definition's name."""
    rules: RuleSource | None = None
    tools: tuple[str, ...] = ("*",)
    """Names of the tools that the agent may use; `*` as in patterns."""
    disallowed_tools: tuple[str, ...] = ()
    """Exceptions from `tools`."""
    delegates: tuple[str, ...] = ()
    """Tools that its descendants may use but it may not; only in the user's own definitions."""
    max_mode: PermissionMode = "yolo"
    """The loosest mode that the agent may use, regardless of the session's mode."""
    read_only: bool = False
    from_project: bool = False
    """The definition comes from the project, so it can only restrict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything that a decision depends on, except the requesting agent's profile chain."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    mode: PermissionMode = "default"
    sources: tuple[RuleSource, ...] = ()
    """The user's and the project's rules."""
    tools: tuple[ToolDeclaration, ...] = ()
    """The tools that calls and rules may name; any other one is external."""
    defaults: tuple[Rule, ...] = ()
    """Applied where no rule source matches; empty: everything without a matching rule asks."""
    grants: tuple[Rule, ...] = ()
    """Rules that the user granted for this session with "don't ask again"."""
    project_grants: tuple[Rule, ...] = ()
    """Rules that the user granted for every session of this workspace."""
    workspace_root: str = ""
    """Absolute, with links resolved; path patterns are relative to it. Empty: unknown."""
    home: str = ""
    """The home directory that `~` in path patterns means, with links resolved. Empty: unknown."""
    added_directories: tuple[str, ...] = ()
    """Absolute paths of additional directories that are treated as part of the workspace."""
    protected_paths: tuple[str, ...] | None = ()
    """Protected targets in addition to the built-in names; None: nothing is protected."""
    trusted: bool = False
    """The user trusts the workspace, including programs that its git configuration starts."""
    policy_version: int = 1
    """Incremented by every policy change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReadPolicy:
    """The rules for reading files, for tools that open many files in one call."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED

    policy: Policy
    profile_chain: tuple[PermissionProfile, ...]
    """The requesting agent's profile, then its parent's, up to the primary's."""
