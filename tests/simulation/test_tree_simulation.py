"""Random trees of agents violate no invariant, and the tree mutants are found."""

import pytest

from tests.simulation.background_mutants import BACKGROUND_MUTANTS
from tests.simulation.mutant_list import Mutant, mutant_errors
from tests.simulation.tree_mutants import TREE_MUTANTS
from tests.simulation.tree_simulation import TreeSimulation

SHARD_SIZE = 50
"""Seeds in one test, so that none takes long."""
DEFAULT_SHARDS, ALL_SHARDS = 4, 40
"""Shards of the default run and of the long run."""
SEEDS = 1_000
"""Seeds that must find each mutant."""
MIN_TREE_SIZE = 3


@pytest.mark.parametrize(
    "shard",
    [
        pytest.param(0, marks=pytest.mark.quick),
        *range(1, DEFAULT_SHARDS),
        *(
            pytest.param(shard, marks=pytest.mark.long)
            for shard in range(DEFAULT_SHARDS, ALL_SHARDS)
        ),
    ],
)
def test_no_tree_of_agents_violates_an_invariant(shard: int) -> None:
    max_subagents = 0
    for seed in range(shard * SHARD_SIZE, (shard + 1) * SHARD_SIZE):
        simulation = TreeSimulation(seed)
        simulation.run()
        max_subagents = max(max_subagents, simulation.invariants.max_live_subagents)
        assert not simulation.violations, f"seed {seed}: {simulation.violations}"
    assert max_subagents > MIN_TREE_SIZE, "the trees are too small"


ALL_MUTANTS = TREE_MUTANTS | BACKGROUND_MUTANTS


@pytest.mark.parametrize("name", ALL_MUTANTS)
def test_some_seed_finds_the_tree_mutant(name: str) -> None:
    found = any(is_found(seed, ALL_MUTANTS[name]) for seed in range(SEEDS))
    assert found, f"no seed finds: {name}"


def is_found(seed: int, mutant: Mutant) -> bool:
    simulation = TreeSimulation(seed, mutant)
    simulation.run()
    assert not mutant_errors, mutant_errors
    return bool(simulation.violations)
