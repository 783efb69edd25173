"""Compactions that start, end, fail and crash at any moment of random turns."""

from dataclasses import replace

import pytest

from actors.agents.restore.restored_state import restore
from actors.agents.turn.conversation_history import ConversationHistory
from tests.actors.agents.compaction.compacting_environment import CompactingEnvironment
from tests.actors.agents.turn.message_builders import make_state

pytestmark = pytest.mark.quick

SEEDS, SEEDS_PER_TEST = 200, 50


@pytest.mark.parametrize("first_seed", range(0, SEEDS, SEEDS_PER_TEST))
def test_every_request_is_valid_whenever_a_compaction_ends(first_seed: int) -> None:
    compactions = 0
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        environment = CompactingEnvironment(seed, disk_may_fail=seed % 4 == 0)
        environment.run_random_steps(200)
        environment.run_to_idle()
        compactions += environment.compaction_count
    assert compactions > SEEDS_PER_TEST


@pytest.mark.parametrize("first_seed", range(0, SEEDS, SEEDS_PER_TEST))
def test_a_crash_during_a_compaction_loses_nothing(first_seed: int) -> None:
    lost = 0
    for seed in range(first_seed, first_seed + SEEDS_PER_TEST):
        environment = CompactingEnvironment(seed)
        environment.run_random_steps(60 + seed % 40)
        lost += environment.state.compaction.running is not None
        records = environment.crash()
        resumed = CompactingEnvironment(seed)
        resumed.resume(restore(records, replace(make_state(run=2))))
        history = ConversationHistory()
        for record in records:
            history.add(record)
        tail = resumed.history.messages[: len(history.messages) - 1]
        assert tail == history.messages[:-1]
        resumed.run_to_idle()
    assert lost
