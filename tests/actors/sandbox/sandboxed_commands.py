"""Run commands in the sandbox of a workspace."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.paths.resolve import WorkspacePaths
from actors.sandbox.policy import Confinement, SandboxSettings
from actors.sandbox.sandbox import Sandbox
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.local_command_runner import LocalCommandRunner
from messages.policy import WorkspaceAccess

TIMEOUT_S = 20.0


@dataclass
class SandboxedCommands:
    """Runs commands as a session in `workspace` would."""

    workspace: Path
    home: Path
    state: Path
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: SandboxSettings = field(default_factory=SandboxSettings)
    protected: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        environment = {**os.environ, "HOME": str(self.home), **self.variables}
        root = str(self.workspace)
        paths = WorkspacePaths(root, root, home=str(self.home))
        self.sandbox = Sandbox(paths, self.settings, self.state, environment, self.protected)
        self.runner = LocalCommandRunner(environment, sandbox=self.sandbox)

    def run(self, script: str, access: WorkspaceAccess | None = "writable") -> CommandResult:
        """Run a script in the sandbox, or without one if `access` is None."""
        return self.run_confined(script, Confinement(access=access) if access else None)

    def run_confined(self, script: str, confinement: Confinement | None) -> CommandResult:
        """Run a script in exactly this sandbox."""
        running = self.runner.run(
            script, self.workspace, TIMEOUT_S, OutputTarget(self.state), confinement
        )
        return asyncio.run(running)
