"""Takes the snapshots of one session."""

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from actors.paths.safe_git import GitError
from actors.sessions.session_log import WallClock
from actors.snapshots.snapshot_repository import SnapshotRepository, is_available
from actors.snapshots.workspace_files import FileStatus, WorkspaceFiles, list_files

MAX_STAGING_S = 20.0
_TIMESTAMP_STEP_NS = 100_000_000
"""A file that changed this shortly before it was read may change again under the same times."""
NO_REPOSITORY = "the workspace is not a git repository"


class SnapshotError(Exception):
    """No snapshot could be taken; the text is for the user."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The workspace at one moment."""

    commit: str
    omitted: tuple[str, ...] = ()
    """Files that are not in it, because they are too large or cannot be read."""


class SnapshotStore:
    """Takes snapshots, one at a time; every method blocks.

    All agents of a session and its screen share one store.
    """

    def __init__(self, root: Path, folder: Path, session_id: str, wall_clock: WallClock) -> None:
        """Take snapshots of the workspace `root` into the repository in `folder`."""
        self.root = root
        self.repository = SnapshotRepository(folder, root, session_id)
        self.is_disabled = False
        """A snapshot of a turn could not be taken, so that no more are tried in this run."""
        self._wall_clock = wall_clock
        self._lock = threading.Lock()
        self._is_open = False
        self._staged: dict[bytes, FileStatus] = {}
        """The files when the index was last brought up to date."""
        self._recent: set[bytes] = set()
        """Those that had just been changed, so that their status does not show another change."""
        self._index_paths: set[bytes] | None = None
        """What the index contains; None: not known."""
        self._tree: str = ""
        self._commit: str = ""
        """The last snapshot."""
        self._is_committed = False
        """The index is the last snapshot."""

    def take(self, label: str) -> Snapshot:
        """Take a snapshot; if nothing has changed, it is the last one.

        Raises:
            SnapshotError: it could not be taken.
        """
        with self._lock:
            try:
                self._open()
                return self._take(label)
            except (GitError, OSError) as error:
                raise SnapshotError(str(error)) from error

    def open(self) -> None:
        """Make the snapshots of earlier runs readable.

        Raises:
            SnapshotError: the workspace is not a git repository.
            GitError: git failed.
            OSError: the folder cannot be written.
        """
        with self._lock:
            self._open()

    def _open(self) -> None:
        if self._is_open:
            return
        if not is_available(self.root):
            raise SnapshotError(NO_REPOSITORY)
        self.repository.open()
        # Only this session uses the index, so its lock is from a process that was killed.
        Path(f"{self.repository.index}.lock").unlink(missing_ok=True)
        self._is_open = True
        if self.repository.delete_old(self._wall_clock()):
            threading.Thread(target=self.repository.prune_objects, daemon=True).start()

    def _take(self, label: str) -> Snapshot:
        started_ns = int(self._wall_clock() * 1e9)
        files = list_files(self.root, self.repository.folder)
        is_unchanged = files.statuses == self._staged and not self._recent
        if self._is_committed and is_unchanged:
            omitted = tuple(os.fsdecode(path) for path in files.omitted)
            return Snapshot(self._commit, omitted)
        try:
            unreadable = self._stage(files, ())
        except GitError:  # a file that cannot be read, or a damaged index
            self._forget_index()
            unreadable = tuple(path for path in files.statuses if not _is_readable(self.root, path))
            self._stage(files, unreadable)
        self._staged = files.statuses
        newest_ns = started_ns - _TIMESTAMP_STEP_NS
        self._recent = {path for path, status in self._staged.items() if status[4] >= newest_ns}
        omitted = tuple(os.fsdecode(path) for path in (*files.omitted, *unreadable))
        return Snapshot(self._commit_index(label), omitted)

    def _stage(self, files: WorkspaceFiles, unreadable: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """Bring the index up to date with the files."""
        run = self.repository.run
        if self._index_paths is None:
            has_index = self.repository.index.exists()
            listing = run("ls-files", "-z", "--cached") if has_index else b""
            self._index_paths = {path for path in listing.split(b"\0") if path}
        wanted = files.statuses.keys() - set(unreadable)
        removed = self._index_paths - wanted
        changed = [
            path
            for path in wanted
            if path in self._recent or self._staged.get(path) != files.statuses[path]
        ]
        if removed or changed:
            self._is_committed = False
        if removed:
            forget = ("update-index", "-z", "--force-remove", "--stdin")
            run(*forget, stdin=_join(removed), timeout_s=MAX_STAGING_S)
        if changed:
            words = ("update-index", "-z", "--add", "--remove", "--replace", "--stdin")
            run(*words, stdin=_join(changed), timeout_s=MAX_STAGING_S)
        self._index_paths = set(wanted)
        return unreadable

    def _commit_index(self, label: str) -> str:
        if not self._is_committed:
            # The content was just written; git would look for each file's again.
            tree = self.repository.run("write-tree", "--missing-ok").decode().strip()
            if tree != self._tree:
                self._commit = self.repository.commit(tree, label)
            self._tree, self._is_committed = tree, True
        return self._commit

    def _forget_index(self) -> None:
        self.repository.index.unlink(missing_ok=True)
        Path(f"{self.repository.index}.lock").unlink(missing_ok=True)
        self._staged, self._index_paths, self._is_committed = {}, set[bytes](), False


def _join(paths: list[bytes] | set[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in sorted(paths))


def _is_readable(root: Path, path: bytes) -> bool:
    full_path = root / os.fsdecode(path)
    return full_path.is_symlink() or os.access(full_path, os.R_OK)
