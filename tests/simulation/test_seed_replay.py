"""A seed reproduces a failure: it gives the same trace every time, in any process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.simulated_session import SimulatedSession
from tests.simulation.tree_simulation import TreeSimulation

ROOT = Path(__file__).parents[2]
SEEDS = range(50)


@pytest.mark.quick
@pytest.mark.parametrize("simulation", [SimulatedSession, TreeSimulation])
def test_the_same_seed_gives_the_same_trace(
    simulation: type[SimulatedSession] | type[TreeSimulation],
) -> None:
    first, second = simulation(7), simulation(7)
    first.run()
    second.run()
    assert list(first.trace.lines()) == list(second.trace.lines())
    assert first.trace.digest() == second.trace.digest()


def test_traces_do_not_depend_on_the_hash_seed() -> None:
    digests = [compute_digests(hash_seed) for hash_seed in ("1", "2")]
    assert digests[0] == digests[1]
    assert len(digests[0]) == len(SEEDS)


def compute_digests(hash_seed: str) -> list[str]:
    seeds = f"{SEEDS.start}-{SEEDS.stop - 1}"
    process = subprocess.run(
        [sys.executable, "-m", "tests.simulation", seeds],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=25,
    )
    return process.stdout.splitlines()
