"""An environment for dry runs: a folder in place of a container.

Absolute paths of the container are below the folder, and `uv` is a script that installs a launcher
of this checkout, so a dry run needs no network and changes nothing outside the folder.
"""

import asyncio
import os
import shutil
import sys
from pathlib import Path

from tests.program.program_harness import COMMAND, ROOT

CONTAINER_FOLDERS = ("/installed-agent", "/logs", "/tests")
UV_SCRIPT = """\
#!/bin/sh
test -f "$5/pyproject.toml" || exit 1
mkdir -p "$HOME/.local/bin"
printf '#!/bin/sh\\nexec {command} "$@"\\n' > "$HOME/.local/bin/greenroom"
chmod +x "$HOME/.local/bin/greenroom"
"""
COMMAND_TIMEOUT_S = 25.0


class LocalEnvironment:
    """Runs commands with bash in a workspace folder."""

    def __init__(self, folder: Path) -> None:
        """Create the folders; the workspace is empty."""
        self.folder = folder
        self.workspace = folder / "workspace"
        self.home = folder / "home"
        for path in (self.workspace, self.home / ".local" / "bin", folder / "state"):
            path.mkdir(parents=True)
        uv = self.home / ".local" / "bin" / "uv"
        uv.write_text(UV_SCRIPT.format(command=" ".join(COMMAND)))
        uv.chmod(0o755)

    @property
    def logs(self) -> Path:
        """The folder that Harbor copies to the agent's `logs_dir`."""
        return Path(self._localize("/logs/agent"))

    @property
    def verifier_logs(self) -> Path:
        """The folder in which a check leaves its reward."""
        return Path(self._localize("/logs/verifier"))

    @property
    def tests(self) -> Path:
        """The folder with a task's check, which the agent does not see."""
        return Path(self._localize("/tests"))

    async def upload_file(self, source: Path, target: str) -> None:
        """Copy a file into the environment."""
        shutil.copyfile(source, self._localize(target))

    async def exec(self, command: str, env: dict[str, str] | None = None) -> tuple[int, str]:
        """Run a command or a script of the task; return its exit status and its output."""
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            self._localize(command),
            cwd=self.workspace,
            env=self._build_variables() | (env or {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await asyncio.wait_for(process.communicate(), COMMAND_TIMEOUT_S)
        return process.returncode or 0, output.decode()

    def _build_variables(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.home),
            "GREENROOM_HOME": str(self.folder / "state"),
            "LANG": "C.UTF-8",
        }

    def _localize(self, text: str) -> str:
        for path in CONTAINER_FOLDERS:
            text = text.replace(path, f"{self.folder}/container{path}")
        return text
