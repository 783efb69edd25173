"""A real repository, and a store that takes snapshots of it."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from actors.snapshots.snapshot_store import SnapshotStore
from actors.snapshots.undo import UndoPlan, carry_out, plan_undo


def open_store(root: Path, folder: Path, session_id: str = "session") -> SnapshotStore:
    """Return a store with the real clock, whose times are compared with those of files."""
    return SnapshotStore(root, folder, session_id, time.time)  # noqa: TID251


@dataclass(frozen=True)
class Repository:
    """A repository with a store for one session in it."""

    root: Path
    state: Path
    store: SnapshotStore

    def git(self, *words: str) -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        user = ("-c", "user.name=u", "-c", "user.email=u@example.com")
        allowed = ("-c", "protocol.file.allow=always")
        return subprocess.run(
            ["git", *user, *allowed, *words],
            cwd=self.root,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def take(self) -> str:
        return self.store.take("test").commit

    def list_files(self, commit: str) -> list[str]:
        names = self.store.repository.run("ls-tree", "-r", "-z", "--name-only", commit)
        return [os.fsdecode(name) for name in names.split(b"\0") if name]

    def read(self, commit: str, name: str) -> bytes:
        return self.store.repository.run("cat-file", "blob", f"{commit}:{name}")

    def undo(self, before: str, after: str) -> UndoPlan:
        plan = plan_undo(self.store, before, after)
        assert carry_out(self.store, plan) == ()
        return plan

    def make_store(self, session_id: str = "session") -> SnapshotStore:
        return open_store(self.root, self.state / "snapshots", session_id)


@pytest.fixture
def empty_repository(tmp_path: Path) -> Repository:
    root, state = tmp_path / "work", tmp_path / "state"
    root.mkdir()
    state.mkdir()
    store = open_store(root, state / "snapshots")
    repository = Repository(root, state, store)
    repository.git("init", "-q", "-b", "main")
    return repository


@pytest.fixture
def repository(empty_repository: Repository) -> Repository:
    empty_repository.write("a.txt", "one\n")
    empty_repository.write("src/b.py", "b = 1\n")
    empty_repository.write(".gitignore", "*.log\n")
    empty_repository.git("add", "-A")
    empty_repository.git("commit", "-qm", "first")
    return empty_repository
