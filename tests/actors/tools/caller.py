"""Calls tools as an agent does: plan, then run, and remember what was seen."""

import asyncio
from pathlib import Path

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.tools.local_processes import LocalProcesses
from actors.tools.tool import ToolContext, ToolError, UnreadFileError
from actors.tools.toolbox import find
from actors.tools.workspace import Workspace
from messages.rules import FileReadPolicy, PermissionProfile, Policy
from messages.tools import CallPlan, FileDigest, ToolOutput


class Caller:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.seen: dict[str, FileDigest] = {}
        self.context = ToolContext(
            workspace=Workspace(root=self.root, cwd=self.root),
            observed_files=self.seen,
            processes=LocalProcesses(),
            outputs=folder / "state" / "outputs",
            manual=lambda: "the manual",
            read_policy=FileReadPolicy(
                policy=Policy(defaults=BUILT_IN), chain=(PermissionProfile(agent="build"),)
            ),
        )

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def names(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir())

    def plan(self, name: str, **arguments: object) -> CallPlan:
        return asyncio.run(self.planning(name, **arguments))

    async def planning(self, name: str, **arguments: object) -> CallPlan:
        tool = find(name)
        assert tool is not None
        return await tool.plan(tool.arguments(**arguments), self.context)

    def planned_or_peeked(self, name: str, **arguments: object) -> str:
        """Tell which unread file a plan, or the refusal of one, depends on."""
        try:
            return self.plan(name, **arguments).unread_file
        except UnreadFileError as error:
            return error.plan.unread_file
        except ToolError:
            return ""

    def run(self, name: str, plan: CallPlan, **arguments: object) -> ToolOutput:
        return asyncio.run(self.running(name, plan, **arguments))

    async def running(self, name: str, plan: CallPlan, **arguments: object) -> ToolOutput:
        tool = find(name)
        assert tool is not None
        output = await tool.run(tool.arguments(**arguments), plan, self.context)
        self.seen.update({state.path: state for state in output.observed_files})
        return output

    def call(self, name: str, **arguments: object) -> str:
        return self.run(name, self.plan(name, **arguments), **arguments).text

    def refusal(self, name: str, **arguments: object) -> str:
        with pytest.raises(ToolError) as caught:
            self.call(name, **arguments)
        return str(caught.value)


def is_gone(pid: int) -> bool:
    """Whether the process is dead, reaped or not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True
    return status.rpartition(")")[2].split()[0] in {"Z", "X"}
