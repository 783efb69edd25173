"""Reviews beside random turns: crash, cancel and a user's turn at every point of a review."""

import pytest

from actors.agents.restore.restored_state import restore
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import Effect, WriteRecord
from actors.agents.turn.limits import Limits
from actors.agents.turn.state_machine import TurnMessage, advance
from messages.child_lifecycle import ChildCompleted
from messages.journal import Record
from messages.reviews import ReviewEnded
from tests.actors.agents.turn.message_builders import NO_LIMITS, make_state
from tests.actors.agents.turn.random_environment import Advance
from tests.actors.agents.turn.review_environment import ReviewEnvironment

pytestmark = pytest.mark.quick

STEPS = 150
SEEDS = 100


def play(seed: int, step: Advance = advance, *, failing: bool = False) -> ReviewEnvironment:
    limits = Limits(turns=4, seconds=100) if seed % 2 else NO_LIMITS
    environment = ReviewEnvironment(seed, step=step, disk_may_fail=failing, limits=limits)
    try:
        environment.run_random_steps(STEPS)
        environment.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise
    return environment


def play_all(step: Advance) -> None:
    for seed in range(SEEDS):
        play(seed, step)


@pytest.mark.parametrize("failing", [False, True])
def test_every_review_ends_once_beside_random_turns(
    failing: bool,  # noqa: FBT001  (a test parameter)
) -> None:
    played = [play(seed, failing=failing) for seed in range(SEEDS)]
    ends = [
        record.status
        for environment in played
        for record in environment.disk_records
        if isinstance(record, ReviewEnded)
    ]
    assert len(ends) > 2 * SEEDS
    expected = {"completed", "cancelled", "failed", "limit_reached", "nothing_to_review"}
    assert expected <= set(ends)


def test_reviews_continue_from_every_prefix_of_the_records() -> None:
    """A crash at any record: open reviews end as cancelled, and the history stays valid."""
    for seed in range(12):
        environment = ReviewEnvironment(seed)
        environment.run_random_steps(STEPS)
        for length in range(len(environment.disk_records) + 1):
            resume_from(environment.disk_records[:length], seed)


def resume_from(records: list[Record], seed: int) -> None:
    environment = ReviewEnvironment(seed, run=2)
    try:
        environment.resume(restore(tuple(records), make_state(2)))
        environment.run_random_steps(10)
        environment.run_to_idle()
    except AssertionError as error:
        error.add_note(f"seed {seed}, {len(records)} records")
        raise


def without_end(state: AgentState, message: TurnMessage) -> tuple[AgentState, tuple[Effect, ...]]:
    """Mutant: the end of a review is shown, but not recorded."""
    state, effects = advance(state, message)
    is_end = [
        isinstance(effect, WriteRecord) and isinstance(effect.record, ReviewEnded)
        for effect in effects
    ]
    return state, tuple(
        effect for effect, dropped in zip(effects, is_end, strict=True) if not dropped
    )


def with_two_ends(state: AgentState, message: TurnMessage) -> tuple[AgentState, tuple[Effect, ...]]:
    """Mutant: each end of a review is recorded twice."""
    state, effects = advance(state, message)
    ends = [
        effect
        for effect in effects
        if isinstance(effect, WriteRecord) and isinstance(effect.record, ReviewEnded)
    ]
    return state, (*effects, *ends)


def without_child_end(
    state: AgentState, message: TurnMessage
) -> tuple[AgentState, tuple[Effect, ...]]:
    """Mutant: the end of a review's subagent is ignored."""
    return (state, ()) if isinstance(message, ChildCompleted) else advance(state, message)


@pytest.mark.parametrize(
    "mutant", [without_end, with_two_ends, without_child_end], ids=lambda mutant: mutant.__name__
)
def test_random_reviews_detect_every_mutant(mutant: Advance) -> None:
    with pytest.raises(AssertionError):
        play_all(mutant)
