"""Stores which folders the user trusts."""

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
    """The contents of the store: each real path that the user was asked about, and the answer."""

    folders: dict[str, bool] = field(default_factory=dict[str, bool])
    problem: str = ""
    """Why some or all of the store is ignored."""


def find_project_files(
    workspace: Workspace, user_owned_files: tuple[Path, ...]
) -> tuple[Path, ...]:
    """List the project's files that would configure Greenroom."""
    candidates = (
        workspace.root / PROJECT_CONFIG,
        *(workspace.root / folder for folder in PROJECT_AGENT_FOLDERS),
        *instruction_files.list_instruction_paths(workspace),
    )
    return tuple(
        path
        for path in candidates
        if os.path.lexists(path) and Path(os.path.realpath(path)) not in user_owned_files
    )


def read_trust_store(path: Path) -> TrustDecisions:
    """Read the store; entries that cannot be read trust nothing."""
    try:
        contents = read_store(path, STORE_FORMAT)
    except StoreError as error:
        return TrustDecisions(problem=f"{error.detail}; no folder is trusted")
    folders = _get_folders(contents)
    has_invalid = contents.format and len(folders) < _count_entries(contents)
    problem = f"{path}: some entries are invalid and are ignored" if has_invalid else ""
    return TrustDecisions(folders, contents.damage or problem)


def save_trust(path: Path, folder: Path, *, trusted: bool) -> str:
    """Store the decision about a folder; return why it could not be stored, or an empty string."""
    try:
        change_store(
            path,
            STORE_FORMAT,
            lambda old: {"folders": {**_get_folders(old), str(folder): trusted}},
        )
    except StoreError as error:
        return f"the trust decision could not be saved: {error.detail}"
    return ""


def format_trust_question(root: Path, files: tuple[Path, ...]) -> str:
    """Return the question that is asked before anything of a project takes effect."""
    names = "\n".join(f"  {sanitize_line(str(path.relative_to(root)))}" for path in files)
    return (
        f"{sanitize_line(str(root))} has files that configure Greenroom:\n\n{names}\n\n"
        "If you trust this folder, these files take effect, now and whenever they change:\n"
        "the model follows the instructions, settings apply, and rules can allow calls.\n"
        "Otherwise the model can only read them as data, and settings and rules can only\n"
        "restrict.\n\n"
        "Trust this folder? [y/N] "
    )


def _get_folders(contents: StoreContents) -> dict[str, bool]:
    folders = contents.content.get("folders")
    entries = folders.items() if isinstance(folders, dict) else ()
    return {folder: answer for folder, answer in entries if isinstance(answer, bool)}


def _count_entries(contents: StoreContents) -> int:
    folders = contents.content.get("folders")
    return len(folders) if isinstance(folders, dict) else 1
