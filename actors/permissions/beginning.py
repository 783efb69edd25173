"""What verdicts begin with: the defaults, somebody's rules, and what is protected here."""

import os
from pathlib import Path

from actors.permissions.defaults import BUILT_IN
from actors.permissions.places import WorkspacePaths, real_places
from actors.permissions.protected import LINKABLE, hooks_folders, targets_of
from actors.tools.workspace import Workspace
from messages.rules import PermissionMode, Policy, RuleSource


def ground_of(workspace: Workspace) -> WorkspacePaths:
    """Say where it is found out what a path means."""
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111  (never raises)
    added = tuple(str(folder) for folder in workspace.added)
    return WorkspacePaths(root=str(workspace.root), cwd=str(workspace.cwd), home=home, added=added)


def first_policy(
    workspace: Workspace,
    mode: PermissionMode,
    sources: tuple[RuleSource, ...],
    *,
    trusted: bool,
    ours: tuple[Path, ...],
) -> Policy:
    """Put together what holds before anybody granted anything; `ours` is protected too."""
    ground = ground_of(workspace)
    linked = (Path(each) for each in real_places(ground, LINKABLE))
    protected = (*ours, *linked, *hooks_folders(ground.root, ground.home))
    return Policy(
        mode=mode,
        sources=sources,
        defaults=BUILT_IN,
        added=ground.added,
        protected=targets_of(protected, workspace.root),
        trusted=trusted,
    )
