"""`greenroom sandbox`: plays attacks on the sandbox, or runs one command in it."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from actors.paths.resolve import WorkspacePaths
from actors.sandbox.attacks import Attack, Target, run_attacks
from actors.sandbox.policy import Confinement, SandboxSettings
from actors.sandbox.sandbox import Sandbox
from actors.tools.command_runner import OutputTarget
from actors.tools.local_command_runner import LocalCommandRunner
from shell.process.state_folder import open_state_folder
from shell.process.stdout import write_stdout
from shell.process.streams import print_error
from shell.startup.errors import to_start_error

TIMEOUT_S = 20.0


def run_sandbox_command(
    sandbox: Sandbox, command: Sequence[str], environment: Mapping[str, str], cwd: Path
) -> int:
    """Run `command` in the sandbox, or play the attacks if it is empty; return the exit status.

    Without a sandbox, or if an attack succeeds, the status is 1.

    Raises:
        StartError: the attacks cannot be prepared.
        OutputError: standard output cannot be written.
    """
    status = sandbox.status
    if status.enforcement == "none":
        print_error(f"commands run without a sandbox. {status.reason}")
        return 1
    if command:
        return _run_in_terminal(sandbox, command, environment, cwd)
    has_failed = False
    _print(f"Enforcement: {status.enforcement}. What a command in the sandbox cannot do here:")
    try:
        for attack, outcome in run_attacks(_play, open_state_folder(environment)):
            has_failed |= outcome != "blocked"
            _print(f"  {outcome:<10} {attack.name}")
    except OSError as error:
        message = f"the attacks cannot be prepared: {error}"
        raise to_start_error(message, error) from error
    return 1 if has_failed else 0


def _play(attack: Attack, target: Target) -> str | None:
    workspace = str(target.workspace)
    environment = {**os.environ, **target.get_variables()}
    paths = WorkspacePaths(root=workspace, cwd=workspace, home=str(target.home))
    sandbox = Sandbox(paths, SandboxSettings(), target.folder / "state", environment)
    if sandbox.status.enforcement == "none":
        return None
    # The way of every command of an agent, so that the outcome is true for those.
    runner = LocalCommandRunner(environment, sandbox=sandbox)
    running = runner.run(
        attack.script,
        target.workspace,
        TIMEOUT_S,
        OutputTarget(target.folder / "output"),
        Confinement(access=attack.access),
    )
    return asyncio.run(running).output


def _run_in_terminal(
    sandbox: Sandbox, command: Sequence[str], environment: Mapping[str, str], cwd: Path
) -> int:
    access = Confinement(access="writable")
    with sandbox.prepare(command, cwd, access, environment) as prepared:
        pid = os.posix_spawn(
            prepared.arguments[0],
            prepared.arguments,
            prepared.environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, number, str(path), os.O_RDWR, 0)
                for number, path in prepared.open_files
            ],
        )
        _, status = os.waitpid(pid, 0)
        exit_status = os.waitstatus_to_exitcode(status)
        if prepared.has_sandbox_failed(exit_status):
            print_error("the sandbox failed, so the command did not run")
    return exit_status if exit_status >= 0 else 128 - exit_status


def _print(line: str) -> None:
    write_stdout(f"{line}\n".encode())
