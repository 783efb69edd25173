"""What a person granted for a project: kept outside the workspace, bound to its real root."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from actors.permissions.grants import find_grant_problem, with_grants, without_grant
from actors.permissions.policy_changes import PolicyUpdate
from actors.runtime.actor import JobFailure
from actors.sessions.errors import StoreError
from actors.sessions.file_system import FileSystem
from actors.sessions.json_store import StoreContents, change_store, read_store
from messages.permissions import (
    ProjectGrantsLoaded,
    ProjectGrantsUpdateFailed,
    RevokeGrant,
    StoreGrant,
)
from messages.policy import Policy, Rule

if TYPE_CHECKING:
    from pydantic import JsonValue

GRANTS_FORMAT = 1
_KEYS = {"permission", "pattern"}


@dataclass(frozen=True, slots=True)
class StoredGrants:
    """What the store says for one root."""

    rules: tuple[Rule, ...] = ()
    problem: str = ""
    """Why not all of it counts, in one line for people."""


@dataclass(frozen=True, slots=True)
class ProjectGrantStore:
    """The store of one workspace's grants; each call may wait for the disk."""

    path: Path
    root: Path
    """With links resolved; what was granted for another root does not count."""
    files: FileSystem | None = None

    def read(self) -> StoredGrants:
        """Read them; what cannot be read or understood grants nothing."""
        try:
            stored = read_store(self.path, GRANTS_FORMAT, self.files)
        except StoreError as error:
            return StoredGrants(problem=f"{error.detail}; nothing is granted for this project")
        rules, is_whole = self._rules(stored)
        strange = f"{self.path}: not all of it can be granted; that does not count"
        return StoredGrants(rules, stored.damage or ("" if is_whole else strange))

    def load(self) -> ProjectGrantsLoaded:
        """Say what they are now."""
        return ProjectGrantsLoaded(rules=self.read().rules, after_update=False)

    def apply_update(self, update: PolicyUpdate) -> ProjectGrantsLoaded | ProjectGrantsUpdateFailed:
        """Store a grant, or take one back; nobody else's change is lost."""
        try:
            stored = change_store(self.path, GRANTS_FORMAT, self._changed(update), self.files)
        except StoreError as error:
            return ProjectGrantsUpdateFailed(detail=error.detail)
        return ProjectGrantsLoaded(rules=self._rules(stored)[0])

    def _changed(
        self, change: PolicyUpdate
    ) -> "Callable[[StoreContents], Mapping[str, JsonValue]]":
        def content(old: StoreContents) -> "Mapping[str, JsonValue]":
            rules = _with(self._rules(old)[0], change)
            told: list[JsonValue] = [_written(rule) for rule in rules]
            return {"roots": {**_roots(old), str(self.root): told}}

        return content

    def _rules(self, stored: StoreContents) -> tuple[tuple[Rule, ...], bool]:
        """Say what counts, and whether that is all there is."""
        entries = _roots(stored).get(str(self.root), [])
        read = [_rule(entry) for entry in entries] if isinstance(entries, list) else [None]
        is_whole = None not in read and isinstance(stored.content.get("roots", {}), dict)
        return tuple(rule for rule in read if rule is not None), is_whole


async def apply_project_update(
    store: ProjectGrantStore, update: PolicyUpdate
) -> ProjectGrantsLoaded | ProjectGrantsUpdateFailed:
    """Change the store on a thread: it may wait for the disk, or for another program."""
    return await asyncio.to_thread(store.apply_update, update)


async def load_project_grants(store: ProjectGrantStore) -> ProjectGrantsLoaded:
    """Read the store on a thread."""
    return await asyncio.to_thread(store.load)


def on_project_update_failure(failure: JobFailure) -> ProjectGrantsUpdateFailed:
    """Say how a change of the store ended without an outcome of its own."""
    return ProjectGrantsUpdateFailed(detail=failure.detail)


def on_project_load_failure(_failure: JobFailure) -> ProjectGrantsLoaded:
    """Go without them."""
    return ProjectGrantsLoaded(rules=(), after_update=False)


def _with(rules: tuple[Rule, ...], change: PolicyUpdate) -> tuple[Rule, ...]:
    policy = Policy(project_grants=rules)
    if isinstance(change, StoreGrant):
        policy = with_grants(policy, change.rules, "project")
    elif isinstance(change, RevokeGrant):
        policy = without_grant(policy, change.rule, "project")
    return policy.project_grants


def _roots(stored: StoreContents) -> "dict[str, JsonValue]":
    roots = stored.content.get("roots")
    return roots if isinstance(roots, dict) else {}


def _written(rule: Rule) -> "JsonValue":
    return {key: value for key, value in asdict(rule).items() if key in _KEYS}


def _rule(entry: "JsonValue") -> Rule | None:
    """Read one entry; it can only allow, and only what could have been offered."""
    if not isinstance(entry, dict) or entry.keys() != _KEYS:
        return None
    if not all(isinstance(text, str) for text in entry.values()):
        return None
    fields = cast("dict[str, str]", entry)
    rule = Rule(permission=fields["permission"], pattern=fields["pattern"], action="allow")
    return None if find_grant_problem(rule) else rule
