"""The files that one tool call would access; each path is resolved once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from actors.paths.resolve import PathResolver, ResolvedPath, is_in_workspace
from actors.permissions.access import Access, RuleScope
from actors.permissions.protected_paths import is_plan_file
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rule_matching import FILE_READ_CATEGORIES
from messages.policy import ToolCategory

_MAX_PATH_CHARS_IN_REASON = 200
_FileKey: TypeAlias = tuple[str, str, str]
"""Permission, path, and the folder that the path is relative to."""


@dataclass(slots=True, eq=False)
class FileAccess:
    """What a call does to one path."""

    permission: str
    category: ToolCategory
    resolved_path: ResolvedPath
    target: str
    spellings: tuple[str, ...]
    """The target and its other spellings; rules that ask or deny match any of them."""
    is_in_workspace: bool
    """It is in the workspace or an added folder."""
    problem: str
    """Why it may be another file when it is used. Empty: it is certain."""
    added_scope: RuleScope | None = None
    """The widest rule scope in which it was added as an argument of a command."""
    protection_reason: str | None = None
    """Why a change needs a decision on this specific call. None: not determined yet."""


@dataclass(slots=True)
class FileAccesses:
    """The file accesses of one decision, cached by permission and path."""

    resolver: PathResolver
    rule_index: RuleIndex
    _found: dict[_FileKey, FileAccess] = field(default_factory=dict[_FileKey, FileAccess])
    _protected_targets: dict[str, str] = field(default_factory=dict[str, str])
    """By path: its target if that is protected, else an empty string."""

    def look_up(self, permission: str, path: str, base: str) -> FileAccess:
        """Return the access to a path that is relative to the resolved folder `base`."""
        key = (permission, path, base)
        file = self._found.get(key)
        if file is None:
            file = self._found[key] = self._build_file_access(permission, path, base)
        return file

    def _build_file_access(self, permission: str, path: str, base: str) -> FileAccess:
        resolved = self.resolver.resolve(path, base)
        target = self.resolver.to_target(resolved.path)
        spellings = (target,) if target == resolved.path else (target, resolved.path)
        if resolved.other_spellings:
            others = map(self.resolver.to_target, resolved.other_spellings)
            spellings = (target, *others, *spellings[1:])
        problem = ""
        if resolved.problem:
            shown_path = path[:_MAX_PATH_CHARS_IN_REASON]
            problem = f"{shown_path!r} cannot be resolved in advance: {resolved.problem}"
        category = self.rule_index.get_category(permission)
        is_inside = is_in_workspace(target, self.resolver.workspace_paths.added_folders)
        return FileAccess(permission, category, resolved, target, spellings, is_inside, problem)

    def build_access(self, file: FileAccess, tool: str, rule_scope: RuleScope) -> Access:
        """Return the access to decide. If only deny rules apply, an uncertain path does not ask."""
        is_change = file.category == "change"
        return Access(
            file.permission,
            file.target,
            tool,
            file.category,
            rule_scope,
            other_spellings=file.spellings[1:],
            is_case_insensitive=file.resolved_path.is_case_insensitive,
            is_in_workspace=file.is_in_workspace,
            ask_reason="" if rule_scope == "deny_only" else file.problem,
            protection_reason=self.get_protection_reason(file) if is_change else "",
            is_plan_file=is_change and is_plan_file(file.target),
            changes_nothing=file.category in FILE_READ_CATEGORIES,
            is_target_unknown=bool(file.problem),
        )

    def can_match_rule(self, file: FileAccess, rule_scope: RuleScope) -> bool:
        """Whether anything in this rule scope could ask about the file or deny it."""
        if file.problem and rule_scope != "deny_only":
            return True
        if file.category == "change" and self.get_protection_reason(file):
            return True
        return not self.rule_index.has_no_possible_match(
            file.permission, rule_scope, file.spellings
        )

    def find_protection_reason(self, files: Iterable[FileAccess]) -> str:
        """Return the protection reason of the first protected file, or an empty string."""
        return next((reason for file in files if (reason := self.get_protection_reason(file))), "")

    def get_protection_reason(self, file: FileAccess) -> str:
        """Return why a change of the file always asks, or an empty string."""
        if file.protection_reason is None:
            file.protection_reason = self._find_reason(file.resolved_path)
        return file.protection_reason

    def _find_reason(self, resolved: ResolvedPath) -> str:
        for path in (resolved.path, *resolved.other_spellings):
            protected = self._protected_targets.get(path)
            if protected is None:
                target = self.resolver.to_target(path)
                is_protected = self.rule_index.protected_paths.is_protected(target)
                protected = self._protected_targets[path] = target if is_protected else ""
            if protected:
                return f"{protected} is protected, so each change needs approval"
        return ""
