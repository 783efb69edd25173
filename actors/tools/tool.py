"""What a tool is: a plan made without touching anything, and a run of exactly that plan."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from actors.paths.workspace import Workspace
from actors.tools.command_runner import CommandRunner
from actors.tools.subagent_types import NO_SUBAGENTS, ExistingSubagent, SpawnOptions
from messages.policy import FileReadPolicy, Policy
from messages.tool_calls import CallPlan, FileDigest, ToolOutput


class ToolError(Exception):
    """What the model should read instead of a result; any other exception is our bug."""


class UnreadFileError(ToolError):
    """As `ToolError`, but what it says comes from a file that the agent has not read yet."""

    def __init__(self, detail: str, plan: CallPlan) -> None:
        """`plan` has the detail as its refusal."""
        super().__init__(detail)
        self.plan = plan


class TargetChangedError(Exception):
    """The target is no longer what the plan was made from."""


class Arguments(BaseModel):
    """Arguments as the model sends them: strict, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


A = TypeVar("A", bound=Arguments)


DENY_ALL_READS = FileReadPolicy(policy=Policy(), profile_chain=())


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The ports and values that a tool may use."""

    workspace: Workspace
    observed_files: Mapping[str, FileDigest]
    """Files as this agent last saw them, by absolute path."""
    command_runner: CommandRunner
    output_folder: Path
    """Folder for whole outputs that are too long for the model; made on first use."""
    help_text: Callable[[str | None], str]
    """Writes out what people are told of Greenroom itself."""
    read_policy: FileReadPolicy = DENY_ALL_READS
    """What each file is judged by that a tool opens beside those it was judged for."""
    spawn_options: SpawnOptions = NO_SUBAGENTS
    """Whom this agent may start."""
    existing_subagents: Mapping[str, ExistingSubagent] = field(
        default_factory=dict[str, ExistingSubagent]
    )
    """Whom it has started, by `task_id`."""
    plan_file: Path = Path()
    """Where this session's plan is written, absolute."""
    ripgrep_path: str | None = None
    """The program that searches files; None: our own does."""


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool; `plan` resolves every target, `run` does no more than the plan says.

    Both raise `ToolError` for what the model should read; `run` raises `TargetChangedError` when the target
    is no longer what was planned on.
    """

    name: str
    description: str
    """For the model; limits and units come from the constants that the code uses."""
    arguments: type[A]
    reads_only: bool
    """Such calls run side by side; a changing one waits for all before it and holds all after."""
    plan: Callable[[A, ToolContext], Awaitable[CallPlan]]
    run: Callable[[A, CallPlan, ToolContext], Awaitable[ToolOutput]]


AnyTool = Tool[Any]
