"""Replay seeds. One seed prints every message; a range prints one digest per seed.

python -m tests.simulation 194
python -m tests.simulation 0-49
python -m tests.simulation --mutant "results lost on cancel" 0-999

The exit status is 1 if an invariant was violated.
"""

import argparse
import sys

from tests.simulation.mutant_list import MUTANTS, NO_MUTANT, Mutant
from tests.simulation.simulated_session import SimulatedSession


def main(words: list[str]) -> int:
    """Simulate the seeds; return 1 if an invariant was violated."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation",
        description=__doc__,
        epilog=f"mutants: {'; '.join(MUTANTS)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("seeds", metavar="SEED", help="one seed, or a range such as 0-49")
    parser.add_argument(
        "--mutant", choices=MUTANTS, metavar="NAME", help="run with this fault in the code"
    )
    options = parser.parse_args(words)
    mutant = MUTANTS[options.mutant] if options.mutant else NO_MUTANT
    first, _, last = options.seeds.partition("-")
    if not last:
        return replay_seed(int(first), mutant)
    simulations = [run_seed(seed, mutant) for seed in range(int(first), int(last) + 1)]
    return int(any(simulation.violations for simulation in simulations))


def replay_seed(seed: int, mutant: Mutant) -> int:
    """Run one seed and print its trace and violations."""
    simulation = SimulatedSession(seed, mutant)
    simulation.run()
    for line in simulation.trace.lines():
        print(line)
    print(simulation.seed_config)
    print("\n".join(simulation.violations) or "no invariant was violated")
    return int(bool(simulation.violations))


def run_seed(seed: int, mutant: Mutant) -> SimulatedSession:
    """Run one of several seeds and print its digest and violations."""
    simulation = SimulatedSession(seed, mutant)
    simulation.run()
    print(seed, simulation.trace.digest(), *simulation.violations)
    return simulation


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
