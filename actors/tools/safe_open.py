"""Opens exactly the file that a resolved path names, through descriptors that follow no links.

A resolved path has no links in it. If one is swapped in later, the walk fails instead of leading
elsewhere, and an opened file stays the same whatever happens to its name.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from actors.tools.similar_names import suggest_names
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import TargetChangedError, ToolContext, ToolError

# O_PATH passes through a folder that may be entered but not listed; only Linux has it.
_TRAVERSE_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
LIST_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""To list a folder."""
READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""To read a file without waiting for a pipe or a device."""
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""To create a file that does not exist yet."""
_MOVED_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.EEXIST)


@contextmanager
def open_parent_folder(path: Path, *, create: bool = False) -> Generator[int, None, None]:
    """Open the folder that contains `path`, creating missing ones if `create` is set.

    Raises:
        OSError: there is no such folder, or a part of the path is a link.
    """
    folder = os.open(path.anchor, _TRAVERSE_FLAGS)
    try:
        for name in path.parts[1:-1]:
            subfolder = _open_subfolder(name, folder, create=create)
            os.close(folder)
            folder = subfolder
        yield folder
    finally:
        os.close(folder)


@contextmanager
def open_folder(path: Path) -> Generator[int, None, None]:
    """Open the folder `path` itself, to list it.

    Raises:
        OSError: it is no longer a folder, or may not be listed.
    """
    with open_parent_folder(path) as parent:
        folder = os.open(path.name or path.anchor, LIST_FLAGS, dir_fd=parent)
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def open_regular_file(path: Path, parent_folder: int) -> Generator[int, None, None]:
    """Open a regular file in `parent_folder`; never wait for a pipe or a device.

    Raises:
        ToolError: it is not a regular file.
        OSError: it cannot be opened.
    """
    name = path.name or path.anchor
    # Merely opening a device or a pipe can have an effect, so the kind is checked before opening.
    # The name may be replaced in between, so it is checked again on the opened file.
    require_regular(os.stat(name, dir_fd=parent_folder, follow_symlinks=False).st_mode, path)
    file = os.open(name, READ_FLAGS, dir_fd=parent_folder)
    try:
        require_regular(os.fstat(file).st_mode, path)
        yield file
    finally:
        os.close(file)


def require_regular(mode: int, path: Path) -> None:
    """Check that a file is a regular file.

    Raises:
        ToolError: it is not; the text says what it is.
    """
    if not stat.S_ISREG(mode):
        hint = "; list it with ls" if stat.S_ISDIR(mode) else ""
        name = escape_control_characters(str(path))
        message = f"{name} is {describe_mode(mode)}, not a regular file{hint}"
        raise ToolError(message)


def require_folder(path: Path, given_path: str) -> None:
    """Check that a file is a folder.

    Raises:
        ToolError: it is not; the text says what it is.
        OSError: it does not exist.
    """
    mode = path.lstat().st_mode
    if not stat.S_ISDIR(mode):
        hint = "; use read" if stat.S_ISREG(mode) else ""
        name = escape_control_characters(given_path)
        message = f"{name} is {describe_mode(mode)}, not a directory{hint}"
        raise ToolError(message)


def describe_mode(mode: int) -> str:
    """Return the kind of file, for the model."""
    for test, kind in (
        (stat.S_ISREG, "a regular file"),
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISLNK, "a symbolic link"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return kind
    return "a device"


def make_tool_error(error: OSError, given_path: str) -> ToolError:
    """Describe a system error for the model."""
    descriptions = {
        errno.ENOENT: "no such file or directory",
        errno.ENOTDIR: "a part of the path is not a directory",
        errno.ELOOP: "the symbolic links in the path form a loop",
        errno.EACCES: "permission denied",
    }
    code = error.errno or 0
    description = descriptions.get(code) or os.strerror(code)
    return ToolError(f"{escape_control_characters(given_path)}: {description}")


@contextmanager
def map_plan_errors(
    given_path: str, path: Path, context: ToolContext
) -> Generator[None, None, None]:
    """Turn system errors into errors for the model; for a missing file, suggest similar names."""
    try:
        yield
    except FileNotFoundError as error:
        hint = suggest_names(path, context.workspace)
        message = f"{make_tool_error(error, given_path)}{hint}"
        raise ToolError(message) from error
    except OSError as error:
        raise make_tool_error(error, given_path) from error


@contextmanager
def map_run_errors(given_path: str) -> Generator[None, None, None]:
    """Turn system errors into errors for the model; a file that moved is a changed target."""
    try:
        yield
    except OSError as error:
        if error.errno in _MOVED_ERRORS:
            message = f"{escape_control_characters(given_path)} was moved or replaced"
            raise TargetChangedError(message) from error
        raise make_tool_error(error, given_path) from error


def _open_subfolder(name: str, folder: int, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    return os.open(name, _TRAVERSE_FLAGS, dir_fd=folder)
