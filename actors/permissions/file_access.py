"""The files that one call would touch: each is looked at once, and told as far as it is heard."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from actors.paths.resolve import PathResolver, ResolvedPath, is_in_workspace
from actors.permissions.access import Access, RuleScope
from actors.permissions.protected_paths import is_plan_file
from actors.permissions.rule_index import RuleIndex
from actors.permissions.rules import FILE_CHANGE_PERMISSIONS, FILE_READ_PERMISSIONS

_Named = tuple[str, str, str]
"""What is done to a path: permission, path, and the folder it counts from."""


@dataclass(slots=True, eq=False)
class FileAccess:
    """What a call does to one path, as it was found."""

    permission: str
    resolved_path: ResolvedPath
    target: str
    spellings: tuple[str, ...]
    """The target and its other spellings: what rules see that ask or deny."""
    problem: str
    """Why it may be another file when it is used; empty: it is certain."""
    reported: RuleScope | None = None
    """The most that was told of it as an argument of a command."""
    protection_reason: str | None = None
    """Why a change of it needs an answer to this very call; None: nobody asked yet."""


@dataclass(slots=True)
class FileAccesses:
    """One decision's files: each is looked at once, however often it comes up."""

    resolver: PathResolver
    rule_index: RuleIndex
    _found: dict[_Named, FileAccess] = field(default_factory=dict[_Named, FileAccess])
    _guarded: dict[str, str] = field(default_factory=dict[str, str])
    """By path its target, if that is protected; else nothing. Links and permissions share paths."""

    def look_up(self, permission: str, path: str, base: str) -> FileAccess:
        """Look at a path that counts from the resolved folder `base`."""
        named = (permission, path, base)
        file = self._found.get(named)
        if file is None:
            file = self._found[named] = self._look(permission, path, base)
        return file

    def _look(self, permission: str, path: str, base: str) -> FileAccess:
        place = self.resolver.resolve(path, base)
        target = self.resolver.to_target(place.path)
        texts = (target,) if target == place.path else (target, place.path)
        if place.other_spellings:
            texts = (target, *map(self.resolver.to_target, place.other_spellings), *texts[1:])
        problem = f"{path[:200]!r}: {place.problem}" if place.problem else ""
        return FileAccess(permission, place, target, texts, problem)

    def build_access(self, file: FileAccess, tool: str, rule_scope: RuleScope) -> Access:
        """Make it something to be decided; where only a deny counts, a doubt counts nothing."""
        changes = file.permission in FILE_CHANGE_PERMISSIONS
        return Access(
            file.permission,
            file.target,
            tool,
            rule_scope,
            other_spellings=file.spellings[1:],
            is_case_insensitive=file.resolved_path.is_case_insensitive,
            is_in_workspace=self.is_in_workspace(file),
            ask_reason="" if rule_scope == "denies" else file.problem,
            protection_reason=self.get_protection_reason(file) if changes else "",
            is_plan_file=changes and is_plan_file(file.target),
            changes_nothing=file.permission in FILE_READ_PERMISSIONS,
            is_target_unknown=bool(file.problem),
        )

    def is_in_workspace(self, file: FileAccess) -> bool:
        """Whether it is in the workspace or an added folder."""
        return is_in_workspace(file.target, self.resolver.workspace_paths.added_folders)

    def can_match_rule(self, file: FileAccess, rule_scope: RuleScope) -> bool:
        """Whether anything could be said against it that counts for this weight."""
        if file.problem and rule_scope != "denies":
            return True
        if file.permission in FILE_CHANGE_PERMISSIONS and self.get_protection_reason(file):
            return True
        return not self.rule_index.has_no_possible_match(
            file.permission, rule_scope, file.spellings
        )

    def find_protection_reason(self, files: Iterable[FileAccess]) -> str:
        """Say why a change of these needs an answer to this very call; empty: no reason."""
        for file in files:
            if self.get_protection_reason(file):
                return self.get_protection_reason(file)
        return ""

    def get_protection_reason(self, file: FileAccess) -> str:
        """Say it of one."""
        if file.protection_reason is None:
            file.protection_reason = self._guard(file.resolved_path)
        return file.protection_reason

    def _guard(self, place: ResolvedPath) -> str:
        for each in (place.path, *place.other_spellings):
            guarded = self._guarded.get(each)
            if guarded is None:
                target = self.resolver.to_target(each)
                held = self.rule_index.protected_paths.is_protected(target)
                guarded = self._guarded[each] = target if held else ""
            if guarded:
                return f"{guarded} is protected: only an answer to this very call"
        return ""
