"""What verdicts begin with: the defaults, somebody's rules, and what is protected here."""

import os
from pathlib import Path

from actors.paths.resolve import WorkspacePaths, find_link_targets
from actors.paths.workspace import Workspace
from actors.permissions.default_rules import DEFAULT_RULES
from actors.permissions.protected_paths import PROTECTED_LINK_NAMES, find_hooks_folders, to_targets
from messages.policy import PermissionMode, Policy, RuleSource


def resolve_workspace_paths(workspace: Workspace) -> WorkspacePaths:
    """Say where it is found out what a path means."""
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111  (never raises)
    added = tuple(str(folder) for folder in workspace.added_folders)
    return WorkspacePaths(
        root=str(workspace.root), cwd=str(workspace.cwd), home=home, added_folders=added
    )


def build_initial_policy(
    workspace: Workspace,
    mode: PermissionMode,
    sources: tuple[RuleSource, ...],
    *,
    trusted: bool,
    extra_protected: tuple[Path, ...],
) -> Policy:
    """Put together what holds before anybody granted anything; `ours` is protected too."""
    ground = resolve_workspace_paths(workspace)
    linked = (Path(each) for each in find_link_targets(ground, PROTECTED_LINK_NAMES))
    protected = (*extra_protected, *linked, *find_hooks_folders(ground.root, ground.home))
    return Policy(
        mode=mode,
        sources=sources,
        defaults=DEFAULT_RULES,
        added_directories=ground.added_folders,
        protected_paths=to_targets(protected, workspace.root),
        trusted=trusted,
    )
