"""Which folders the user trusts, and what of a project that decides about."""

import errno
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from actors.sessions.replacing import replace_file
from actors.tools.tool import Workspace
from shell import instructions
from shell.regular import read_regular
from shell.visible import visible_line

FORMAT = 1
CONFIG = Path(".greenroom", "config.toml")
DEFINITIONS = (
    Path(".greenroom", "agents"),
    Path(".claude", "agents"),
    Path(".qwen", "agents"),
)
_MOST_BYTES = 4 * 1024 * 1024


class TrustError(Exception):
    """The store cannot be used; the text says why and what became of it."""


@dataclass(frozen=True, slots=True)
class Trusts:
    """The store: the real path of each folder that was asked about, and the answer."""

    folders: dict[str, bool] = field(default_factory=dict[str, bool])


def project_files(workspace: Workspace, ours: tuple[Path, ...]) -> tuple[Path, ...]:
    """List what a project has that would tell us what to do; `ours` belong to the user."""
    asked = (
        workspace.root / CONFIG,
        *(workspace.root / folder for folder in DEFINITIONS),
        *instructions.places(workspace),
    )
    return tuple(
        path for path in asked if os.path.lexists(path) and Path(os.path.realpath(path)) not in ours
    )


def read_trusts(path: Path) -> Trusts:
    """Read the store; a missing one is empty.

    Raises:
        TrustError: it is damaged, and was moved aside; it counts as empty.
    """
    try:
        return _decoded(read_regular(path, _MOST_BYTES))
    except (ValueError, RecursionError):
        why = "it is damaged"
    except OSError as error:
        if error.errno == errno.ENOENT:
            return Trusts()
        why = error.strerror or "it cannot be read"
    message = f"{path}: {why}, so no folder is trusted; {_moved_aside(path)}"
    raise TrustError(message)


def keep(path: Path, folder: Path, *, trusted: bool) -> None:
    """Store the answer for a folder.

    Raises:
        TrustError: it could not be stored.
    """
    try:
        before = read_trusts(path).folders
    except TrustError:
        before = {}
    after = Trusts(folders={**before, str(folder): trusted})
    try:
        replace_file(path, _encoded(after))
    except OSError as error:
        message = f"{path}: the answer could not be kept: {error.strerror}"
        raise TrustError(message) from error


def question(root: Path, files: tuple[Path, ...]) -> str:
    """Write the question that is asked before anything of a project is used."""
    names = "\n".join(f"  {visible_line(str(path.relative_to(root)))}" for path in files)
    return (
        f"{visible_line(str(root))} has files that tell Greenroom what to do:\n\n{names}\n\n"
        "Trust this folder, and its files also go to the model as instructions, its settings\n"
        "count and its rules may allow calls, as they are now and as they change. Without trust\n"
        "they are read as data, and of the settings only what restricts counts.\n\n"
        "Trust it? [y/N] "
    )


def _encoded(trusts: Trusts) -> bytes:
    return json.dumps({"format": FORMAT, "folders": trusts.folders}).encode() + b"\n"


def _decoded(data: bytes) -> Trusts:
    value: object = json.loads(data)
    store = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    folders = store.get("folders")
    known = store.keys() == {"format", "folders"} and store["format"] == FORMAT
    if not known or not isinstance(folders, dict):
        message = "not a store of trust that this version knows"
        raise ValueError(message)
    answers = cast("dict[str, object]", folders)
    if not all(isinstance(answer, bool) for answer in answers.values()):
        message = "an answer is neither yes nor no"
        raise ValueError(message)
    return Trusts(cast("dict[str, bool]", answers))


def _moved_aside(path: Path) -> str:
    aside = path.with_name(f"{path.name}.damaged-{os.getpid()}")
    try:
        path.rename(aside)
    except OSError as error:
        return f"it could not be moved away: {error.strerror}"
    return f"it is kept as {aside}"
