"""Trees of agents drawn at random keep every promise, and the faults that break one are found."""

import pytest

from tests.simulation.tree_mutants import TREE_MUTANTS
from tests.simulation.tree_simulation import TreeMutant, TreeSimulation

SHARD = 50
"""Seeds in one test, so that none takes long."""
EVERY_TIME, FULLY = 4, 40
SEEDS = 1_000
"""A fault has to be found within so many."""


@pytest.mark.parametrize(
    "shard",
    [
        pytest.param(0, marks=pytest.mark.quick),
        *range(1, EVERY_TIME),
        *(pytest.param(shard, marks=pytest.mark.long) for shard in range(EVERY_TIME, FULLY)),
    ],
)
def test_every_tree_keeps_every_promise(shard: int) -> None:
    most = 0
    for seed in range(shard * SHARD, (shard + 1) * SHARD):
        grove = TreeSimulation(seed)
        grove.play()
        most = max(most, grove.invariants.max_live_subagents)
        assert not grove.violations, f"seed {seed}: {grove.violations}"
    assert most > 3, "these are no trees"


@pytest.mark.parametrize("name", TREE_MUTANTS)
def test_a_planted_fault_in_a_tree_is_found(name: str) -> None:
    found = any(is_caught(seed, TREE_MUTANTS[name]) for seed in range(SEEDS))
    assert found, f"nobody sees that {name}"


def is_caught(seed: int, plant: TreeMutant) -> bool:
    grove = TreeSimulation(seed, plant)
    grove.play()
    return bool(grove.violations)
