"""Our own git repository for the snapshots of one workspace, outside the workspace.

It borrows the objects of the workspace's repository, so that unchanged files take no space. Its
attributes turn off every conversion, so a blob has exactly the bytes of its file, and it has no
configuration in which a filter could be named. The workspace's repository never gets an object, a
ref or an index from us: commands, `git log --all` and `git push --mirror` cannot reach a snapshot.
"""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from actors.paths.safe_git import (
    GitError,
    run_git,
    run_git_in_own_repository,
    start_git_in_own_repository,
)

ATTRIBUTES = "* -text -ident -filter !eol !working-tree-encoding\n"
CONFIG = """\
[core]
	repositoryFormatVersion = 1
[extensions]
	objectFormat = {object_format}
"""
REF_PREFIX = "refs/snapshots"
MAX_SNAPSHOT_AGE_S = 14 * 24 * 3600
"""The workspace's repository keeps an object that we borrow, but nothing else names, as long."""
MAX_SNAPSHOTS = 500
"""Snapshots that are kept, of all sessions in the workspace."""
_AUTHOR = ("Greenroom", "greenroom@localhost")


class SnapshotRepository:
    """Runs git on the snapshots of one workspace."""

    def __init__(self, folder: Path, root: Path, session_id: str) -> None:
        """Use the repository in `folder`, which is created when it is opened."""
        self.folder = folder
        self.root = root
        self.index = folder / f"index-{session_id}"
        """Contains what is known about the files since the last snapshot of the session."""
        self._refs = f"{REF_PREFIX}/{session_id}"

    def open(self) -> None:
        """Create the repository if there is none, and borrow objects from the workspace's.

        Raises:
            GitError: git failed.
            OSError: the folder cannot be written.
        """
        options = ("--path-format=absolute", "--git-path", "objects")
        words = ("rev-parse", "--show-object-format", *options)
        answer = run_git(self.root, *words, compares_files=False)
        object_format, _, objects = os.fsdecode(answer).removesuffix("\n").partition("\n")
        # Not `git init`, which refuses `GIT_WORK_TREE`; and two sessions may do this at once.
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("info", "objects/info", "refs"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "config").write_text(CONFIG.format(object_format=object_format))
        (self.folder / "HEAD").write_text("ref: refs/heads/none\n")
        (self.folder / "info" / "attributes").write_text(ATTRIBUTES)
        # A line break would end the entry; then every object is copied.
        alternates = f"{objects}\n" if "\n" not in objects else ""
        (self.folder / "objects" / "info" / "alternates").write_bytes(os.fsencode(alternates))

    def run(
        self, *words: str, stdin: bytes = b"", index: Path | None = None, timeout_s: float = 30.0
    ) -> bytes:
        """Run git with the session's index, or another one.

        Raises:
            GitError: git failed.
        """
        name, email = _AUTHOR
        variables: tuple[tuple[str, str], ...] = (
            ("GIT_INDEX_FILE", str(index or self.index)),
            *((f"GIT_{role}_NAME", name) for role in ("AUTHOR", "COMMITTER")),
            *((f"GIT_{role}_EMAIL", email) for role in ("AUTHOR", "COMMITTER")),
        )
        return run_git_in_own_repository(
            self.folder, self.root, *words, stdin=stdin, timeout_s=timeout_s, variables=variables
        )

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a git command that is written to and read from.

        Raises:
            GitError: git could not be run.
        """
        return start_git_in_own_repository(self.folder, self.root, *words)

    def commit(self, tree: str, label: str) -> str:
        """Create a commit without a parent and a ref for it, and return its hash."""
        commit = self.run("commit-tree", "-m", label, tree).decode().strip()
        self.run("update-ref", f"{self._refs}/{commit}", commit)
        return commit

    def delete_old(self, now_s: float) -> int:
        """Delete old snapshots, and those above the maximum number; return how many.

        Raises:
            GitError: git failed.
        """
        order = "--sort=-committerdate"
        fields = "--format=%(committerdate:unix) %(refname)"
        lines = self.run("for-each-ref", order, fields, REF_PREFIX).decode().splitlines()
        expired = [
            ref
            for position, (time_s, _, ref) in enumerate(line.partition(" ") for line in lines)
            if position >= MAX_SNAPSHOTS or now_s - float(time_s) > MAX_SNAPSHOT_AGE_S
        ]
        if expired:
            deletions = "".join(f"delete {ref}\n" for ref in expired)
            self.run("update-ref", "--stdin", stdin=deletions.encode())
        return len(expired)

    def prune_objects(self) -> None:
        """Delete what no snapshot needs; slow, so it runs on a thread of its own."""
        # Objects of a snapshot that another session is taking have no ref yet.
        with suppress(GitError):
            self.run("prune", "--expire=1.day.ago")


def is_available(root: Path) -> bool:
    """Return whether the workspace is a git repository."""
    return os.path.lexists(root / ".git")
