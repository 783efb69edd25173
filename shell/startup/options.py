"""What the command line asks for, as values.

Imports nothing but `typing`, so that `--version` stays fast.
"""

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:  # importing it would take 2 ms of about 20 for `--version`
    from messages.policy import PermissionMode

OutputFormat = Literal["text", "json", "stream-json"]


ReviewKind = Literal["uncommitted", "base", "commit", "custom"]


class ReviewOptions(NamedTuple):
    """Options of `greenroom review`."""

    kind: ReviewKind = "uncommitted"
    value: str = ""
    """The branch, the commit or the instructions."""
    fail_on: int | None = None
    """Lowest priority of findings that end the run with the exit status 4."""


class LaunchOptions(NamedTuple):
    """Options of a session, with or without a screen."""

    prompt: str | None = None
    demo: bool = False
    headless: bool = False
    output_format: OutputFormat = "text"
    allow_denials: bool = False
    """A run with calls that were denied because no user could be asked is a success."""
    model: str | None = None
    agent: str | None = None
    permission_mode: "PermissionMode | None" = None
    max_turns: int | None = None
    max_depth: int | None = None
    time_limit_s: float | None = None
    continue_last: bool = False
    resume_id: str | None = None
    """Prefix of the id of the session to resume; empty: the user chooses one on the screen."""
    fork_id: str | None = None
    """Prefix of the id of the session to copy."""
    added_folders: tuple[str, ...] = ()
    """Directories outside the workspace root that belong to the workspace."""
    trust_workspace: bool = False
    review: ReviewOptions | None = None
    """Review changes instead of sending a prompt."""
    auto_approve: bool = False
    """The demo answers its own approval requests."""
    keep_folder: bool = False
    """The demo does not remove its repository."""


class SessionsOptions(NamedTuple):
    """Options of `greenroom sessions`."""

    action: Literal["list", "show", "export"] = "list"
    session_id: str = ""
    """Prefix of the session's id."""
    output_format: Literal["markdown", "json"] = "markdown"
    output_file: str | None = None
    """File to export to; None: standard output."""


class CheckOptions(NamedTuple):
    """Options of `greenroom permissions check`."""

    tool: str = ""
    target: str = ""
    agent: str | None = None
    """Agent whose definition applies in addition to the rules; None: `build`, which adds none."""
    ancestor: str | None = None
    """The agent that started it; None: the primary agent, if it can only be a subagent."""
    mode: "PermissionMode" = "default"
    workspace_root: str | None = None
    rules_file: str | None = None
    batch_file: str | None = None
    as_json: bool = False


class AgentsOptions(NamedTuple):
    """Options of `greenroom agents`."""

    as_json: bool = False


class SandboxOptions(NamedTuple):
    """Options of `greenroom sandbox`."""

    command: tuple[str, ...] = ()
    """The command to run in the sandbox; empty: play the attacks."""


class CompletionOptions(NamedTuple):
    """Options of `greenroom completion`."""

    shell: Literal["bash", "zsh", "fish"]


class HelpOptions(NamedTuple):
    """Options of `greenroom help`."""

    topic: str | None = None


CommandLine = (
    LaunchOptions
    | SessionsOptions
    | CheckOptions
    | AgentsOptions
    | SandboxOptions
    | CompletionOptions
    | HelpOptions
)
"""What one command line asks for."""
