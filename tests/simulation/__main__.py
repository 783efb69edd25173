"""Replays seeds: `python -m tests.simulation 194` prints what happened, `0-49` a digest of each.

With `--fault NAME` a planted fault is at work; the names are in `tests/simulation/mutants.py`.
"""

import argparse
import sys

from tests.simulation.mutants import MUTANTS, NO_MUTANT, Mutant
from tests.simulation.simulated_session import SimulatedSession


def main(words: list[str]) -> int:
    """Play; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", help="one seed, or FIRST-LAST")
    parser.add_argument("--fault", choices=MUTANTS, help="plant it", metavar="NAME")
    options = parser.parse_args(words)
    plant = MUTANTS[options.fault] if options.fault else NO_MUTANT
    first, _, last = options.seeds.partition("-")
    if not last:
        return replay_seed(int(first), plant)
    worlds = [play_seed(seed, plant) for seed in range(int(first), int(last) + 1)]
    return int(any(world.violations for world in worlds))


def replay_seed(seed: int, plant: Mutant) -> int:
    """Tell everything of one seed."""
    world = SimulatedSession(seed, plant)
    world.play()
    for line in world.trace.lines():
        print(line)
    print(world.seed_config)
    print("\n".join(world.violations) or "every promise was kept")
    return int(bool(world.violations))


def play_seed(seed: int, plant: Mutant) -> SimulatedSession:
    """Play one of many, and sum it up."""
    world = SimulatedSession(seed, plant)
    world.play()
    print(seed, world.trace.digest(), *world.violations)
    return world


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
