"""The policy that a session starts with: defaults, rule sources, and protected paths."""

import os
from pathlib import Path

from actors.paths.program_search import has_project_entries
from actors.paths.resolve import WorkspacePaths
from actors.paths.workspace import Workspace
from actors.permissions.default_rules import build_default_rules
from actors.permissions.protected_paths import find_hooks_folders, find_link_targets, to_targets
from messages.policy import Policy, RuleSource, ToolDeclaration


def resolve_workspace_paths(workspace: Workspace) -> WorkspacePaths:
    """Return the folders that paths are resolved against, with links in the home path resolved."""
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111  (never raises)
    added = tuple(str(folder) for folder in workspace.added_folders)
    # Without project entries, PATH cannot lead to a program of the project, and no command has to
    # be checked for it.
    search_path = tuple(os.environ.get("PATH", os.defpath).split(os.pathsep))
    return WorkspacePaths(
        root=str(workspace.root),
        cwd=str(workspace.cwd),
        home=home,
        added_folders=added,
        search_path=(
            search_path if has_project_entries(search_path, (str(workspace.root), *added)) else ()
        ),
    )


def build_initial_policy(
    workspace: Workspace,
    sources: tuple[RuleSource, ...],
    tools: tuple[ToolDeclaration, ...],
    *,
    trusted: bool,
    extra_protected: tuple[Path, ...],
) -> Policy:
    """Build a policy in default mode, without grants.

    `extra_protected` is protected in addition to known names.
    """
    paths = resolve_workspace_paths(workspace)
    protected = (
        *extra_protected,
        *find_link_targets(paths),
        *find_hooks_folders(paths.root, paths.home),
    )
    return Policy(
        sources=sources,
        tools=tools,
        defaults=build_default_rules(tools),
        workspace_root=paths.root,
        home=paths.home,
        added_directories=paths.added_folders,
        protected_paths=to_targets(protected, workspace.root),
        trusted=trusted,
    )
