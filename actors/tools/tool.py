"""The tool interface: a plan without side effects, and a run that does exactly what was planned."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict

from actors.paths.workspace import Workspace
from actors.tools.command_runner import CommandRunner
from actors.tools.subagent_types import NO_SUBAGENTS, ExistingSubagent, SpawnOptions
from messages.policy import CommandSandbox, FileReadPolicy, Policy, ToolDeclaration
from messages.tool_calls import CallPlan, FileDigest, ToolOutput


class ToolError(Exception):
    """An error for the model to read in place of a result; any other exception is our bug."""


class UnreadFileError(ToolError):
    """A `ToolError` whose text reveals the content of a file that the agent has not read yet."""

    def __init__(self, detail: str, plan: CallPlan) -> None:
        """Create the error; `plan` has `detail` as its rejection."""
        super().__init__(detail)
        self.plan = plan


class TargetChangedError(Exception):
    """The target is no longer what the plan was made from."""


class Arguments(BaseModel):
    """Arguments as the model sends them: strict types, no unknown fields.

    A `validation_alias` accepts the names that other coding agents use; the schema has only the
    first one.
    """

    # Built on first use, because startup needs none of them.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


A = TypeVar("A", bound=Arguments)


PATH_FORMS = "relative to the working directory, absolute, or starting with ~/"
"""The kinds of path that a path argument takes, for its description."""
FILE_PATH_NAMES = AliasChoices("path", "file_path", "filePath", "absolute_path", "target_file")
DIRECTORY_PATH_NAMES = AliasChoices("path", "dir_path", "directory", "file_path")
DENY_ALL_READS = FileReadPolicy(policy=Policy(), profile_chain=())


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The ports and values that a tool may use."""

    workspace: Workspace
    observed_files: Mapping[str, FileDigest]
    """Files as this agent last saw them, by absolute path."""
    command_runner: CommandRunner
    output_folder: Path
    """Folder for output that is too long for the model; created on first use."""
    help_text: Callable[[str | None], str]
    """Returns a topic of Greenroom's documentation; None: the overview."""
    read_policy: FileReadPolicy = DENY_ALL_READS
    """Policy for files that a tool opens in addition to the ones in its plan."""
    sandbox: CommandSandbox | None = None
    """The sandbox that this call's command must run in; None: none."""
    spawn_options: SpawnOptions = NO_SUBAGENTS
    """The subagent types that this agent may start."""
    existing_subagents: Mapping[str, ExistingSubagent] = field(
        default_factory=dict[str, ExistingSubagent]
    )
    """The subagents that this agent has started, by `task_id`."""
    plan_file: Path = Path()
    """This session's plan file, absolute."""
    on_output: Callable[[str], None] | None = None
    """Receives the end of a running command's output; None: nobody watches it."""
    ripgrep_path: str | None = None
    """The `rg` program; None: use the built-in search."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool: `plan` resolves every target, and `run` does no more than the plan says.

    Both raise `ToolError` for the model to read. `run` raises `TargetChangedError` when a target is
    no longer what the plan was made from.
    """

    declaration: ToolDeclaration
    """From `tool_list`: name, category, default action, and whether it only reads."""
    description: str
    """For the model; limits and units are built from the constants that the code uses."""
    arguments: type[A]
    plan: Callable[[A, ToolContext], Awaitable[CallPlan]]
    run: Callable[[A, CallPlan, ToolContext], Awaitable[ToolOutput]]

    @property
    def name(self) -> str:
        """What the model calls; also the permission that rules name."""
        return self.declaration.name

    @property
    def reads_only(self) -> bool:
        """Whether calls change nothing and therefore run in parallel.

        Any other call waits for those before it and blocks those after it.
        """
        return self.declaration.reads_only


AnyTool = Tool[Any]
