"""The list of agents, as text for users and as JSON for programs. Pure."""

from actors.agents.definition.definition import Definition
from shell.config.agent_discovery import DiscoveredAgents
from shell.config.agent_file_parser import ParsedDefinition
from shell.text.sanitize import sanitize, sanitize_line

OVERRIDDEN_NOTE = "overridden by another definition of the same name"


def format_agents(agents: DiscoveredAgents) -> str:
    """Return the list as text: a line or more for each agent, then the overridden files."""
    files = {file.path: file for file in agents.files}
    entries = [
        _format_entry(definition, files.get(definition.source)) for definition in agents.definitions
    ]
    overridden = [f"{file.path}: {OVERRIDDEN_NOTE}" for file in _list_overridden_files(agents)]
    return sanitize("\n".join((*entries, *overridden)))


def agents_to_dict(agents: DiscoveredAgents) -> dict[str, object]:
    """Return the list as an object for JSON."""
    files = {file.path: file for file in agents.files}
    return {
        "agents": [
            _to_object(definition, files.get(definition.source))
            for definition in agents.definitions
        ],
        "hidden": [file.path for file in _list_overridden_files(agents)],
        "problems": list(agents.problems),
    }


def _list_overridden_files(agents: DiscoveredAgents) -> list[ParsedDefinition]:
    return [file for file in agents.files if file.definition not in agents.definitions]


def _format_entry(definition: Definition, file: ParsedDefinition | None) -> str:
    lines = [f"{definition.name:<16} {definition.mode:<9} {definition.source}"]
    if definition.description:
        lines.append(f"    {sanitize_line(definition.description)}")
    if file and file.declared_name != definition.name:
        lines.append(f"    name in the file: {sanitize_line(file.declared_name)!r}")
    if file and file.ignored_keys:
        lines.append(f"    ignored keys: {sanitize_line(', '.join(file.ignored_keys))}")
    return "\n".join(lines)


def _to_object(definition: Definition, file: ParsedDefinition | None) -> dict[str, object]:
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
        "effort": definition.effort,
        "placement": definition.placement,
        "subagents": list(definition.subagents),
        "named": file.declared_name if file else definition.name,
        "ignored": list(file.ignored_keys) if file else [],
    }
