"""The turn in a random but legal world: many seeds, a few hundred messages each."""

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
BLOCK = 100
"""Seeds in one test, so that none takes long."""


@pytest.mark.parametrize("failing", [False, True])
@pytest.mark.parametrize("block", range(4))
def test_a_turn_keeps_its_promises_whatever_comes_and_in_whatever_order(
    block: int,
    failing: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    play_all(range(block * BLOCK, (block + 1) * BLOCK), failing=failing)


@pytest.mark.parametrize("block", range(4))
def test_a_session_that_died_anywhere_goes_on_from_its_records(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        die_and_go_on(seed)


@pytest.mark.parametrize("fault", [*TURN_MUTANTS, *RETRY_MUTANTS], ids=lambda fault: fault.__name__)
def test_the_random_worlds_find_a_planted_fault(fault: Advance) -> None:
    with pytest.raises(AssertionError):
        play_all(range(5 * BLOCK), fault)


@pytest.mark.parametrize("block", range(4))
def test_a_session_goes_on_from_every_prefix_of_its_records(block: int) -> None:
    go_on_from_all(range(block * 20, (block + 1) * 20))


@pytest.mark.parametrize("fault", RESTORE_MUTANTS, ids=lambda fault: fault.__name__)
def test_the_prefixes_find_a_fault_in_taking_up(fault: RestoreMutant) -> None:
    with pytest.raises(AssertionError):
        go_on_from_all(range(BLOCK), fault)


def go_on_from_all(seeds: range, fault: RestoreMutant = lambda past: past) -> None:
    for seed in seeds:
        world = RandomEnvironment(seed)
        world.run_random_steps(STEPS)
        for length in range(len(world.disk_records) + 1):
            go_on_from(world.disk_records[:length], seed, fault)


def go_on_from(records: list[Record], seed: int, fault: RestoreMutant) -> None:
    world = RandomEnvironment(seed)
    try:
        world.resume(fault(restore(tuple(records), make_state(2))))
        world.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}, {len(records)} records")
        raise


def play_all(seeds: range, step: Advance = advance, *, failing: bool = True) -> None:
    for seed in seeds:
        play(seed, step, failing=failing)


def play(seed: int, step: Advance = advance, *, failing: bool = False) -> None:
    limits = Limits(turns=4, seconds=100) if seed % 2 else NO_LIMITS
    world = RandomEnvironment(seed, step=step, disk_may_fail=failing, limits=limits)
    try:
        world.run_random_steps(STEPS)
        world.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise


def die_and_go_on(seed: int) -> None:
    """Die twice, the second time while the first death is being cleared up, then finish."""
    try:
        world = RandomEnvironment(seed)
        world.run_random_steps(world.random.randint(5, STEPS))
        for run in (2, 3):
            past = restore(world.crash(), make_state(run))
            world = RandomEnvironment(seed + run * 1_000_000)
            world.resume(past)
            world.run_random_steps(world.random.randint(0, 20))
        world.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise
