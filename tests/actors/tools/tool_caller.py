"""Calls tools as an agent does: plan, run, and record the observed files."""

import asyncio
from pathlib import Path

import pytest

from actors.paths.workspace import Workspace
from actors.tools.local_command_runner import LocalCommandRunner
from actors.tools.tool import ToolContext, ToolError, UnreadFileError
from actors.tools.toolbox import find_tool
from messages.policy import FileReadPolicy, PermissionProfile
from messages.tool_calls import CallPlan, FileDigest, ToolOutput
from tests.actors.permissions.decision_helpers import DEFAULT_POLICY


class ToolCaller:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.observed_files: dict[str, FileDigest] = {}
        self.context = ToolContext(
            workspace=Workspace(root=self.root, cwd=self.root),
            observed_files=self.observed_files,
            command_runner=LocalCommandRunner(),
            output_folder=folder / "state" / "outputs",
            help_text=lambda topic: f"text of {topic}",
            read_policy=FileReadPolicy(
                policy=DEFAULT_POLICY,
                profile_chain=(PermissionProfile(agent="build"),),
            ),
        )

    def write_file(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def list_names(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir())

    def plan(self, name: str, **arguments: object) -> CallPlan:
        return asyncio.run(self.plan_async(name, **arguments))

    async def plan_async(self, name: str, **arguments: object) -> CallPlan:
        tool = find_tool(name)
        assert tool is not None
        return await tool.plan(tool.arguments(**arguments), self.context)

    def find_unread_file(self, name: str, **arguments: object) -> str:
        """Return the unread file that the plan depends on, even if the plan is rejected."""
        try:
            return self.plan(name, **arguments).unread_file
        except UnreadFileError as error:
            return error.plan.unread_file
        except ToolError:
            return ""

    def run(self, name: str, plan: CallPlan, **arguments: object) -> ToolOutput:
        return asyncio.run(self.run_async(name, plan, **arguments))

    async def run_async(self, name: str, plan: CallPlan, **arguments: object) -> ToolOutput:
        tool = find_tool(name)
        assert tool is not None
        output = await tool.run(tool.arguments(**arguments), plan, self.context)
        self.observed_files.update({digest.path: digest for digest in output.observed_files})
        return output

    def run_bash(self, command: str, timeout_s: float = 20.0) -> ToolOutput:
        plan = self.plan("bash", command=command, timeout_s=timeout_s)
        return self.run("bash", plan, command=command, timeout_s=timeout_s)

    def call(self, name: str, **arguments: object) -> str:
        return self.run(name, self.plan(name, **arguments), **arguments).text

    def expect_error(self, name: str, **arguments: object) -> str:
        with pytest.raises(ToolError) as caught:
            self.call(name, **arguments)
        return str(caught.value)


def is_gone(pid: int) -> bool:
    """Return whether the process is dead, reaped or not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return status.rpartition(")")[2].split()[0] in {"Z", "X"}
