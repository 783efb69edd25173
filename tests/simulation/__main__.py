"""Replays seeds: `python -m tests.simulation 194` prints what happened, `0-49` a digest of each."""

import argparse
import sys

from tests.simulation.world import World


def main(words: list[str]) -> int:
    """Play; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", help="one seed, or FIRST-LAST")
    first, _, last = parser.parse_args(words).seeds.partition("-")
    if not last:
        return replay(int(first))
    worlds = [played(seed) for seed in range(int(first), int(last) + 1)]
    return int(any(world.violations for world in worlds))


def replay(seed: int) -> int:
    """Tell everything of one seed."""
    world = World(seed)
    world.play()
    for line in world.trace.lines():
        print(line)
    print(world.setting)
    print("\n".join(world.violations) or "every promise was kept")
    return int(bool(world.violations))


def played(seed: int) -> World:
    """Play one of many, and sum it up."""
    world = World(seed)
    world.play()
    print(seed, world.trace.digest(), *world.violations)
    return world


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
