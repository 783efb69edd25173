"""Paths of Greenroom's own files: the state folder and the user's configuration folder."""

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

HOME_VARIABLE = "GREENROOM_HOME"
HISTORY_FILE_NAME = "history.jsonl"
_UNSAFE = re.compile(r"[^a-z0-9]+")
_MAX_SLUG_NAME_CHARS = 40


def state_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for sessions, trust and crash reports; it may not exist yet."""
    return _get_home(environ) or Path(platformdirs.user_state_dir("greenroom", appauthor=False))


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder for the user's `config.toml`, `agents/` and `AGENTS.md`."""
    return _get_home(environ) or Path(platformdirs.user_config_dir("greenroom", appauthor=False))


def list_own_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """List the paths of our own files (sessions, trust, configuration), existing or not."""
    state, config = state_folder(environ), config_folder(environ)
    state_names = ("projects", "trust.json", "crashes", "greenroom.log", HISTORY_FILE_NAME)
    config_names = ("config.toml", "agents", "AGENTS.md")
    return tuple(
        Path(os.path.realpath(folder / name))
        for folder, names in ((state, state_names), (config, config_names))
        for name in names
    )


def history_file(state: Path) -> Path:
    """Return the file with the input history of all sessions."""
    return state / HISTORY_FILE_NAME


def project_folder(state: Path, workspace_root: Path) -> Path:
    """Return the state folder of one workspace."""
    return state / "projects" / slug(workspace_root)


def slug(workspace_root: Path) -> str:
    """Return a workspace's folder name plus 8 hex digits of its full path's SHA-256."""
    name = _UNSAFE.sub("-", workspace_root.name.lower()).strip("-")[:_MAX_SLUG_NAME_CHARS]
    digest = hashlib.sha256(os.fsencode(workspace_root)).hexdigest()
    return f"{name or 'root'}-{digest[:8]}"


def make_session_id(now_s: float, suffix: str) -> str:
    """Return an id that sorts by start time (UTC); `suffix` makes it unique within a second."""
    return f"{datetime.fromtimestamp(now_s, UTC):%Y%m%d-%H%M%S}-{suffix}"


def session_path(project_folder: Path, session_id: str) -> Path:
    """Return a session's file; not for an id that the user typed."""
    return project_folder / f"{session_id}.jsonl"


def list_session_files(project_folder: Path) -> tuple[Path, ...]:
    """List a project's session files, most recently written first.

    Empty files are skipped, and so is everything that is not a regular file, such as links.
    """
    keyed = [(key, path) for path in project_folder.glob("*.jsonl") if (key := _get_sort_key(path))]
    return tuple(path for _, path in sorted(keyed, reverse=True))


def _get_home(environ: Mapping[str, str]) -> Path | None:
    path = environ.get(HOME_VARIABLE)
    return Path(path).expanduser().absolute() if path else None


def _get_sort_key(path: Path) -> tuple[int, str] | None:
    """Return the time of the last write and the id; None if the file is not a session."""
    try:
        status = path.lstat()
    except OSError:  # removed meanwhile
        return None
    is_session = stat.S_ISREG(status.st_mode) and status.st_size
    return (status.st_mtime_ns, path.stem) if is_session else None
