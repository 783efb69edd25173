"""Opening exactly the file that a resolved path names, by descriptors that follow no link.

A resolved path has no links in it. One that is swapped in later makes the walk fail instead of
leading it elsewhere, and what was opened stays the same file whatever happens to its name.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import TargetChangedError, ToolError

# With O_PATH a folder that may be entered but not listed can be passed through; Linux alone has it.
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_MOVED = (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.EEXIST)


@contextmanager
def open_parent_folder(path: Path, *, create: bool = False) -> Generator[int, None, None]:
    """Open the folder that `path` stands in, making missing ones if asked to.

    Raises:
        OSError: there is no such folder, or a link stands in the way.
    """
    folder = os.open(path.anchor, _STEP)
    try:
        for name in path.parts[1:-1]:
            below = _enter(name, folder, create=create)
            os.close(folder)
            folder = below
        yield folder
    finally:
        os.close(folder)


@contextmanager
def open_folder(path: Path) -> Generator[int, None, None]:
    """Open the folder `path` itself, to list it.

    Raises:
        OSError: it is no folder any more, or may not be listed.
    """
    with open_parent_folder(path) as parent:
        folder = os.open(path.name or path.anchor, _LIST, dir_fd=parent)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def open_regular_file(path: Path, parent_folder: int) -> Generator[int, None, None]:
    """Open a regular file that stands in `folder`; never waits for a pipe or a device.

    Raises:
        ToolError: it is something else.
        OSError: it cannot be opened.
    """
    name = path.name or path.anchor
    # Opening alone can act on a device or a pipe, so the kind is looked at before, and, because
    # the name may be given to something else in between, again on what was opened.
    require_regular(os.stat(name, dir_fd=parent_folder, follow_symlinks=False).st_mode, path)
    file = os.open(name, _READ, dir_fd=parent_folder)
    try:
        require_regular(os.fstat(file).st_mode, path)
        yield file
    finally:
        os.close(file)


def require_regular(mode: int, path: Path) -> None:
    """Refuse everything that is not a plain file.

    Raises:
        ToolError: says what it is instead.
    """
    if not stat.S_ISREG(mode):
        hint = "; list it with ls" if stat.S_ISDIR(mode) else ""
        message = f"{escape_control_characters(str(path))} is {describe_mode(mode)}, not a regular file{hint}"
        raise ToolError(message)


def require_folder(path: Path, given_path: str) -> None:
    """Refuse everything that is not a folder.

    Raises:
        ToolError: says what it is instead.
        OSError: there is nothing.
    """
    mode = path.lstat().st_mode
    if not stat.S_ISDIR(mode):
        hint = "; use read" if stat.S_ISREG(mode) else ""
        message = (
            f"{escape_control_characters(given_path)} is {describe_mode(mode)}, not a folder{hint}"
        )
        raise ToolError(message)


def describe_mode(mode: int) -> str:
    """Name a kind of file for people."""
    for test, kind in (
        (stat.S_ISREG, "a regular file"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISLNK, "a link"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return kind
    return "a device"


def make_tool_error(error: OSError, given_path: str) -> ToolError:
    """Say what the system refused, for the model."""
    known = {
        errno.ENOENT: "no such file or folder",
        errno.ENOTDIR: "a part of the path is not a folder",
        errno.ELOOP: "the links in the path lead in a circle",
        errno.EACCES: "permission denied",
    }
    code = error.errno or 0
    return ToolError(
        f"{escape_control_characters(given_path)}: {known.get(code) or os.strerror(code)}"
    )


@contextmanager
def map_plan_errors(given_path: str) -> Generator[None, None, None]:
    """Turn what the system refuses into what the model reads."""
    try:
        yield
    except OSError as error:
        raise make_tool_error(error, given_path) from error


@contextmanager
def map_run_errors(given_path: str) -> Generator[None, None, None]:
    """As `planning`; but what was there when planned and is not now has drifted."""
    try:
        yield
    except OSError as error:
        if error.errno in _MOVED:
            message = f"{escape_control_characters(given_path)} was moved or replaced"
            raise TargetChangedError(message) from error
        raise make_tool_error(error, given_path) from error


def _enter(name: str, folder: int, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    return os.open(name, _STEP, dir_fd=folder)
