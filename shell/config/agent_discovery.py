"""The definitions there are: built in, the user's, and those of a project that is trusted."""

import os
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, Definition
from actors.paths.workspace import Workspace
from shell.config.agent_file_parser import (
    DefinitionError,
    FileOrigin,
    ParsedDefinition,
    parse_definition,
)
from shell.config.bounded_read import read_regular_file
from shell.config.trust_store import PROJECT_AGENT_FOLDERS

MAX_FILE_BYTES = 256 * 1024
MAX_FILES_PER_FOLDER = 200
"""In one folder; more are not looked at."""
RESERVED_NAMES = ("build", "plan", "review", "compact")
"""Names that no file may take."""


@dataclass(frozen=True, slots=True)
class DiscoveredAgents:
    """Every definition, and what is to be told of the files."""

    definitions: tuple[Definition, ...] = BUILT_IN_DEFINITIONS
    files: tuple[ParsedDefinition, ...] = ()
    """Those that count, and those that another one of the same name hides."""
    problems: tuple[str, ...] = ()


def discover_agents(user_folder: Path, workspace: Workspace, *, trusted: bool) -> DiscoveredAgents:
    """Read all files; of two with one name the project's counts, ours before another program's."""
    read: list[ParsedDefinition] = []
    problems: list[str] = []
    for folder, within, foreign in _folders(user_folder, workspace, trusted=trusted):
        for path in _markdown(folder):
            origin = FileOrigin(str(path), is_project=within is not None, is_foreign=foreign)
            try:
                read.append(_read(path, within, origin))
            except (DefinitionError, OSError) as error:
                problems.append(_told(path, error))
    merged = {each.name: each for each in BUILT_IN_DEFINITIONS}
    for each in read:
        merged[each.definition.name] = each.definition
    return DiscoveredAgents(tuple(merged.values()), tuple(read), tuple(problems))


def _folders(
    user: Path, workspace: Workspace, *, trusted: bool
) -> list[tuple[Path, Path | None, bool]]:
    """List the folders, the weakest first: folder, what it must not lead out of, whose it is."""
    own, *others = PROJECT_AGENT_FOLDERS
    project = [(workspace.root / each, workspace.root, True) for each in reversed(others)]
    ours = (workspace.root / own, workspace.root, False)
    return [(user, None, False), *([*project, ours] if trusted else [])]


def _markdown(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".md")
    except OSError:
        return []
    return found[:MAX_FILES_PER_FOLDER]


def _read(path: Path, within: Path | None, origin: FileOrigin) -> ParsedDefinition:
    if within and not Path(os.path.realpath(path)).is_relative_to(within):
        message = f"{path}: a link that leads out of the workspace"
        raise DefinitionError(message)
    data = read_regular_file(path, MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        message = f"{path}: longer than {MAX_FILE_BYTES:,} bytes"
        raise DefinitionError(message)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{path}:{line}: not UTF-8"
        raise DefinitionError(message) from None
    read = parse_definition(text, path.stem, origin)
    if read.definition.name in RESERVED_NAMES:
        message = f"{path}: {read.definition.name} is an agent of Greenroom's own"
        raise DefinitionError(message)
    return read


def _told(path: Path, error: DefinitionError | OSError) -> str:
    why = str(error) if isinstance(error, DefinitionError) else f"{path}: {error.strerror}"
    return f"{why}; the file does not count"
