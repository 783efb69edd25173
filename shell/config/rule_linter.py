"""Warns about rules that match nothing, or less than their author meant."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from actors.paths.workspace import Workspace
from actors.permissions.initial_policy import resolve_workspace_paths
from actors.permissions.rule_matching import (
    PATH_CATEGORIES,
    format_rule,
    get_categories,
    is_match,
)
from actors.permissions.rule_patterns import expand_pattern
from actors.tools.tool_list import EDIT, LS, TOOL_LIST, WRITE
from messages.policy import Rule
from shell.config import foreign_patterns

_CATEGORIES = get_categories(TOOL_LIST)
_PATH_PERMISSIONS = tuple(name for name, kind in _CATEGORIES.items() if kind in PATH_CATEGORIES)


@dataclass(frozen=True, slots=True)
class RuleLinter:
    """Checks the rules for one workspace; both folders are absolute with links resolved."""

    root: Path
    home: Path
    _names: dict[Path, list[str]] = field(default_factory=dict[Path, list[str]])
    """The names in folders that have been read."""

    def find_warnings(self, rules: tuple[Rule, ...]) -> dict[int, str]:
        """Return a warning for each rule of a source that needs one, by its index."""
        warnings: dict[int, str] = {}
        for index, rule in enumerate(rules):
            problem = self._find_problem(rule) or _find_missing_write_rule(rule, rules)
            if problem:
                warnings[index] = f"{format_rule(rule)}: {problem}"
        return warnings

    def _find_problem(self, rule: Rule) -> str:
        if rule.permission == "bash":
            *_, pattern = self._expand(rule)
            named_by_path = (
                "" if rule.action == "allow" else foreign_patterns.find_named_by_path(pattern)
            )
            return named_by_path or foreign_patterns.find_command_shape(pattern)
        if any(is_match(rule.permission, name) for name in _PATH_PERMISSIONS):
            return foreign_patterns.find_path_shape(rule.pattern) or self._find_path_problem(rule)
        return ""

    def _expand(self, rule: Rule) -> tuple[str, ...]:
        category = _CATEGORIES.get(rule.permission, "read")
        return expand_pattern(rule, category, workspace_root=str(self.root), home=str(self.home))

    def _find_path_problem(self, rule: Rule) -> str:
        """Follow the names before the first `*` through the folders that exist."""
        path = self._expand(rule)[0]
        names = path.split("/")
        if ".." in names:
            return self._find_parent_problem(path)
        at = Path("/") if path.startswith("/") else self.root
        is_first = True
        for index, name in enumerate(names):
            known_prefix = "/".join(names[:index])
            if "*" in name:
                return foreign_patterns.find_wildcard(path, known_prefix)
            at /= name
            if not os.path.lexists(at):
                return (
                    foreign_patterns.find_wildcard(path, known_prefix)
                    or (_find_root_problem(path) if is_first else "")
                    or self._find_case_problem(at)
                )
            if at.is_symlink():
                real = Path(os.path.realpath(at), *names[index + 1 :])
                shown = real.relative_to(self.root) if real.is_relative_to(self.root) else real
                return f"{at} is a link, and rules match the real path; write {shown}"
            is_first = is_first and not name
        return self._find_folder_problem(rule, at)

    def _find_folder_problem(self, rule: Rule, path: Path) -> str:
        takes_folder = _CATEGORIES.get(rule.permission) == "search" or rule.permission == LS.name
        if takes_folder or rule.pattern.endswith("/") or not path.is_dir():
            return ""
        return f"it does not cover what is in this folder; write {rule.pattern}/"

    def _find_case_problem(self, path: Path) -> str:
        """Look for a name that differs only in case."""
        if path.parent not in self._names:
            try:
                self._names[path.parent] = [other.name for other in path.parent.iterdir()]
            except OSError:
                self._names[path.parent] = []
        for name in self._names[path.parent]:
            if name.casefold() == path.name.casefold():
                return f"there is no {path.name}, but there is {name}; case matters"
        return ""

    def _find_parent_problem(self, path: str) -> str:
        if "*" in path.partition("..")[0]:
            return "it matches nothing, because .. cannot follow a *"
        outside = os.path.normpath(self.root / path)
        return f"to allow a path outside the workspace, write {outside}"


def make_rule_linter(workspace: Workspace) -> RuleLinter:
    """Return a linter for the rules of a session in this workspace."""
    return RuleLinter(workspace.root, Path(resolve_workspace_paths(workspace).home))


def _find_root_problem(path: str) -> str:
    if path.startswith("~"):
        return "only ~/ means your home folder; write out the path"
    if not path.startswith("/"):
        return ""
    first = path.split("/")[1]
    return f"there is no /{first}; for {first} in the workspace, write {path.lstrip('/')}"


def _find_missing_write_rule(rule: Rule, rules: tuple[Rule, ...]) -> str:
    if rule.permission != EDIT.name or rule.action == "allow":
        return ""
    for other in rules:
        if other.pattern == rule.pattern and is_match(other.permission, WRITE.name):
            return ""
    return "the rule does not cover write; add the same rule for write"
