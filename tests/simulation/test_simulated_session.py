"""Many worlds: interleavings, crashes, faults of every port, and every promise kept in each."""

import pytest

from tests.simulation.simulated_session import SimulatedSession

SHARD = 50
"""Seeds in one test, so that none takes long."""
DEFAULT_SHARDS, ALL_SHARDS = 20, 200
"""Shards of the default run, and of the long one."""


@pytest.mark.parametrize(
    "shard",
    [
        *(pytest.param(shard, marks=pytest.mark.quick) for shard in range(2)),
        *range(2, DEFAULT_SHARDS),
        *(
            pytest.param(shard, marks=pytest.mark.long)
            for shard in range(DEFAULT_SHARDS, ALL_SHARDS)
        ),
    ],
)
def test_every_promise_is_kept_whatever_happens(shard: int) -> None:
    for seed in range(shard * SHARD, (shard + 1) * SHARD):
        world = SimulatedSession(seed)
        world.play()
        told = "\n".join((*world.violations, f"replay it: python -m tests.simulation {seed}"))
        assert not world.violations, told
