"""Creates the sandbox of a session from its configuration."""

from collections.abc import Mapping
from pathlib import Path

from actors.paths.workspace import Workspace
from actors.permissions.initial_policy import resolve_workspace_paths
from actors.sandbox.policy import SandboxSettings
from actors.sandbox.sandbox import Sandbox
from shell.config.schema import SandboxConfig
from shell.startup.errors import StartError


def make_sandbox(
    workspace: Workspace,
    project_state_folder: Path,
    protected: tuple[Path, ...],
    config: SandboxConfig,
    environment: Mapping[str, str],
) -> Sandbox:
    """Return the sandbox of a session's commands.

    Raises:
        StartError: the configuration requires a sandbox, and there is none.
    """
    settings = SandboxSettings(
        mode=config.mode or "auto",
        write=tuple(_resolve_folder(path, environment) for path in config.write or ()),
        hide=tuple(_resolve_folder(path, environment) for path in config.hide or ()),
    )
    sandbox = Sandbox(
        resolve_workspace_paths(workspace),
        settings,
        project_state_folder,
        environment,
        protected,
    )
    if settings.mode == "require" and sandbox.status.enforcement != "full":
        message = (
            f"[sandbox] mode is require, but commands cannot be confined. {sandbox.status.reason}"
        )
        raise StartError(message)
    return sandbox


def _resolve_folder(path: str, environment: Mapping[str, str]) -> str:
    """Return a configured path with `~` and links resolved."""
    home = environment.get("HOME", "")
    expanded = f"{home}{path[1:]}" if path.startswith("~/") else path
    return str(Path(expanded).resolve())
