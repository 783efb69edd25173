"""Few commands of an ordinary day ask, and those that may run without a question only read."""

import hashlib
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from actors.paths.resolve import WorkspacePaths
from messages.policy import Policy
from tests.actors.bash.everyday_cases import LOOKING, WORKING, WORKING_RULES
from tests.actors.bash.read_only_cases import READ_ONLY, READ_ONLY_EDGE_CASES
from tests.actors.permissions.decision_helpers import (
    DEFAULT_POLICY,
    decide_action,
    rule,
    user_rules,
)

MAX_LOOKING_ASKS = 21
MAX_WORKING_ASKS = 11
TRUSTED_DEFAULTS = replace(DEFAULT_POLICY, trusted=True)
WITH_RULES = replace(
    TRUSTED_DEFAULTS,
    sources=(user_rules(*(rule("bash", pattern) for pattern in WORKING_RULES)),),
)
SKIPPED = re.compile(r"while true|until|.*\b(?:sleep|version)\b")
"""They do not end, or take long to start and only print a version."""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with files, an ignored `.env` and one commit."""
    root = tmp_path.resolve() / "project"
    for folder in ("src", "lib", "docs", "tests"):
        (root / folder).mkdir(parents=True)
    for name in ("a", "b", "c", "x", "setup.py", "package.json", "src/a.py", "src/b.py"):
        (root / name).write_text('{"name": "x"}\n')
    for name in ("lib/app.ts", "lib/run.py", "docs/index.md", "notes.md"):
        (root / name).write_text("text\n")
    (root / ".gitignore").write_text(".env\n")
    (root / "docs" / "HEAD").write_text("text\n")
    identity = ("-c", "user.name=A", "-c", "user.email=a@b")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "x")):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


def list_asks(commands: str, root: Path, policy: Policy) -> list[str]:
    paths = WorkspacePaths(root=str(root), cwd=str(root), home="/nowhere/home")
    return [
        command
        for command in commands.strip().splitlines()
        if decide_action("bash", command, policy, workspace_paths=paths) != "allow"
    ]


def compute_digests(root: Path) -> dict[str, str]:
    """Return what is in each file below a folder; git may refresh its index."""
    files = (path for path in root.rglob("*") if path.is_file() and path.name != "index")
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_few_commands_that_only_look_ask(repository: Path) -> None:
    assert len(list_asks(LOOKING, repository, TRUSTED_DEFAULTS)) <= MAX_LOOKING_ASKS


def test_few_commands_ask_under_ordinary_user_rules(repository: Path) -> None:
    assert len(list_asks(WORKING, repository, WITH_RULES)) <= MAX_WORKING_ASKS


def test_read_only_commands_change_no_file_in_bash(repository: Path, tmp_path: Path) -> None:
    asking = {*list_asks(LOOKING, repository, TRUSTED_DEFAULTS)}
    looking = [command for command in LOOKING.strip().splitlines() if command not in asking]
    commands = [*looking, *(case.command for case in (*READ_ONLY, *READ_ONLY_EDGE_CASES))]
    before = compute_digests(tmp_path)
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_PAGER": "touch pager"}
    script = "\n".join(
        f"(\n{command}\n) </dev/null" for command in commands if not SKIPPED.match(command)
    )

    subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=repository,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )

    assert compute_digests(tmp_path) == before
