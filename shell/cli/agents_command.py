"""`greenroom agents`: lists every definition, where it is, and which keys were ignored."""

import json
from collections.abc import Mapping

from actors.sessions.state_paths import config_folder, list_own_files
from shell.config.agent_discovery import discover_agents
from shell.config.agent_list_format import agents_to_dict, format_agents
from shell.config.project_trust import TrustCheck, check_trust
from shell.config.workspace_discovery import find_workspace, get_current_folder
from shell.process.state_folder import find_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import print_error


def run_agents_command(environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print the list and return the exit status.

    Raises:
        StartError: the current directory or the state folder cannot be used.
        OutputError: standard output cannot be written.
    """
    workspace = find_workspace(get_current_folder(), ())
    store = find_state_folder(environment) / "trust.json"
    trust = check_trust(workspace, TrustCheck(store, list_own_files(environment)))
    agents = discover_agents(
        config_folder(environment) / "agents", workspace, trusted=trust.trusted
    )
    for notice in (*trust.notices, *agents.problems):
        print_error(notice)
    text = json.dumps(agents_to_dict(agents), indent=2) if as_json else format_agents(agents)
    write_stdout(f"{text}\n".encode("utf-8", "replace"))
    return 0
