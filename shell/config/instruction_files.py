"""Reads instruction files: the user's, and the project's from its root to the current directory."""

import os
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definition.system_prompts import Instructions
from actors.paths.workspace import Workspace
from shell.config.bounded_read import read_regular_file
from shell.text.sanitize import sanitize, sanitize_line

FILE_NAME = "AGENTS.md"
FALLBACK_NAMES = ("CLAUDE.md", "GEMINI.md")
"""Names that other coding agents use; the first one is read in a project folder without ours."""
MAX_FILE_BYTES = 32 * 1024
MAX_TOTAL_BYTES = 96 * 1024
"""Size of all files together; files beyond it are named, but their text is left out."""


class InstructionFileError(Exception):
    """A file cannot be used as instructions; the text says why."""


@dataclass(frozen=True, slots=True)
class LoadedInstructions:
    """The instructions in use, and the problems with other files."""

    files: tuple[Instructions, ...] = ()
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """Which files of other coding agents are used."""


def list_instruction_paths(workspace: Workspace) -> tuple[Path, ...]:
    """List the project's instruction files, root first; at most one in each folder."""
    names = workspace.cwd.relative_to(workspace.root).parts
    folders = (workspace.root.joinpath(*names[:depth]) for depth in range(len(names) + 1))
    return tuple(path for folder in folders if (path := _find_file(folder)))


def _find_file(folder: Path) -> Path | None:
    paths = (folder / name for name in (FILE_NAME, *FALLBACK_NAMES))
    return next((path for path in paths if os.path.lexists(path)), None)


def read_instructions(
    user_file: Path, workspace: Workspace, *, trusted: bool
) -> LoadedInstructions:
    """Read the user's file, and those of a trusted project."""
    candidates = [
        (user_file, None),
        *((path, workspace.root) for path in list_instruction_paths(workspace) if trusted),
    ]
    files: dict[str, Instructions] = {}
    problems: list[str] = []
    notices: list[str] = []
    left_bytes = MAX_TOTAL_BYTES
    for path, project_root in candidates:
        real_path = os.path.realpath(path)
        if not os.path.lexists(path) or real_path in files:
            continue
        try:
            files[real_path] = _read_file(path, project_root, min(MAX_FILE_BYTES, left_bytes))
        except InstructionFileError as error:
            problems.append(f"{path}: {error}; the file is ignored")
        else:
            left_bytes -= min(files[real_path].file_bytes, MAX_FILE_BYTES, left_bytes)
            if path.name in FALLBACK_NAMES and files[real_path].text:
                notices.append(f"using {path} as instructions, since there is no {FILE_NAME}")
    used = tuple(file for file in files.values() if file.text)
    return LoadedInstructions(used, tuple(problems), tuple(notices))


def _read_file(path: Path, project_root: Path | None, max_bytes: int) -> Instructions:
    if project_root and not Path(os.path.realpath(path)).is_relative_to(project_root):
        message = "is a link to a file outside the workspace"
        raise InstructionFileError(message)
    try:
        data = read_regular_file(path, max_bytes + 1)
        file_bytes = path.stat().st_size
    except OSError as error:
        raise InstructionFileError(error.strerror or "cannot be read") from error
    truncated = len(data) > max_bytes
    text = sanitize(_decode(data[:max_bytes], truncated=truncated).replace("\r\n", "\n"))
    note = f"\n[truncated: the first {max_bytes:,} of {file_bytes:,} bytes]" if truncated else ""
    return Instructions(
        sanitize_line(str(path)),
        f"{text.strip()}{note}".strip(),
        file_bytes=file_bytes,
        truncated=truncated,
    )


def _decode(data: bytes, *, truncated: bool) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if truncated and error.reason == "unexpected end of data":
            return data[: error.start].decode("utf-8-sig")
        line = data.count(b"\n", 0, error.start) + 1
        message = f"line {line} is not UTF-8"
        raise InstructionFileError(message) from None
