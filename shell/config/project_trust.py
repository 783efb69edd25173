"""Determines whether the user trusts a project; nothing of an untrusted project takes effect."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.paths.workspace import Workspace
from shell.config.trust_store import (
    find_project_files,
    format_trust_question,
    read_trust_store,
    save_trust,
)
from shell.text.sanitize import sanitize_line

AskUser = Callable[[str], bool | None]
"""Asks the user a yes-or-no question; None: they did not answer."""


@dataclass(frozen=True, slots=True)
class TrustStatus:
    """Whether the folder is trusted, and notices about it."""

    trusted: bool
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrustCheck:
    """How to determine whether a folder is trusted."""

    store: Path
    user_owned_files: tuple[Path, ...]
    """The user's own configuration; never a project's, even inside its folder."""
    trust_given: bool = False
    """The command line has `--trust`."""
    ask_user: AskUser | None = None
    """None: there is no user to ask."""


def check_trust(workspace: Workspace, trust_check: TrustCheck) -> TrustStatus:
    """Return whether the workspace is trusted; ask the user if it matters and is unknown."""
    if trust_check.trust_given:
        return TrustStatus(
            trusted=True, notices=_save_decision(trust_check.store, workspace.root, trusted=True)
        )
    decisions = read_trust_store(trust_check.store)
    decision = decisions.folders.get(str(workspace.root))
    notices: tuple[str, ...] = (decisions.problem,) if decisions.problem else ()
    files = find_project_files(workspace, trust_check.user_owned_files)
    if decision or not files:
        return TrustStatus(bool(decision), notices)
    if decision is None and trust_check.ask_user:
        answer = trust_check.ask_user(format_trust_question(workspace.root, files))
        if answer is not None:
            notices += _save_decision(trust_check.store, workspace.root, trusted=answer)
        if answer:
            return TrustStatus(trusted=True, notices=notices)
    notice = _format_untrusted_notice(workspace.root, files)
    return TrustStatus(trusted=False, notices=(*notices, notice))


def _save_decision(store: Path, root: Path, *, trusted: bool) -> tuple[str, ...]:
    problem = save_trust(store, root, trusted=trusted)
    return (f"{problem}; it applies to this run only",) if problem else ()


def _format_untrusted_notice(root: Path, files: tuple[Path, ...]) -> str:
    names = ", ".join(sanitize_line(str(path.relative_to(root))) for path in files)
    return (
        f"{root} is not trusted, so {names} can only restrict. Use greenroom --trust to trust it."
    )
