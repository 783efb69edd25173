"""Reads whole files, and replaces them with a planned text."""

import hashlib
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.tools.safe_open import CREATE_FLAGS, open_parent_folder, open_regular_file
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import TargetChangedError, ToolError
from messages.tool_calls import FileDigest, Patch

MAX_EDITABLE_BYTES = 10 * 1024 * 1024
"""The largest file that `edit` and `write` take."""
_CHUNK_BYTES = 256 * 1024
_OVERWRITE_FLAGS = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file, or the fact that there is none."""

    data: bytes | None
    """None: there is no such file."""
    file_digest: FileDigest


def compute_digest(data: bytes) -> str:
    """Return the SHA-256 of `data`, in hex."""
    return hashlib.sha256(data).hexdigest()


def encode_text(text: str) -> bytes:
    """Encode the model's text as UTF-8.

    Raises:
        ToolError: it contains an unpaired surrogate.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        message = f"the text is not valid Unicode at character {error.start + 1}"
        raise ToolError(message) from error


def load_file(path: Path) -> FileContent:
    """Read a regular file that is to be changed; a missing file has no data and an empty digest.

    Raises:
        ToolError: it is not a regular file, is read-only or is too large.
        OSError: it cannot be read.
    """
    try:
        with open_parent_folder(path) as folder, open_regular_file(path, folder) as file:
            _require_editable(path, folder, os.fstat(file).st_size)
            data = _read_all(file)
    except FileNotFoundError:
        return FileContent(None, FileDigest(path=str(path), digest=""))
    return FileContent(data, FileDigest(path=str(path), digest=compute_digest(data)))


def require_unchanged(
    file_digest: FileDigest, observed_files: Mapping[str, FileDigest], given_path: str
) -> None:
    """Check that a file's content is what the agent last saw.

    Raises:
        ToolError: it has changed since then.
    """
    observed = observed_files.get(file_digest.path)
    if observed is not None and observed.digest != file_digest.digest:
        name = escape_control_characters(given_path)
        message = f"{name} has changed since you last read it; read it again"
        raise ToolError(message)


def apply_patch(patch: Patch) -> FileDigest:
    """Replace the patch's original content with its new text.

    The file keeps its mode and owner, and is replaced atomically where the system allows it. Other
    hard links keep the old text: nothing changes under a name that was not evaluated.

    Raises:
        TargetChangedError: the file is not what the patch was made from.
        ToolError: it has other hard links and cannot be replaced without changing them.
        OSError: it cannot be written.
    """
    path, data = Path(patch.path), encode_text(patch.new_text)
    with open_parent_folder(path, create=not patch.original.digest) as folder:
        if patch.original.digest:
            _require_digest(path, folder, patch.original.digest)
            _replace(path.name, folder, data)
        else:
            # Exclusive: a file that appeared meanwhile is an error, reported as a changed target.
            _create(path.name, folder, data)
    return FileDigest(path=patch.path, digest=compute_digest(data))


def _require_editable(path: Path, folder: int, size_bytes: int) -> None:
    if size_bytes > MAX_EDITABLE_BYTES:
        message = (
            f"{escape_control_characters(path.name)} is {size_bytes:,} bytes long; the maximum is "
            f"{MAX_EDITABLE_BYTES:,}. Change it with bash"
        )
        raise ToolError(message)
    if not os.access(path.name, os.W_OK, dir_fd=folder):
        message = f"{escape_control_characters(path.name)} is read-only"
        raise ToolError(message)


def _require_digest(path: Path, folder: int, expected: str) -> None:
    with open_regular_file(path, folder) as file:
        if compute_digest(_read_all(file)) != expected:
            message = f"{escape_control_characters(str(path))} has changed"
            raise TargetChangedError(message)


def _replace(name: str, folder: int, data: bytes) -> None:
    temporary = f".{secrets.token_hex(8)}.tmp"
    try:
        _create(temporary, folder, data, old=os.stat(name, dir_fd=folder, follow_symlinks=False))
    except PermissionError:
        _overwrite(name, folder, data)  # the folder is read-only, or the owner cannot be preserved
        return
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=folder)
        raise


def _create(name: str, folder: int, data: bytes, *, old: os.stat_result | None = None) -> None:
    # Until it has its owner and mode, nobody else may read it.
    file = os.open(name, CREATE_FLAGS, 0o666 if old is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            if old is not None:
                _copy_owner_and_mode(file, old)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


def _copy_owner_and_mode(file: int, old: os.stat_result) -> None:
    new = os.fstat(file)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode) & 0o777)  # a write drops set-user-ID, too


def _overwrite(name: str, folder: int, data: bytes) -> None:
    file = os.open(name, _OVERWRITE_FLAGS, dir_fd=folder)
    with os.fdopen(file, "wb") as stream:
        # Only this name was evaluated: another one may be where writing is not allowed.
        if os.fstat(file).st_nlink > 1:
            message = (
                f"{escape_control_characters(name)} has other hard links and cannot be replaced "
                "without changing them too; nothing was changed"
            )
            raise ToolError(message)
        stream.write(data)
        stream.truncate()


def _read_all(file: int) -> bytes:
    content = bytearray()
    while chunk := os.read(file, _CHUNK_BYTES):
        content += chunk
        if len(content) > MAX_EDITABLE_BYTES:  # the file grew while it was read
            message = f"the file is longer than {MAX_EDITABLE_BYTES:,} bytes; change it with bash"
            raise ToolError(message)
    return bytes(content)
