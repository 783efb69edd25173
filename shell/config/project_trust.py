"""What a project brings along, and whether it counts: nothing of it acts before it is trusted."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.paths.workspace import Workspace
from shell.config.config_file import ConfigFile, ConfigFileError, read_config_file
from shell.config.trust_store import (
    PROJECT_CONFIG,
    find_project_files,
    format_trust_question,
    read_trust_store,
    save_trust,
)
from shell.text.sanitize import sanitize_line

AskUser = Callable[[str], bool | None]
"""Puts a question to the person; None: they did not answer."""


@dataclass(frozen=True, slots=True)
class TrustStatus:
    """Whether the folder is trusted, and what is to be told of that."""

    trusted: bool
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrustCheck:
    """How it is found out whether a folder is trusted."""

    store: Path
    user_owned_files: tuple[Path, ...]
    """Files of the user's, which are no project's, wherever they lie."""
    trust_given: bool = False
    """The command line says so."""
    ask_user: AskUser | None = None
    """None: there is nobody to ask."""


def check_trust(workspace: Workspace, trust_check: TrustCheck) -> TrustStatus:
    """Find out whether the workspace is trusted; asks where the answer matters and is not known."""
    if trust_check.trust_given:
        return TrustStatus(
            trusted=True, notices=_kept(trust_check.store, workspace.root, trusted=True)
        )
    trusts = read_trust_store(trust_check.store)
    known = trusts.folders.get(str(workspace.root))
    notices: tuple[str, ...] = (trusts.problem,) if trusts.problem else ()
    files = find_project_files(workspace, trust_check.user_owned_files)
    if known or not files:
        return TrustStatus(bool(known), notices)
    if known is None and trust_check.ask_user:
        answer = trust_check.ask_user(format_trust_question(workspace.root, files))
        if answer is not None:
            notices += _kept(trust_check.store, workspace.root, trusted=answer)
        if answer:
            return TrustStatus(trusted=True, notices=notices)
    return TrustStatus(trusted=False, notices=(*notices, _left_out(workspace.root, files)))


def read_project_config(
    workspace: Workspace, user_owned_files: tuple[Path, ...]
) -> ConfigFile | None:
    """Read the project's configuration.

    Raises:
        ConfigFileError: it cannot be used.
    """
    path = workspace.root / PROJECT_CONFIG
    real = Path(os.path.realpath(path))
    if real in user_owned_files:
        return None
    if not real.is_relative_to(workspace.root):
        raise ConfigFileError((f"{path}: a link that leads out of the workspace",))
    return read_config_file(path)


def _kept(store: Path, root: Path, *, trusted: bool) -> tuple[str, ...]:
    problem = save_trust(store, root, trusted=trusted)
    return (f"{problem}; it holds for this run",) if problem else ()


def _left_out(root: Path, files: tuple[Path, ...]) -> str:
    names = ", ".join(sanitize_line(str(path.relative_to(root))) for path in files)
    return (
        f"{root} is not trusted, so {names} may only restrict; greenroom --trust trusts the folder"
    )
