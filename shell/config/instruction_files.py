"""Instruction files: the user's own, and the project's from its root down to where we stand."""

import os
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definition.system_prompts import Instructions
from actors.paths.workspace import Workspace
from shell.config.bounded_read import read_regular_file
from shell.text.sanitize import sanitize_line, visible

FILE_NAME = "AGENTS.md"
MAX_FILE_BYTES = 32 * 1024
MAX_TOTAL_BYTES = 96 * 1024
"""Of all files together; what comes behind it is named, but not shown."""


class InstructionFileError(Exception):
    """A file cannot serve as instructions; the text says why."""


@dataclass(frozen=True, slots=True)
class LoadedInstructions:
    """The files that count, and what people should know of the others."""

    files: tuple[Instructions, ...] = ()
    problems: tuple[str, ...] = ()


def list_instruction_paths(workspace: Workspace) -> tuple[Path, ...]:
    """List where the project may have instructions, the root first."""
    names = workspace.cwd.relative_to(workspace.root).parts
    folders = (workspace.root.joinpath(*names[:depth]) for depth in range(len(names) + 1))
    return tuple(folder / FILE_NAME for folder in folders)


def read_instructions(
    user_file: Path, workspace: Workspace, *, trusted: bool
) -> LoadedInstructions:
    """Read the user's file, and those of a project that is trusted."""
    wanted = [
        (user_file, None),
        *((path, workspace.root) for path in list_instruction_paths(workspace) if trusted),
    ]
    files: dict[str, Instructions] = {}
    problems: list[str] = []
    left_bytes = MAX_TOTAL_BYTES
    for path, within in wanted:
        real = os.path.realpath(path)
        if not os.path.lexists(path) or real in files:
            continue
        try:
            files[real] = _read(path, within, min(MAX_FILE_BYTES, left_bytes))
        except InstructionFileError as why:
            problems.append(f"{path}: {why}; it does not count")
        else:
            left_bytes -= min(files[real].file_bytes, MAX_FILE_BYTES, left_bytes)
    return LoadedInstructions(tuple(each for each in files.values() if each.text), tuple(problems))


def _read(path: Path, within: Path | None, most_bytes: int) -> Instructions:
    if within and not Path(os.path.realpath(path)).is_relative_to(within):
        message = "a link that leads out of the workspace"
        raise InstructionFileError(message)
    try:
        data = read_regular_file(path, most_bytes + 1)
        file_bytes = path.stat().st_size
    except OSError as error:
        raise InstructionFileError(error.strerror or "it cannot be read") from error
    cut = len(data) > most_bytes
    text = visible(_decoded(data[:most_bytes], cut=cut).replace("\r\n", "\n"))
    note = f"\n[cut here: {most_bytes:,} of {file_bytes:,} bytes are shown]" if cut else ""
    shown = f"{text.strip()}{note}".strip()
    return Instructions(sanitize_line(str(path)), shown, file_bytes=file_bytes, truncated=cut)


def _decoded(data: bytes, *, cut: bool) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if cut and error.reason == "unexpected end of data":
            return data[: error.start].decode("utf-8-sig")
        line = data.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 in line {line}"
        raise InstructionFileError(message) from None
