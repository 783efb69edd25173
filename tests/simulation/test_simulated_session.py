"""No seed violates an invariant, whatever the order of events, crashes and failing ports."""

import pytest

from tests.simulation.simulated_session import SimulatedSession

SHARD_SIZE = 50
"""Seeds in one test, so that none takes long."""
QUICK_SHARDS, DEFAULT_SHARDS, ALL_SHARDS = 2, 20, 200
"""Shards of the quick run, the default run and the long run."""


@pytest.mark.parametrize(
    "shard",
    [
        *(pytest.param(shard, marks=pytest.mark.quick) for shard in range(QUICK_SHARDS)),
        *range(QUICK_SHARDS, DEFAULT_SHARDS),
        *(
            pytest.param(shard, marks=pytest.mark.long)
            for shard in range(DEFAULT_SHARDS, ALL_SHARDS)
        ),
    ],
)
def test_no_simulated_session_violates_an_invariant(shard: int) -> None:
    for seed in range(shard * SHARD_SIZE, (shard + 1) * SHARD_SIZE):
        simulation = SimulatedSession(seed)
        simulation.run()
        command = f"replay it with: python -m tests.simulation {seed}"
        assert not simulation.violations, "\n".join((*simulation.violations, command))
