"""What a project brings along, and whether it counts: nothing of it acts before it is trusted."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.tools.workspace import Workspace
from shell.config.file import ConfigFileError, Read, read_config
from shell.config.trust import CONFIG, keep, project_files, question, read_trusts
from shell.visible import visible_line

Ask = Callable[[str], bool | None]
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
    ours: tuple[Path, ...]
    """Files of the user's, which are no project's, wherever they lie."""
    given: bool = False
    """The command line says so."""
    ask: Ask | None = None
    """None: there is nobody to ask."""


def standing(workspace: Workspace, trusting: TrustCheck) -> TrustStatus:
    """Find out whether the workspace is trusted; asks where the answer matters and is not known."""
    if trusting.given:
        return TrustStatus(
            trusted=True, notices=_kept(trusting.store, workspace.root, trusted=True)
        )
    trusts = read_trusts(trusting.store)
    known = trusts.folders.get(str(workspace.root))
    notices: tuple[str, ...] = (trusts.problem,) if trusts.problem else ()
    files = project_files(workspace, trusting.ours)
    if known or not files:
        return TrustStatus(bool(known), notices)
    if known is None and trusting.ask:
        answer = trusting.ask(question(workspace.root, files))
        if answer is not None:
            notices += _kept(trusting.store, workspace.root, trusted=answer)
        if answer:
            return TrustStatus(trusted=True, notices=notices)
    return TrustStatus(trusted=False, notices=(*notices, _left_out(workspace.root, files)))


def project_config(workspace: Workspace, ours: tuple[Path, ...]) -> Read | None:
    """Read the project's configuration.

    Raises:
        ConfigFileError: it cannot be used.
    """
    path = workspace.root / CONFIG
    real = Path(os.path.realpath(path))
    if real in ours:
        return None
    if not real.is_relative_to(workspace.root):
        raise ConfigFileError((f"{path}: a link that leads out of the workspace",))
    return read_config(path)


def _kept(store: Path, root: Path, *, trusted: bool) -> tuple[str, ...]:
    problem = keep(store, root, trusted=trusted)
    return (f"{problem}; it holds for this run",) if problem else ()


def _left_out(root: Path, files: tuple[Path, ...]) -> str:
    names = ", ".join(visible_line(str(path.relative_to(root))) for path in files)
    return (
        f"{root} is not trusted, so {names} may only restrict; greenroom --trust trusts the folder"
    )
