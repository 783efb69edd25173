"""Greenroom as an agent of Harbor, the evaluation harness that runs Terminal-Bench.

Harbor imports this module (`--agent-import-path tests.harbor.harbor_agent:GreenroomAgent`); nothing
else does, so Harbor is no dependency of Greenroom. See README.md in this folder.
"""

import json
import os
import shlex
import tarfile
import tempfile
from pathlib import Path
from typing import Any

# Harbor is not installed where this is checked.
# pyright: basic, reportMissingImports=false
from harbor.agents.installed.base import BaseInstalledAgent  # type: ignore[import-not-found]

ROOT = Path(__file__).parents[2]
SOURCE = ("actors", "messages", "shell", "pyproject.toml", "README.md", "LICENSE")
"""What is installed in the container: this checkout, without the tests."""
REMOTE_ARCHIVE = "/installed-agent/greenroom.tar.gz"
REMOTE_LOGS = "/logs/agent"
"""Harbor copies this folder of the container to the agent's `logs_dir`."""
LOG_NAME = "greenroom.jsonl"
PASSED_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
PYTHON_VERSION = "3.12"
LIMIT_REACHED = 3
"""Exit status; what was done before the limit is scored like any other result."""


class GreenroomAgent(BaseInstalledAgent):  # type: ignore[misc]  # as above
    """Installs Greenroom in the task's container and runs the task as one headless prompt."""

    def __init__(self, *args: Any, time_limit_s: float | None = None, **kwargs: Any) -> None:  # noqa: ANN401  (Harbor's)
        """`time_limit_s` (`--agent-kwarg time_limit_s=600`) ends a run with what it has done."""
        super().__init__(*args, **kwargs)
        self._time_limit_s = None if time_limit_s is None else float(time_limit_s)

    @staticmethod
    def name() -> str:
        """Return the name in Harbor's reports."""
        return "greenroom"

    def get_version_command(self) -> str | None:
        """Return the command that prints the installed version."""
        return f"{ENVIRONMENT_SETUP}; greenroom --version"

    async def install(self, environment: Any) -> None:  # noqa: ANN401  (as above)
        """Upload this checkout and install it with uv, which brings its own Python."""
        await self.exec_as_root(environment, command=f"mkdir -p {Path(REMOTE_ARCHIVE).parent}")
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "greenroom.tar.gz"
            write_archive(archive)
            await environment.upload_file(archive, REMOTE_ARCHIVE)
        await self.exec_as_root(environment, command=INSTALL_PACKAGES)
        await self.exec_as_agent(environment, command=INSTALL_GREENROOM)

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ANN401, ARG002  (as above)
        """Run the task; the result is read from the log afterwards."""
        instruction = self.render_instruction(instruction)
        env = {name: os.environ[name] for name in PASSED_VARIABLES if name in os.environ}
        command = build_run_command(instruction, self.model_name, self._time_limit_s)
        await self.exec_as_agent(environment, command=command, env=env)

    def populate_context_post_run(self, context: Any) -> None:  # noqa: ANN401  (as above)
        """Report usage and cost from the result object, the last line of the log."""
        result = read_result(self.logs_dir / LOG_NAME)
        usage = result.get("usage")
        if usage is None:
            return
        cached = usage["cache_read_input_tokens"]
        written = usage["cache_creation_input_tokens"]
        context.n_input_tokens = usage["input_tokens"] + cached + written
        context.n_cache_tokens = cached
        context.n_output_tokens = usage["output_tokens"]
        context.cost_usd = usage.get("cost")


ENVIRONMENT_SETUP = 'export PATH="$HOME/.local/bin:$PATH"'
INSTALL_PACKAGES = (
    "command -v curl >/dev/null || command -v uv >/dev/null || "
    "{ apt-get update && apt-get install -y curl ca-certificates; }"
)
INSTALL_GREENROOM = f"""\
{ENVIRONMENT_SETUP}
command -v uv >/dev/null || curl -LsSf https://astral.sh/uv/install.sh | sh
mkdir -p "$HOME/greenroom-source"
tar -xzf {REMOTE_ARCHIVE} -C "$HOME/greenroom-source"
uv tool install --python {PYTHON_VERSION} "$HOME/greenroom-source"
"""


def build_run_command(
    instruction: str, model_name: str | None, time_limit_s: float | None = None
) -> str:
    """Return the command that runs one task.

    The container is disposable, so nothing asks (`yolo`). The instruction comes on standard input:
    it may begin with a dash.
    """
    options = [
        "-p",
        "-",
        "--permission-mode",
        "yolo",
        "--trust",
        "--allow-denials",
        "--output-format",
        "stream-json",
    ]
    if model_name:
        options += ["--model", model_name.rpartition("/")[2]]  # Harbor names the provider, too
    if time_limit_s is not None:
        options += ["--time-limit", f"{time_limit_s:g}"]
    log = f"{REMOTE_LOGS}/{LOG_NAME}"
    return (
        f"{ENVIRONMENT_SETUP}; mkdir -p {REMOTE_LOGS}; "
        f"printf %s {shlex.quote(instruction)} | greenroom {shlex.join(options)} > {log} "
        f"|| test $? -eq {LIMIT_REACHED}"
    )


def read_result(log: Path) -> dict[str, Any]:
    """Return the result object of a run; empty if the run did not get that far."""
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    if not lines:
        return {}
    try:
        last: dict[str, Any] = json.loads(lines[-1])
    except ValueError:  # killed while it wrote the line
        return {}
    return last if last.get("type") == "result" else {}


def write_archive(path: Path) -> None:
    """Write what is needed to install this checkout."""
    with tarfile.open(path, "w:gz") as archive:
        for name in SOURCE:
            archive.add(ROOT / name, name, filter=_without_caches)


def _without_caches(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if "__pycache__" in Path(member.name).parts else member
