"""From options and environment to what a session needs; reads, but starts nothing."""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from actors.models.anthropic_client import AnthropicModel
from actors.models.client import ModelClient
from actors.models.rehearsal import MODEL_NAME, RehearsalModel
from actors.session import SessionOptions
from actors.sessions.places import our_files, project_folder, state_folder
from shell.arguments import Options, StartError, readable
from shell.version import VERSION
from shell.workspace import git_folders, workspace_of

DEFAULT_MODEL = "claude-sonnet-5-5"
CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")


@dataclass(frozen=True, slots=True)
class Setup:
    """What to open, and the model to open it with."""

    options: SessionOptions
    model: ModelClient


def set_up(options: Options, environment: Mapping[str, str], start: Path) -> Setup:
    """Choose workspace, state folder and model for a session that begins in `start`.

    Raises:
        StartError: a folder cannot be used.
    """
    state = _state_folder(environment)
    keep_log(state / "greenroom.log", debug=environment.get("GREENROOM_LOG") == "debug")
    workspace = workspace_of(start)
    real = any(environment.get(name) for name in CREDENTIALS)
    model_name = options.model or readable(environment.get("GREENROOM_MODEL", "")) or DEFAULT_MODEL
    session = SessionOptions(
        folder=project_folder(state, workspace.root),
        workspace=workspace,
        model_name=model_name if real else MODEL_NAME,
        mode=options.permission_mode,
        rehearsal=not real,
        resume_last=options.resume_last,
        protected=(*our_files(environment), *git_folders(workspace.root)),
        version=VERSION,
    )
    pace = 0.0 if options.headless else 1.0
    return Setup(session, _server(environment) if real else _rehearsal(pace))


def current_folder() -> Path:
    """Find the folder that the program was started in.

    Raises:
        StartError: it is gone, or its name cannot be told to a model.
    """
    try:
        folder = Path.cwd()
    except OSError as error:
        message = f"the current folder cannot be used: {error.strerror}"
        raise StartError(message) from error
    if readable(str(folder)) != str(folder):
        message = f"the current folder's name is not UTF-8: {os.fsencode(folder)!r}"
        raise StartError(message)
    return folder


class _PrivateLog(logging.FileHandler):
    """A log file that only its owner may read, and that no link leads elsewhere."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or nothing: what logs must not fail because the log does."""
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8")


def keep_log(path: Path, *, debug: bool) -> None:
    """Send what the program logs to a file that is made when there is something to say."""
    logging.raiseExceptions = False  # a log that cannot be written must not draw on the screen
    handler = _PrivateLog(path, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if debug:
        logging.getLogger("greenroom").setLevel(logging.DEBUG)


def _state_folder(environment: Mapping[str, str]) -> Path:
    try:
        folder = state_folder(environment)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # the second: `~name` of nobody
        message = f"the state folder cannot be used: {error}; GREENROOM_HOME names another"
        raise StartError(message) from error
    return folder


def _server(environment: Mapping[str, str]) -> ModelClient:
    return AnthropicModel(
        base_url=environment.get("ANTHROPIC_BASE_URL"),
        api_key=_secret(environment, "ANTHROPIC_API_KEY"),
        auth_token=_secret(environment, "ANTHROPIC_AUTH_TOKEN"),
    )


def _secret(environment: Mapping[str, str], name: str) -> str:
    secret = environment.get(name, "").strip()
    if not (secret.isascii() and secret.isprintable()):  # below, an error would quote all of it
        message = f"{name} holds characters that no key has"
        raise StartError(message)
    return secret


def _rehearsal(pace: float) -> ModelClient:
    from actors.models.rehearsal_script import rehearsal  # noqa: PLC0415  (only for this model)

    return RehearsalModel(rehearsal, pace)
