"""Commands of an agent are started in one place, where the sandbox wraps them.

Every other module that starts a process is listed with the reason why that is not a command.
"""

import ast

import pytest

from tests.test_layers import SourceModule, load_modules

pytestmark = pytest.mark.quick

PROCESS_STARTS = {
    "actors.tools.watcher_client": "starts the watcher server, and through it every command",
    "actors.tools.command_watcher": "the watcher: starts the command line that it is sent",
    "actors.tools.file_search": "ripgrep, without its configuration, on files that rules allow",
    "actors.paths.safe_git": "git, without programs that the repository names",
    "actors.placement.fork_client": "the fork server, which is Greenroom itself",
    "actors.placement.fork_server": "hosts of agents, which start commands as this process does",
    "actors.sandbox.bubblewrap": "tries once whether the sandbox works; runs `true`",
    "actors.sandbox.attacks": "`greenroom sandbox`: what the attacks are aimed at",
    "shell.cli.sandbox_command": "`greenroom sandbox -- COMMAND`, in the sandbox",
    "shell.cli.demo_repository": "git, in the new repository of the demo",
    "shell.repl.tmux_escape_time": "reads a setting of tmux",
}
"""Modules that start processes, each with what it starts."""
STARTERS = {
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput"},
    "os": {"fork", "forkpty", "system", "popen", "posix_spawn", "posix_spawnp"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "pty": {"spawn", "fork"},
}


def starts_processes(module: SourceModule) -> bool:
    """Whether a module calls a function that starts a process, or imports one by name."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = STARTERS.get(node.value.id, set())
            is_exec = node.value.id == "os" and node.attr.startswith(("exec", "spawn"))
            if node.attr in names - {"Popen"} or is_exec:
                return True
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "subprocess.Popen":
            return True
        if isinstance(node, ast.ImportFrom) and node.module in STARTERS:
            imported = {alias.name for alias in node.names}
            if imported & STARTERS[node.module]:
                return True
    return False


def test_only_listed_modules_start_processes() -> None:
    found = {module.name for module in load_modules() if starts_processes(module)}
    assert found == set(PROCESS_STARTS)


def test_only_one_module_sends_commands_to_the_watcher() -> None:
    users = {
        module.name
        for module in load_modules()
        if "actors.tools.watcher_client.WATCHER_CLIENT" in module.imported_names
    }
    assert users == {"actors.tools.local_command_runner"}
