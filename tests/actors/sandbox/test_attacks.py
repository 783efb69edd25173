"""Every attack is blocked in the sandbox, and would succeed without it."""

from collections.abc import Generator
from pathlib import Path

import pytest

from actors.sandbox.attacks import ATTACKS, Attack, Target, find_outcome, make_target
from messages.policy import WorkspaceAccess
from tests.actors.sandbox.sandboxed_commands import SandboxedCommands

each_attack = pytest.mark.parametrize("attack", ATTACKS, ids=[attack.name for attack in ATTACKS])
HARMS_THE_MACHINE = {"kill every process", "remount the disk as writable"}
ALWAYS_BLOCKED = {"leave a process behind"}
"""Also without a sandbox: the command's watcher ends every process."""
NEEDS_ROOT = {"create a device", "open a file by its handle", "write through /proc"}


@pytest.fixture
def target() -> Generator[Target]:
    # Not below /tmp, which a sandbox hides: the target must be visible to be attacked.
    with make_target(Path.cwd() / ".pytest_cache") as target:
        yield target


def play(attack: Attack, target: Target, access: WorkspaceAccess | None) -> str:
    commands = SandboxedCommands(
        target.workspace, target.home, target.folder / "state", target.get_variables()
    )
    if access is not None and commands.sandbox.status.enforcement != "full":
        pytest.skip(commands.sandbox.status.reason)
    return find_outcome(attack, target, commands.run(attack.script, access).output)


@each_attack
def test_an_attack_on_the_sandbox_is_blocked(attack: Attack, target: Target) -> None:
    assert play(attack, target, attack.access) == "blocked"


@each_attack
def test_an_attack_without_a_sandbox_can_succeed(attack: Attack, target: Target) -> None:
    if attack.name in HARMS_THE_MACHINE | ALWAYS_BLOCKED | NEEDS_ROOT:
        pytest.skip("it harms the machine, needs root, or is blocked by other means")
    assert play(attack, target, None) == "succeeded"
