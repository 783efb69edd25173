"""Which folders the user trusts, and what of a project that decides about."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from actors.paths.workspace import Workspace
from actors.sessions.errors import StoreError
from actors.sessions.json_store import StoreContents, change_store, read_store
from shell.config import instruction_files
from shell.text.sanitize import sanitize_line

STORE_FORMAT = 1
PROJECT_CONFIG = Path(".greenroom", "config.toml")
PROJECT_AGENT_FOLDERS = (
    Path(".greenroom", "agents"),
    Path(".claude", "agents"),
    Path(".qwen", "agents"),
)


@dataclass(frozen=True, slots=True)
class TrustDecisions:
    """What the store says: each real path that was asked about, and the answer."""

    folders: dict[str, bool] = field(default_factory=dict[str, bool])
    problem: str = ""
    """Why not all of the store counts."""


def find_project_files(
    workspace: Workspace, user_owned_files: tuple[Path, ...]
) -> tuple[Path, ...]:
    """List what a project has that would tell us what to do; `ours` belong to the user."""
    asked = (
        workspace.root / PROJECT_CONFIG,
        *(workspace.root / folder for folder in PROJECT_AGENT_FOLDERS),
        *instruction_files.list_instruction_paths(workspace),
    )
    return tuple(
        path
        for path in asked
        if os.path.lexists(path) and Path(os.path.realpath(path)) not in user_owned_files
    )


def read_trust_store(path: Path) -> TrustDecisions:
    """Read the store; what cannot be read or understood trusts nothing."""
    try:
        stored = read_store(path, STORE_FORMAT)
    except StoreError as error:
        return TrustDecisions(problem=f"{error.detail}; no folder is trusted")
    folders = _folders(stored)
    strange = stored.format and len(folders) < _entries(stored)
    told = f"{path}: not all of it are answers; the others do not count" if strange else ""
    return TrustDecisions(folders, stored.damage or told)


def save_trust(path: Path, folder: Path, *, trusted: bool) -> str:
    """Store the answer for a folder; says why it could not be, if so."""
    try:
        change_store(
            path, STORE_FORMAT, lambda old: {"folders": {**_folders(old), str(folder): trusted}}
        )
    except StoreError as error:
        return f"the answer could not be kept: {error.detail}"
    return ""


def format_trust_question(root: Path, files: tuple[Path, ...]) -> str:
    """Write the question that is asked before anything of a project is used."""
    names = "\n".join(f"  {sanitize_line(str(path.relative_to(root)))}" for path in files)
    return (
        f"{sanitize_line(str(root))} has files that tell Greenroom what to do:\n\n{names}\n\n"
        "Trust this folder, and its files also go to the model as instructions, its\n"
        "settings count and its rules may allow calls, as they are now and as they\n"
        "change. Without trust they are read as data, and of the settings only what\n"
        "restricts counts.\n\n"
        "Trust it? [y/N] "
    )


def _folders(stored: StoreContents) -> dict[str, bool]:
    folders = stored.content.get("folders")
    entries = folders.items() if isinstance(folders, dict) else ()
    return {folder: answer for folder, answer in entries if isinstance(answer, bool)}


def _entries(stored: StoreContents) -> int:
    folders = stored.content.get("folders")
    return len(folders) if isinstance(folders, dict) else 1
