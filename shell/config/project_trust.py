"""Determines whether the user trusts a project; an untrusted project can only restrict.

Trust covers what the project allowed when the user was asked. Once it allows more, the project is
untrusted until the user has been asked again.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.paths.workspace import Workspace
from messages.policy import Rule
from shell.config.config_file import ConfigFileError
from shell.config.config_files import read_project_config
from shell.config.project_allowances import (
    MAX_RULES_IN_NOTICE,
    MAX_SHOWN_RULES,
    Allowances,
    AllowRule,
    compute_allowances,
    format_allow_rules,
    list_allow_rules,
    list_new_allow_rules,
)
from shell.config.trust_store import (
    PROJECT_AGENT_FOLDERS,
    PROJECT_CONFIG,
    find_project_files,
    read_trust_store,
    save_trust,
)
from shell.text.sanitize import sanitize_line

AskUser = Callable[[str], bool | None]
"""Asks the user a yes-or-no question; None: they did not answer."""


@dataclass(frozen=True, slots=True)
class TrustStatus:
    """Whether the folder is trusted, and notices about it."""

    approved: Allowances | None
    """What the user lets the project allow; None: the folder is not trusted."""
    notices: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        """Whether the user trusts the folder as it is now."""
        return self.approved is not None


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
    root, owned = workspace.root, trust_check.user_owned_files
    if trust_check.trust_given:
        return _save_yes(trust_check, workspace)
    decisions = read_trust_store(trust_check.store)
    notices: tuple[str, ...] = (decisions.problem,) if decisions.problem else ()
    approved = decisions.folders.get(str(root))
    files = find_project_files(workspace, owned)
    if not files:
        return TrustStatus(approved, notices)
    rules = _read_config_rules(workspace, owned)
    new_rules: tuple[AllowRule, ...] = ()
    if approved is not None:
        new_rules = list_new_allow_rules(rules | _read_definition_rules(workspace), approved)
        if not new_rules:
            return TrustStatus(approved, notices)
    is_declined = approved is None and str(root) in decisions.folders
    if trust_check.ask_user and not is_declined:
        question = format_trust_question(root, files, list_allow_rules(rules), new_rules)
        answer = trust_check.ask_user(question)
        if answer:
            return _save_yes(trust_check, workspace, notices)
        if answer is not None:
            notices += _format_save_problem(save_trust(trust_check.store, root, None))
    return TrustStatus(None, (*notices, _format_untrusted_notice(root, files, new_rules)))


def _save_yes(
    trust_check: TrustCheck, workspace: Workspace, notices: tuple[str, ...] = ()
) -> TrustStatus:
    rules = _read_config_rules(workspace, trust_check.user_owned_files)
    approved = compute_allowances(rules | _read_definition_rules(workspace))
    problem = _format_save_problem(save_trust(trust_check.store, workspace.root, approved))
    return TrustStatus(approved, (*notices, *problem))


def _read_config_rules(
    workspace: Workspace, user_owned_files: tuple[Path, ...]
) -> dict[str, tuple[Rule, ...]]:
    """Return the rules of the project's configuration; nothing in an invalid file applies."""
    try:
        config = read_project_config(workspace, user_owned_files)
    except ConfigFileError:
        return {}
    return {str(PROJECT_CONFIG): config.config.rules} if config and config.config.rules else {}


def _read_definition_rules(workspace: Workspace) -> dict[str, tuple[Rule, ...]]:
    """Return the rules of the project's agents.

    They allow nothing by themselves, but lift what the same definition denies. Only a trusted
    project's definitions are parsed.
    """
    if not any(os.path.lexists(workspace.root / folder) for folder in PROJECT_AGENT_FOLDERS):
        return {}
    from shell.config.agent_discovery import read_project_definitions  # noqa: PLC0415  (few projects have any)

    return {
        str(Path(file.path).relative_to(workspace.root)): file.definition.rules
        for file in read_project_definitions(workspace)
        if file.definition.rules
    }


def format_trust_question(
    root: Path,
    files: tuple[Path, ...],
    allow_rules: tuple[AllowRule, ...],
    new_rules: tuple[AllowRule, ...] = (),
) -> str:
    """Return the question that is asked before a project's files take effect.

    `new_rules` are what the project did not allow when the user trusted it.
    """
    names = "\n".join(f"  {sanitize_line(str(path.relative_to(root)))}" for path in files)
    return (
        f"{sanitize_line(str(root))} has files that configure Greenroom:\n\n{names}\n\n"
        f"{_describe_rules(allow_rules, new_rules)}\n"
        "If you trust this folder, these files take effect, now and whenever they change:\n"
        "the model follows the instructions, and settings and rules apply. You are asked\n"
        "again if the rules allow more. Otherwise the model can only read them as data, and\n"
        "settings and rules can only restrict.\n\n"
        "Trust this folder? [y/N] "
    )


def _describe_rules(allow_rules: tuple[AllowRule, ...], new_rules: tuple[AllowRule, ...]) -> str:
    if new_rules:
        heading = f"They allow more than when you trusted this folder ({_count(new_rules)}):"
    elif allow_rules:
        heading = f"They allow these calls without asking you ({_count(allow_rules)}):"
    else:
        return "They allow nothing without asking you.\n"
    shown = format_allow_rules(new_rules or allow_rules, MAX_SHOWN_RULES)
    return f"{heading}\n\n" + "".join(f"  {sanitize_line(line)}\n" for line in shown)


def _count(rules: tuple[AllowRule, ...]) -> str:
    return "1 rule" if len(rules) == 1 else f"{len(rules):,} rules"


def _format_save_problem(problem: str) -> tuple[str, ...]:
    return (f"{problem}; it applies to this run only",) if problem else ()


def _format_untrusted_notice(
    root: Path, files: tuple[Path, ...], new_rules: tuple[AllowRule, ...]
) -> str:
    names = ", ".join(sanitize_line(str(path.relative_to(root))) for path in files)
    new = "; ".join(map(sanitize_line, format_allow_rules(new_rules, MAX_RULES_IN_NOTICE)))
    reason = f", since it allows more than when you trusted it ({new})" if new else ""
    return (
        f"{root} is not trusted{reason}, so {names} can only restrict. "
        "Use greenroom --trust to trust it."
    )
