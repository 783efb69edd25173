"""The simulation can fail: for every promise a fault that breaks it, which the seeds find."""

import pytest

from tests.simulation.mutants import MUTANTS, Mutant
from tests.simulation.simulated_session import SimulatedSession

SEEDS = 1_000
"""A fault has to be caught within so many."""


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_fault_is_caught(name: str) -> None:
    caught = any(is_caught(seed, MUTANTS[name]) for seed in range(SEEDS))
    assert caught, f"nobody sees that {name}"


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MUTANTS)
def test_so_many_of_1000_seeds_catch_a_planted_fault(name: str) -> None:
    caught = sum(is_caught(seed, MUTANTS[name]) for seed in range(SEEDS))
    print(f"{caught:4d} of {SEEDS}: {name}")  # noqa: T201  (the figure is what this is for)
    assert caught


def is_caught(seed: int, plant: Mutant) -> bool:
    world = SimulatedSession(seed, plant)
    world.play()
    return bool(world.violations)
