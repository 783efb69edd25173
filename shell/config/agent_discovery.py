"""Finds agent definitions: built in, the user's, and those of a trusted project."""

import os
from dataclasses import dataclass
from pathlib import Path

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, Definition
from actors.paths.workspace import Workspace
from messages.subagents import PROGRAM_KINDS
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
"""Files in one folder that are read; the others are ignored."""
RESERVED_NAMES = ("build", "plan", *PROGRAM_KINDS)
"""Names of built-in agents that no file may take."""


@dataclass(frozen=True, slots=True)
class DiscoveredAgents:
    """All definitions, and the problems with their files."""

    definitions: tuple[Definition, ...] = BUILT_IN_DEFINITIONS
    files: tuple[ParsedDefinition, ...] = ()
    """Files in use, and files that another one of the same name overrides."""
    problems: tuple[str, ...] = ()
    """Files that are ignored, and rules that do not mean what they say."""


@dataclass(frozen=True, slots=True)
class _AgentFolder:
    path: Path
    project_root: Path | None = None
    """Root of the project that the files belong to; None: they are the user's."""
    is_foreign: bool = False
    """The files were written for another program."""


def discover_agents(user_folder: Path, workspace: Workspace, *, trusted: bool) -> DiscoveredAgents:
    """Read all definition files.

    A project's definition overrides the user's of the same name; within the project, Greenroom's
    folder overrides those of other programs.
    """
    project_folders = _list_project_folders(workspace.root) if trusted else []
    parsed, problems = _read_folders([_AgentFolder(user_folder), *project_folders])
    for file in parsed:
        if file.definition.rules:
            problems += _list_rule_warnings(file, workspace)
    merged = {definition.name: definition for definition in BUILT_IN_DEFINITIONS}
    merged |= {file.definition.name: file.definition for file in parsed}
    return DiscoveredAgents(tuple(merged.values()), tuple(parsed), tuple(problems))


def read_project_definitions(workspace: Workspace) -> tuple[ParsedDefinition, ...]:
    """Read the project's definition files; those with errors are left out."""
    return tuple(_read_folders(_list_project_folders(workspace.root))[0])


def _read_folders(folders: list[_AgentFolder]) -> tuple[list[ParsedDefinition], list[str]]:
    """Return the definitions in some folders, and the problems with the other files."""
    parsed: list[ParsedDefinition] = []
    problems: list[str] = []
    for folder in folders:
        for path in _list_markdown_files(folder.path):
            try:
                parsed.append(_read_definition(path, folder))
            except (DefinitionError, OSError) as error:
                problems.append(_format_problem(path, error))
    return parsed, problems


def _list_project_folders(root: Path) -> list[_AgentFolder]:
    """List the folders, lowest precedence first."""
    own, *others = PROJECT_AGENT_FOLDERS
    foreign = [_AgentFolder(root / folder, root, is_foreign=True) for folder in reversed(others)]
    return [*foreign, _AgentFolder(root / own, root)]


def _list_markdown_files(folder: Path) -> list[Path]:
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".md")
    except OSError:
        return []
    return paths[:MAX_FILES_PER_FOLDER]


def _read_definition(path: Path, folder: _AgentFolder) -> ParsedDefinition:
    root = folder.project_root
    if root and not Path(os.path.realpath(path)).is_relative_to(root):
        message = f"{path}: is a link to a file outside the workspace"
        raise DefinitionError(message)
    data = read_regular_file(path, MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        message = f"{path}: is larger than {MAX_FILE_BYTES:,} bytes"
        raise DefinitionError(message)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{path}:{line}: is not UTF-8"
        raise DefinitionError(message) from None
    origin = FileOrigin(str(path), is_project=root is not None, is_foreign=folder.is_foreign)
    parsed = parse_definition(text, path.stem, origin)
    if parsed.definition.name in RESERVED_NAMES:
        message = f"{path}: {parsed.definition.name} is the name of a built-in agent"
        raise DefinitionError(message)
    return parsed


def _list_rule_warnings(file: ParsedDefinition, workspace: Workspace) -> list[str]:
    from shell.config.rule_linter import make_rule_linter  # noqa: PLC0415  (only if there are rules)

    warnings = make_rule_linter(workspace).find_warnings(file.definition.rules)
    return [f"{file.path}: {warning}" for warning in warnings.values()]


def _format_problem(path: Path, error: DefinitionError | OSError) -> str:
    problem = str(error) if isinstance(error, DefinitionError) else f"{path}: {error.strerror}"
    return f"{problem}; the file is ignored"
