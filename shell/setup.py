"""From options and environment to what a session needs; reads, but starts nothing."""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from actors.crew import Wanted
from actors.models.anthropic_client import AnthropicModel
from actors.models.client import ModelClient
from actors.models.rehearsal import MODEL_NAME, RehearsalModel
from actors.sessions.places import project_folder, state_folder
from actors.tools.tool import Workspace
from shell.arguments import Options
from shell.version import VERSION

DEFAULT_MODEL = "claude-sonnet-5-5"
CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")


@dataclass(frozen=True, slots=True)
class Setup:
    """What to open, and the model to open it with."""

    wanted: Wanted
    model: ModelClient


def set_up(options: Options, environment: Mapping[str, str], start: Path) -> Setup:
    """Choose workspace, state folder and model for a session that begins in `start`."""
    state = state_folder(environment)
    keep_log(state / "greenroom.log", debug=environment.get("GREENROOM_LOG") == "debug")
    workspace = workspace_of(start)
    real = any(environment.get(name) for name in CREDENTIALS)
    model_name = options.model or environment.get("GREENROOM_MODEL") or DEFAULT_MODEL
    wanted = Wanted(
        folder=project_folder(state, workspace.root),
        workspace=workspace,
        model_name=model_name if real else MODEL_NAME,
        mode=options.permission_mode,
        rehearsal=not real,
        resume_last=options.resume_last,
        version=VERSION,
    )
    pace = 0.0 if options.headless else 1.0
    return Setup(wanted, _server(environment) if real else _rehearsal(pace))


def workspace_of(start: Path) -> Workspace:
    """Find the workspace: the git top level that contains `start`, else `start` itself."""
    cwd = Path(os.path.realpath(start))
    for folder in (cwd, *cwd.parents):
        if (folder / ".git").exists():
            return Workspace(root=folder, cwd=cwd)
    return Workspace(root=cwd, cwd=cwd)


def keep_log(path: Path, *, debug: bool) -> None:
    """Send what the program logs to a file that is made when there is something to say."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = logging.FileHandler(path, delay=True, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if debug:
        logging.getLogger("greenroom").setLevel(logging.DEBUG)


def _server(environment: Mapping[str, str]) -> ModelClient:
    return AnthropicModel(
        base_url=environment.get("ANTHROPIC_BASE_URL"),
        api_key=environment.get("ANTHROPIC_API_KEY"),
        auth_token=environment.get("ANTHROPIC_AUTH_TOKEN"),
    )


def _rehearsal(pace: float) -> ModelClient:
    from actors.models.rehearsal_script import rehearsal  # noqa: PLC0415  (only for this model)

    return RehearsalModel(rehearsal, pace)
