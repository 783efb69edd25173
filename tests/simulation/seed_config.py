"""What a seed decides before anything happens."""

from dataclasses import dataclass
from typing import Literal

from messages.policy import PermissionMode
from tests.simulation.simulated_loop import make_random

RunEnding = Literal["at rest", "stopped", "power cut"]


@dataclass(frozen=True)
class SeedConfig:
    """How a world is disposed; each run of its program ends in its own way."""

    mode: PermissionMode
    crash_chance: float
    """Of each step of each actor, and of each job."""
    disk_chance: float
    """Of each call of the file system to fail."""
    lag_chance: float
    cancel_delay_s: float
    """How long a cancelled request to the model may go on all the same."""
    endings: tuple[RunEnding, ...]
    ask_chance: float
    """How much of what the model calls asks a person, several at a time."""
    change_mind_chance: float
    """How often a person decides something else with an answer: a mode, a grant, an agent."""


def draw_seed_config(seed: int) -> SeedConfig:
    """Draw it."""
    random = make_random(seed, "setting")
    mode: PermissionMode = random.choice(("default", "default", "default", "auto-edit", "yolo"))
    ways: tuple[RunEnding, ...] = ("at rest", "stopped", "power cut")
    runs = random.choice((1, 1, 2, 3))
    last: tuple[RunEnding, ...] = ("at rest", "stopped")
    return SeedConfig(
        mode=mode,
        crash_chance=random.choice((0.0, 0.003, 0.01, 0.03)),
        disk_chance=random.choice((0.0, 0.0, 0.02, 0.1)),
        lag_chance=random.choice((0.0, 0.0, 0.02)),
        cancel_delay_s=random.choice((0.0,) * 6 + (2.0, 12.0, 12.0)),
        endings=(*(random.choice(ways) for _ in range(runs - 1)), random.choice(last)),
        ask_chance=random.choice((0.0, 0.0, 0.8)),
        change_mind_chance=random.choice((0.1, 0.1, 0.5)),
    )
