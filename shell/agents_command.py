"""`greenroom agents`: every definition found, where it stands, and what of it does not count."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from actors.sessions.places import config_folder, our_files
from shell.config.agent_files import FoundAgents, find_agents
from shell.config.project import TrustCheck, standing
from shell.config.state import found_state
from shell.config.workspace import current_folder, workspace_of
from shell.output import emit
from shell.process import complain
from shell.visible import visible, visible_line

if TYPE_CHECKING:
    from actors.agents.definitions import Definition
    from shell.config.agent_file import ReadDefinition

HIDDEN = "another definition of this name counts"


def run_agents(environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print what there is; the exit status.

    Raises:
        StartError: the current folder or the state folder cannot be used.
        OutputError: standard output cannot be written.
    """
    workspace = workspace_of(current_folder(), ())
    store = found_state(environment) / "trust.json"
    stands = standing(workspace, TrustCheck(store, our_files(environment)))
    found = find_agents(config_folder(environment) / "agents", workspace, trusted=stands.trusted)
    for notice in (*stands.notices, *found.problems):
        complain(notice)
    text = json.dumps(as_objects(found), indent=2) if as_json else as_text(found)
    emit(f"{text}\n".encode("utf-8", "replace"))
    return 0


def as_text(found: FoundAgents) -> str:
    """Write the list for people."""
    files = {each.path: each for each in found.files}
    counting = "\n".join(_entry(each, files.get(each.source)) for each in found.definitions)
    hidden = [f"{each.path}: {HIDDEN}" for each in _hidden(found)]
    return visible("\n".join((counting, *hidden)))


def as_objects(found: FoundAgents) -> dict[str, object]:
    """Write the list for programs."""
    files = {each.path: each for each in found.files}
    return {
        "agents": [_object(each, files.get(each.source)) for each in found.definitions],
        "hidden": [each.path for each in _hidden(found)],
        "problems": list(found.problems),
    }


def _hidden(found: FoundAgents) -> "list[ReadDefinition]":
    return [each for each in found.files if each.definition not in found.definitions]


def _entry(definition: "Definition", file: "ReadDefinition | None") -> str:
    lines = [f"{definition.name:<16} {definition.mode:<9} {definition.source}"]
    if definition.description:
        lines.append(f"    {visible_line(definition.description)}")
    if file and file.named != definition.name:
        lines.append(f"    its file names it {visible_line(file.named)!r}")
    if file and file.ignored:
        lines.append(f"    ignored: {visible_line(', '.join(file.ignored))}")
    return "\n".join(lines)


def _object(definition: "Definition", file: "ReadDefinition | None") -> dict[str, object]:
    return {
        "name": definition.name,
        "description": definition.description,
        "mode": definition.mode,
        "source": definition.source,
        "tools": list(definition.tools),
        "disallowed_tools": list(definition.disallowed_tools),
        "read_only": definition.read_only,
        "approval_mode": definition.permission_mode,
        "model": definition.model or None,
        "subagents": list(definition.subagents),
        "named": file.named if file else definition.name,
        "ignored": list(file.ignored) if file else [],
    }
