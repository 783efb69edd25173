"""The kinds of subagents, and where an agent's kind is visible."""

import pytest

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS
from actors.agents.kinds.kind_list import KIND_DEFINITIONS
from actors.models.model_client import SUBAGENT_HEADER
from messages.subagents import (
    PROGRAM_KINDS,
    SubAgentSource,
    SubagentStarted,
    get_subagent_source,
)
from tests.actors.agents.scripted_agents import (
    SessionFixture,
    make_task_call,
    wait_for_completion,
)

pytestmark = pytest.mark.quick


def test_each_kind_has_one_definition_of_its_name() -> None:
    assert {definition.name for definition in KIND_DEFINITIONS} == set(PROGRAM_KINDS)
    assert not {definition.name for definition in BUILT_IN_DEFINITIONS} & set(PROGRAM_KINDS)


def test_the_source_of_a_subagent_follows_from_its_definition() -> None:
    assert get_subagent_source("review") == SubAgentSource(kind="review")
    assert get_subagent_source("compact").name == "compact"
    assert get_subagent_source("general") == SubAgentSource(kind="other", label="general")


def test_a_subagents_kind_is_recorded_and_sent(sessions: SessionFixture) -> None:
    running = sessions.start_session(
        {"begin": [make_task_call("t1", "look"), "all done"], "look": ["I saw it"]}
    )
    running.prompt()
    wait_for_completion(running)
    started = [record for record in running.records() if isinstance(record, SubagentStarted)]
    assert [record.subagent_source.name for record in started] == ["general"]
    assert running.scripted_agents.requests[1].headers == {SUBAGENT_HEADER: "general"}


@pytest.mark.parametrize("kind", PROGRAM_KINDS)
def test_no_model_can_start_a_kind_of_the_program(sessions: SessionFixture, kind: str) -> None:
    running = sessions.start_session(
        {"begin": [make_task_call("t1", "look", kind), "all done"], "look": ["I saw it"]}
    )
    running.prompt()
    wait_for_completion(running)
    assert not any(isinstance(record, SubagentStarted) for record in running.records())
    assert len(running.scripted_agents.requests) == 2
