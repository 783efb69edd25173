"""Stores which folders the user trusts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from actors.paths.workspace import Workspace
from actors.sessions.errors import StoreError
from actors.sessions.json_store import StoreContents, change_store, read_store
from shell.config import instruction_files
from shell.config.project_allowances import Allowances

if TYPE_CHECKING:  # `permissions check` reads the store without loading pydantic
    from pydantic import JsonValue

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

    folders: dict[str, Allowances | None] = field(default_factory=dict[str, Allowances | None])
    """What a trusted folder allowed when the user trusted it; None: the user does not trust it."""
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


def save_trust(path: Path, folder: Path, approved: Allowances | None) -> str:
    """Store the decision about a folder; return why it could not be stored, or an empty string.

    `approved` is what the folder allows; None: the user does not trust it.
    """

    def change(old: StoreContents) -> Mapping[str, "JsonValue"]:
        answers = {**_get_folders(old), str(folder): approved}
        return {"folders": {name: _to_json(answer) for name, answer in answers.items()}}

    try:
        change_store(path, STORE_FORMAT, change)
    except StoreError as error:
        return f"the trust decision could not be saved: {error.detail}"
    return ""


def _get_folders(contents: StoreContents) -> dict[str, Allowances | None]:
    folders = contents.content.get("folders")
    entries = folders.items() if isinstance(folders, dict) else ()
    return {
        folder: None if answer is False else _read_allowances(answer)
        for folder, answer in entries
        if answer is False or _is_valid(answer)
    }


def _is_valid(answer: "JsonValue") -> bool:
    return isinstance(answer, dict) and all(
        isinstance(digests, list) and all(isinstance(digest, str) for digest in digests)
        for digests in answer.values()
    )


def _read_allowances(answer: "JsonValue") -> Allowances:
    digests_by_file = cast("dict[str, list[str]]", answer)
    return {file: tuple(digests) for file, digests in digests_by_file.items()}


def _to_json(approved: Allowances | None) -> "JsonValue":
    if approved is None:
        return False
    return {file: list(digests) for file, digests in approved.items()}


def _count_entries(contents: StoreContents) -> int:
    folders = contents.content.get("folders")
    return len(folders) if isinstance(folders, dict) else 1
