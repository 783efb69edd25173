"""Whole files: what is in them, and putting a planned text in their place."""

import hashlib
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from actors.tools.safe_open import open_parent_folder, open_regular_file
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import TargetChangedError, ToolError
from messages.tool_calls import FileDigest, Patch

MAX_EDITABLE_BYTES = 10 * 1024 * 1024
"""Files longer than this are not edited or written as a whole."""
_CHUNK_BYTES = 256 * 1024
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SAME = os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileContent:
    """What stands in a file, or that there is none."""

    data: bytes | None
    file_digest: FileDigest


def compute_digest(data: bytes) -> str:
    """Name bytes by their SHA-256, in hex."""
    return hashlib.sha256(data).hexdigest()


def encode_text(text: str) -> bytes:
    """Turn the model's text into UTF-8.

    Raises:
        ToolError: it has half a surrogate pair in it.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        message = f"the text is not valid Unicode at character {error.start + 1}"
        raise ToolError(message) from error


def load_file(path: Path) -> FileContent:
    """Read a whole regular file that may be changed; a missing one has no data and no digest.

    Raises:
        ToolError: it is not a regular file, is write-protected or is too long.
        OSError: it cannot be read.
    """
    try:
        with open_parent_folder(path) as folder, open_regular_file(path, folder) as file:
            _require_changeable(path, folder, os.fstat(file).st_size)
            data = _read_all(file)
    except FileNotFoundError:
        return FileContent(None, FileDigest(path=str(path), digest=""))
    return FileContent(data, FileDigest(path=str(path), digest=compute_digest(data)))


def require_unchanged(
    file_digest: FileDigest, observed_files: Mapping[str, FileDigest], given_path: str
) -> None:
    """Refuse to change what the agent knows only as it was.

    Raises:
        ToolError: the file has another content than when the agent last saw it.
    """
    last = observed_files.get(file_digest.path)
    if last is not None and last.digest != file_digest.digest:
        message = (
            f"{escape_control_characters(given_path)} changed since it was read; read it again"
        )
        raise ToolError(message)


def apply_patch(patch: Patch) -> FileDigest:
    """Write `patch.after` where `patch.before` stood.

    The file keeps its mode and owner, and is replaced in one step where the system lets us. Its
    other names (hard links) keep the old text: nothing changes under a name that nobody judged.

    Raises:
        Drifted: the file is not what the patch was made from.
        ToolError: it has other names and cannot be replaced without changing them.
        OSError: it cannot be written.
    """
    path, data = Path(patch.path), encode_text(patch.new_text)
    with open_parent_folder(path, create=not patch.original.digest) as folder:
        if patch.original.digest:
            _require_digest(path, folder, patch.original.digest)
            _replace(path.name, folder, data)
        else:
            # Exclusive: a file that turned up meanwhile is an error, which counts as drift.
            _create(path.name, folder, data)
    return FileDigest(path=patch.path, digest=compute_digest(data))


def _require_changeable(path: Path, folder: int, size_bytes: int) -> None:
    if size_bytes > MAX_EDITABLE_BYTES:
        message = f"{escape_control_characters(path.name)} has {size_bytes:,} bytes; the most is "
        raise ToolError(message + f"{MAX_EDITABLE_BYTES:,}: change it with bash")
    if not os.access(path.name, os.W_OK, dir_fd=folder):
        message = f"{escape_control_characters(path.name)} is write-protected"
        raise ToolError(message)


def _require_digest(path: Path, folder: int, expected: str) -> None:
    with open_regular_file(path, folder) as file:
        if compute_digest(_read_all(file)) != expected:
            message = f"{escape_control_characters(str(path))} changed"
            raise TargetChangedError(message)


def _replace(name: str, folder: int, data: bytes) -> None:
    draft = f".{secrets.token_hex(8)}.tmp"
    try:
        _create(draft, folder, data, old=os.stat(name, dir_fd=folder, follow_symlinks=False))
    except PermissionError:
        _overwrite(name, folder, data)  # the folder is not ours, or the owner cannot be kept
        return
    try:
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(draft, dir_fd=folder)
        raise


def _create(name: str, folder: int, data: bytes, *, old: os.stat_result | None = None) -> None:
    file = os.open(name, _NEW, 0o666 if old is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            if old is not None:
                _take_after(file, old)
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


def _take_after(file: int, old: os.stat_result) -> None:
    new = os.fstat(file)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode) & 0o777)


def _overwrite(name: str, folder: int, data: bytes) -> None:
    file = os.open(name, _SAME, dir_fd=folder)
    with os.fdopen(file, "wb") as stream:
        # Only this name was judged: another one may stand where nothing may be written.
        if os.fstat(file).st_nlink > 1:
            message = f"{escape_control_characters(name)} has other names (hard links), and the system does not let "
            raise ToolError(message + "it be replaced without changing those too; nothing changed")
        stream.write(data)
        stream.truncate()


def _read_all(file: int) -> bytes:
    data = bytearray()
    while chunk := os.read(file, _CHUNK_BYTES):
        data += chunk
        if len(data) > MAX_EDITABLE_BYTES:  # a file that grows while it is read
            message = f"the file has more than {MAX_EDITABLE_BYTES:,} bytes"
            raise ToolError(message)
    return bytes(data)
