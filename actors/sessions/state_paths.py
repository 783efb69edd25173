"""Where Greenroom keeps things: one folder for state, one for the user's configuration."""

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
_SLUG_NAME_CHARS = 40


def state_folder(environ: Mapping[str, str]) -> Path:
    """Find the folder for sessions, trust and crash reports; it may not be there yet."""
    return _home(environ) or Path(platformdirs.user_state_dir("greenroom", appauthor=False))


def config_folder(environ: Mapping[str, str]) -> Path:
    """Find the folder for the user's `config.toml`, `agents/` and `AGENTS.md`."""
    return _home(environ) or Path(platformdirs.user_config_dir("greenroom", appauthor=False))


def list_own_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """List what is ours alone: sessions, trust, configuration, whether it exists or not."""
    state, config = state_folder(environ), config_folder(environ)
    of_state = ("projects", "trust.json", "crashes", "greenroom.log", HISTORY_FILE_NAME)
    of_config = ("config.toml", "agents", "AGENTS.md")
    return tuple(
        Path(os.path.realpath(folder / name))
        for folder, names in ((state, of_state), (config, of_config))
        for name in names
    )


def history_file(state: Path) -> Path:
    """Say where the input line's history is kept, for all sessions."""
    return state / HISTORY_FILE_NAME


def project_folder(state: Path, workspace_root: Path) -> Path:
    """Find the folder for everything that belongs to one workspace."""
    return state / "projects" / slug(workspace_root)


def slug(workspace_root: Path) -> str:
    """Name a workspace after its folder, told apart by 8 hex digits of its whole path's SHA-256."""
    name = _UNSAFE.sub("-", workspace_root.name.lower()).strip("-")[:_SLUG_NAME_CHARS]
    digest = hashlib.sha256(os.fsencode(workspace_root)).hexdigest()
    return f"{name or 'root'}-{digest[:8]}"


def make_session_id(now_s: float, suffix: str) -> str:
    """Make an id that sorts by its start, in UTC; `suffix` tells those of one second apart."""
    return f"{datetime.fromtimestamp(now_s, UTC):%Y%m%d-%H%M%S}-{suffix}"


def session_path(project_folder: Path, session_id: str) -> Path:
    """Say where the file of a session of ours is; not for an id that a person typed."""
    return project_folder / f"{session_id}.jsonl"


def list_session_files(project_folder: Path) -> tuple[Path, ...]:
    """List a project's session files, last written first; one that never got a record is none.

    What is no regular file is none either: links and pipes are left alone.
    """
    begun = [(age, path) for path in project_folder.glob("*.jsonl") if (age := _age(path))]
    return tuple(path for _, path in sorted(begun, reverse=True))


def find_newest_session(project_folder: Path) -> Path | None:
    """Find the session that `--continue` means."""
    return next(iter(list_session_files(project_folder)), None)


def _home(environ: Mapping[str, str]) -> Path | None:
    given = environ.get(HOME_VARIABLE)
    return Path(given).expanduser().absolute() if given else None


def _age(path: Path) -> tuple[int, str] | None:
    """Order by the last record; of the same moment, by start. None: no session."""
    try:
        status = path.lstat()
    except OSError:  # gone meanwhile
        return None
    begun = stat.S_ISREG(status.st_mode) and status.st_size
    return (status.st_mtime_ns, path.stem) if begun else None
