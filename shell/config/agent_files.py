"""The definitions there are: built in, the user's, and those of a project that is trusted."""

import os
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definitions import BUILT_IN, Definition
from actors.tools.workspace import Workspace
from shell.config.agent_file import DefinitionError, Origin, ReadDefinition, definition_of
from shell.config.regular import read_regular
from shell.config.trust import DEFINITIONS

MOST_FILE_BYTES = 256 * 1024
MOST_FILES = 200
"""In one folder; more are not looked at."""
RESERVED = ("build", "plan", "review", "compact")
"""Names that no file may take."""


@dataclass(frozen=True, slots=True)
class FoundAgents:
    """Every definition, and what is to be told of the files."""

    definitions: tuple[Definition, ...] = BUILT_IN
    files: tuple[ReadDefinition, ...] = ()
    """Those that count, and those that another one of the same name hides."""
    problems: tuple[str, ...] = ()


def find_agents(user: Path, workspace: Workspace, *, trusted: bool) -> FoundAgents:
    """Read all files; of two with one name the project's counts, ours before another program's."""
    read: list[ReadDefinition] = []
    problems: list[str] = []
    for folder, within, foreign in _folders(user, workspace, trusted=trusted):
        for path in _markdown(folder):
            origin = Origin(str(path), of_project=within is not None, foreign=foreign)
            try:
                read.append(_read(path, within, origin))
            except (DefinitionError, OSError) as error:
                problems.append(_told(path, error))
    merged = {each.name: each for each in BUILT_IN}
    for each in read:
        merged[each.definition.name] = each.definition
    return FoundAgents(tuple(merged.values()), tuple(read), tuple(problems))


def _folders(
    user: Path, workspace: Workspace, *, trusted: bool
) -> list[tuple[Path, Path | None, bool]]:
    """List the folders, the weakest first: folder, what it must not lead out of, whose it is."""
    own, *others = DEFINITIONS
    project = [(workspace.root / each, workspace.root, True) for each in reversed(others)]
    ours = (workspace.root / own, workspace.root, False)
    return [(user, None, False), *([*project, ours] if trusted else [])]


def _markdown(folder: Path) -> list[Path]:
    try:
        found = sorted(path for path in folder.iterdir() if path.suffix == ".md")
    except OSError:
        return []
    return found[:MOST_FILES]


def _read(path: Path, within: Path | None, origin: Origin) -> ReadDefinition:
    if within and not Path(os.path.realpath(path)).is_relative_to(within):
        message = f"{path}: a link that leads out of the workspace"
        raise DefinitionError(message)
    data = read_regular(path, MOST_FILE_BYTES + 1)
    if len(data) > MOST_FILE_BYTES:
        message = f"{path}: longer than {MOST_FILE_BYTES:,} bytes"
        raise DefinitionError(message)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{path}:{line}: not UTF-8"
        raise DefinitionError(message) from None
    read = definition_of(text, path.stem, origin)
    if read.definition.name in RESERVED:
        message = f"{path}: {read.definition.name} is an agent of Greenroom's own"
        raise DefinitionError(message)
    return read


def _told(path: Path, error: DefinitionError | OSError) -> str:
    why = str(error) if isinstance(error, DefinitionError) else f"{path}: {error.strerror}"
    return f"{why}; the file does not count"
