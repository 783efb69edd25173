"""`greenroom agents`: every definition found, where it stands, and what of it does not count."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from actors.sessions.state_paths import config_folder, list_own_files
from shell.config.agent_discovery import DiscoveredAgents, discover_agents
from shell.config.project_trust import TrustCheck, check_trust
from shell.config.workspace_discovery import find_workspace, get_current_folder
from shell.process.state_folder import find_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import complain
from shell.text.sanitize import sanitize_line, visible

if TYPE_CHECKING:
    from actors.agents.definition.definition import Definition
    from shell.config.agent_file_parser import ParsedDefinition

SHADOWED_NOTE = "another definition of this name counts"


def run_agents_command(environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print what there is; the exit status.

    Raises:
        StartError: the current folder or the state folder cannot be used.
        OutputError: standard output cannot be written.
    """
    workspace = find_workspace(get_current_folder(), ())
    store = find_state_folder(environment) / "trust.json"
    stands = check_trust(workspace, TrustCheck(store, list_own_files(environment)))
    found = discover_agents(
        config_folder(environment) / "agents", workspace, trusted=stands.trusted
    )
    for notice in (*stands.notices, *found.problems):
        complain(notice)
    text = json.dumps(agents_to_dict(found), indent=2) if as_json else format_agents(found)
    write_stdout(f"{text}\n".encode("utf-8", "replace"))
    return 0


def format_agents(found: DiscoveredAgents) -> str:
    """Write the list for people."""
    files = {each.path: each for each in found.files}
    counting = "\n".join(_entry(each, files.get(each.source)) for each in found.definitions)
    hidden = [f"{each.path}: {SHADOWED_NOTE}" for each in _hidden(found)]
    return visible("\n".join((counting, *hidden)))


def agents_to_dict(found: DiscoveredAgents) -> dict[str, object]:
    """Write the list for programs."""
    files = {each.path: each for each in found.files}
    return {
        "agents": [_object(each, files.get(each.source)) for each in found.definitions],
        "hidden": [each.path for each in _hidden(found)],
        "problems": list(found.problems),
    }


def _hidden(found: DiscoveredAgents) -> "list[ParsedDefinition]":
    return [each for each in found.files if each.definition not in found.definitions]


def _entry(definition: "Definition", file: "ParsedDefinition | None") -> str:
    lines = [f"{definition.name:<16} {definition.mode:<9} {definition.source}"]
    if definition.description:
        lines.append(f"    {sanitize_line(definition.description)}")
    if file and file.declared_name != definition.name:
        lines.append(f"    its file names it {sanitize_line(file.declared_name)!r}")
    if file and file.ignored_keys:
        lines.append(f"    ignored: {sanitize_line(', '.join(file.ignored_keys))}")
    return "\n".join(lines)


def _object(definition: "Definition", file: "ParsedDefinition | None") -> dict[str, object]:
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
        "named": file.declared_name if file else definition.name,
        "ignored": list(file.ignored_keys) if file else [],
    }
