"""A real git repository to review."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Repository:
    """A git repository and what tests do in it."""

    root: Path

    def git(self, *words: str) -> str:
        settings = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "gc.auto=0")
        command = ["git", *settings, *words]
        result = subprocess.run(
            command, cwd=self.root, check=True, capture_output=True, timeout=30, text=True
        )
        return result.stdout.strip()

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, title: str = "change", **files: str) -> str:
        for name, text in files.items():
            self.write(f"{name}.py", text)
        self.git("add", "--all")
        self.git("commit", "-qm", title, "--allow-empty")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository on the branch main, without a commit."""
    root = tmp_path / "repository"
    root.mkdir()
    made = Repository(root)
    made.git("init", "-q", "--initial-branch=main")
    return made
