"""The settings that a seed draws before its simulation starts."""

from dataclasses import dataclass
from typing import Literal

from messages.policy import PermissionMode
from tests.simulation.simulated_loop import make_random

RunEnding = Literal["idle", "stopped", "power cut"]


@dataclass(frozen=True)
class SeedConfig:
    """Settings of one seed."""

    mode: PermissionMode
    crash_chance: float
    """Chance that one step of an actor, or one job, raises."""
    disk_chance: float
    """Chance that one call of the file system fails."""
    lag_chance: float
    """Chance per loop step that timers fire before callbacks that are ready."""
    cancel_delay_s: float
    """How long a cancelled model request may still run."""
    endings: tuple[RunEnding, ...]
    """How each run of the program ends; one run per entry."""
    ask_chance: float
    """Chance that a tool call needs an approval, so that several are pending at once."""
    change_policy_chance: float
    """Chance that the user also changes the mode, a grant or the agent when deciding."""


def draw_seed_config(seed: int) -> SeedConfig:
    """Draw the settings of a seed."""
    random = make_random(seed, "seed config")
    mode: PermissionMode = random.choice(("default", "default", "default", "auto-edit", "yolo"))
    endings: tuple[RunEnding, ...] = ("idle", "stopped", "power cut")
    runs = random.choice((1, 1, 2, 3))
    last_endings: tuple[RunEnding, ...] = ("idle", "stopped")
    return SeedConfig(
        mode=mode,
        crash_chance=random.choice((0.0, 0.003, 0.01, 0.03)),
        disk_chance=random.choice((0.0, 0.0, 0.02, 0.1)),
        lag_chance=random.choice((0.0, 0.0, 0.02)),
        cancel_delay_s=random.choice((0.0,) * 6 + (2.0, 12.0, 12.0)),
        endings=(*(random.choice(endings) for _ in range(runs - 1)), random.choice(last_endings)),
        ask_chance=random.choice((0.0, 0.0, 0.8)),
        change_policy_chance=random.choice((0.1, 0.5, 0.9)),
    )
