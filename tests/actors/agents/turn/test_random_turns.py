"""A turn in random but legal environments: many seeds, a few hundred messages each."""

import pytest

from actors.agents.restore.restored_state import restore
from actors.agents.turn.limits import Limits
from actors.agents.turn.state_machine import advance
from messages.journal import Record
from tests.actors.agents.turn.message_builders import NO_LIMITS, make_state
from tests.actors.agents.turn.random_environment import Advance, RandomEnvironment
from tests.actors.agents.turn.retry_mutants import RETRY_MUTANTS
from tests.actors.agents.turn.turn_mutants import RESTORE_MUTANTS, TURN_MUTANTS, RestoreMutant

pytestmark = pytest.mark.quick

STEPS = 150
SEEDS_PER_TEST = 100
"""Seeds per test, so that no test takes long."""


@pytest.mark.parametrize("failing", [False, True])
@pytest.mark.parametrize("shard", range(4))
def test_invariants_hold_for_random_messages_in_any_order(
    shard: int,
    failing: bool,  # noqa: FBT001  (a test parameter)
) -> None:
    play_all(range(shard * SEEDS_PER_TEST, (shard + 1) * SEEDS_PER_TEST), failing=failing)


@pytest.mark.parametrize("shard", range(4))
def test_a_crashed_session_continues_from_its_records(shard: int) -> None:
    for seed in range(shard * SEEDS_PER_TEST, (shard + 1) * SEEDS_PER_TEST):
        crash_and_resume(seed)


@pytest.mark.parametrize(
    "mutant", [*TURN_MUTANTS, *RETRY_MUTANTS], ids=lambda mutant: mutant.__name__
)
def test_random_turns_detect_every_mutant(mutant: Advance) -> None:
    with pytest.raises(AssertionError):
        play_all(range(12 * SEEDS_PER_TEST), mutant)


@pytest.mark.parametrize("shard", range(4))
def test_a_session_continues_from_every_prefix_of_its_records(shard: int) -> None:
    resume_from_all_prefixes(range(shard * 20, (shard + 1) * 20))


@pytest.mark.parametrize("mutant", RESTORE_MUTANTS, ids=lambda mutant: mutant.__name__)
def test_the_prefixes_detect_every_restore_mutant(mutant: RestoreMutant) -> None:
    with pytest.raises(AssertionError):
        resume_from_all_prefixes(range(SEEDS_PER_TEST), mutant)


def resume_from_all_prefixes(
    seeds: range, mutant: RestoreMutant = lambda restored: restored
) -> None:
    for seed in seeds:
        environment = RandomEnvironment(seed)
        environment.run_random_steps(STEPS)
        for length in range(len(environment.disk_records) + 1):
            resume_from(environment.disk_records[:length], seed, mutant)


def resume_from(records: list[Record], seed: int, mutant: RestoreMutant) -> None:
    environment = RandomEnvironment(seed)
    try:
        environment.resume(mutant(restore(tuple(records), make_state(2))))
        environment.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}, {len(records)} records")
        raise


def play_all(seeds: range, step: Advance = advance, *, failing: bool = True) -> None:
    for seed in seeds:
        play(seed, step, failing=failing)


def play(seed: int, step: Advance = advance, *, failing: bool = False) -> None:
    limits = Limits(turns=4, seconds=100) if seed % 2 else NO_LIMITS
    environment = RandomEnvironment(seed, step=step, disk_may_fail=failing, limits=limits)
    try:
        environment.run_random_steps(STEPS)
        environment.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise


def crash_and_resume(seed: int) -> None:
    """Crash twice, the second time soon after the resume, then finish."""
    limits = Limits(turns=2) if seed % 2 else NO_LIMITS
    try:
        environment = RandomEnvironment(seed, limits=limits)
        environment.run_random_steps(environment.random.randint(5, STEPS))
        for run in (2, 3):
            restored = restore(environment.crash(), make_state(run, limits))
            environment = RandomEnvironment(seed + run * 1_000_000, limits=limits)
            environment.resume(restored)
            environment.run_random_steps(environment.random.randint(0, 20))
        environment.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise
