"""Replays seeds: `python -m tests.simulation 194` prints what happened, `0-49` a digest of each.

With `--fault NAME` a planted fault is at work; the names are in `tests/simulation/planted.py`.
"""

import argparse
import sys

from tests.simulation.planted import NO_FAULT, PLANTS, Plant
from tests.simulation.world import World


def main(words: list[str]) -> int:
    """Play; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", help="one seed, or FIRST-LAST")
    parser.add_argument("--fault", choices=PLANTS, help="plant it", metavar="NAME")
    options = parser.parse_args(words)
    plant = PLANTS[options.fault] if options.fault else NO_FAULT
    first, _, last = options.seeds.partition("-")
    if not last:
        return replay(int(first), plant)
    worlds = [played(seed, plant) for seed in range(int(first), int(last) + 1)]
    return int(any(world.violations for world in worlds))


def replay(seed: int, plant: Plant) -> int:
    """Tell everything of one seed."""
    world = World(seed, plant)
    world.play()
    for line in world.trace.lines():
        print(line)
    print(world.setting)
    print("\n".join(world.violations) or "every promise was kept")
    return int(bool(world.violations))


def played(seed: int, plant: Plant) -> World:
    """Play one of many, and sum it up."""
    world = World(seed, plant)
    world.play()
    print(seed, world.trace.digest(), *world.violations)
    return world


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
