"""The grants of a project, stored outside the workspace under its resolved root."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from actors.permissions.grants import find_grant_problem, with_grants, without_grant
from actors.permissions.policy_changes import PolicyUpdate
from actors.runtime.actor import JobFailure
from actors.sessions.errors import StoreError
from actors.sessions.file_system import FileSystem
from actors.sessions.json_store import StoreContents, change_store, read_store
from messages.base import Message
from messages.permissions import RevokeGrant, StoreGrant
from messages.policy import Policy, Rule, ToolDeclaration

if TYPE_CHECKING:
    from pydantic import JsonValue

GRANTS_FORMAT = 1
_ENTRY_KEYS = {"permission", "pattern"}
_OPTIONAL_KEYS = {"executed_digest"}


class ProjectGrantsLoaded(Message):
    """The grants that the store contains; sent by a job to its engine."""

    type: Literal["project_grants_loaded"] = "project_grants_loaded"
    rules: tuple[Rule, ...]
    after_update: bool = True
    """They are the result of an update; otherwise they were only read."""


class ProjectGrantsUpdateFailed(Message):
    """The store could not be changed; sent by a job to its engine."""

    type: Literal["project_grants_update_failed"] = "project_grants_update_failed"
    detail: str


@dataclass(frozen=True, slots=True)
class StoredGrants:
    """The valid grants of one workspace root."""

    rules: tuple[Rule, ...] = ()
    problem: str = ""
    """One line for the user if entries were ignored."""


@dataclass(frozen=True, slots=True)
class ProjectGrantStore:
    """The file with the grants of one workspace; its methods block on the disk."""

    path: Path
    root: Path
    """With links resolved; grants for another root are ignored."""
    tools: tuple[ToolDeclaration, ...]
    """The tools that a grant may name."""
    files: FileSystem | None = None

    def read(self) -> StoredGrants:
        """Return the grants; what cannot be read or is invalid grants nothing."""
        try:
            contents = read_store(self.path, GRANTS_FORMAT, self.files)
        except StoreError as error:
            return StoredGrants(problem=f"{error.detail}; no project grants apply")
        rules, is_valid = self._parse_rules(contents)
        ignored = "" if is_valid else f"{self.path}: entries that cannot be granted are ignored"
        return StoredGrants(rules, contents.damage or ignored)

    def load(self) -> ProjectGrantsLoaded:
        """Read the grants for the engine."""
        return ProjectGrantsLoaded(rules=self.read().rules, after_update=False)

    def apply_update(self, update: PolicyUpdate) -> ProjectGrantsLoaded | ProjectGrantsUpdateFailed:
        """Add or remove a grant; changes by other processes are kept."""
        try:
            contents = change_store(
                self.path, GRANTS_FORMAT, self._build_change(update), self.files
            )
        except StoreError as error:
            return ProjectGrantsUpdateFailed(detail=error.detail)
        return ProjectGrantsLoaded(rules=self._parse_rules(contents)[0])

    def _build_change(
        self, update: PolicyUpdate
    ) -> "Callable[[StoreContents], Mapping[str, JsonValue]]":
        def build_content(old: StoreContents) -> "Mapping[str, JsonValue]":
            rules = _apply_to_grants(self._parse_rules(old)[0], update)
            entries: list[JsonValue] = [_to_entry(rule) for rule in rules]
            return {"roots": {**_get_roots(old), str(self.root): entries}}

        return build_content

    def _parse_rules(self, contents: StoreContents) -> tuple[tuple[Rule, ...], bool]:
        """Return the valid rules of this root, and whether all entries are valid."""
        entries = _get_roots(contents).get(str(self.root), [])
        parsed = (
            [_parse_entry(entry, self.tools) for entry in entries]
            if isinstance(entries, list)
            else [None]
        )
        is_valid = None not in parsed and isinstance(contents.content.get("roots", {}), dict)
        return tuple(rule for rule in parsed if rule is not None), is_valid


def on_project_update_failure(failure: JobFailure) -> ProjectGrantsUpdateFailed:
    """Return the failure of an update that raised an exception or was cancelled."""
    return ProjectGrantsUpdateFailed(detail=failure.detail)


def on_project_load_failure(_failure: JobFailure) -> ProjectGrantsLoaded:
    """Return no grants, because they could not be read."""
    return ProjectGrantsLoaded(rules=(), after_update=False)


def _apply_to_grants(rules: tuple[Rule, ...], update: PolicyUpdate) -> tuple[Rule, ...]:
    policy = Policy(project_grants=rules)
    if isinstance(update, StoreGrant):
        policy = with_grants(policy, update.rules, "project")
    elif isinstance(update, RevokeGrant):
        policy = without_grant(policy, update.rule, "project")
    return policy.project_grants


def _get_roots(contents: StoreContents) -> "dict[str, JsonValue]":
    roots = contents.content.get("roots")
    return roots if isinstance(roots, dict) else {}


def _to_entry(rule: Rule) -> "JsonValue":
    keys = _ENTRY_KEYS | _OPTIONAL_KEYS
    return {key: value for key, value in asdict(rule).items() if key in keys and value}


def _parse_entry(entry: "JsonValue", tools: tuple[ToolDeclaration, ...]) -> Rule | None:
    """Return the allow rule of an entry, or None if it could not have been offered as a grant."""
    if not isinstance(entry, dict) or entry.keys() - _OPTIONAL_KEYS != _ENTRY_KEYS:
        return None
    if not all(isinstance(value, str) for value in entry.values()):
        return None
    fields = cast("dict[str, str]", entry)
    rule = Rule(**fields, action="allow")
    return None if find_grant_problem(rule, tools) else rule
