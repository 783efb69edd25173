"""A session file is enough to derive the run: requests, outcomes, retries and results."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

from actors.agents.turn.retry import RetryState, get_retry_delay_s
from actors.agents.turn.self_messages import ModelFailed
from actors.models.scripted_reply import ReplyPlan, ScriptedCall
from actors.sessions.log_reader import read_log
from messages.address import PRIMARY, Address
from messages.content import ToolUseBlock
from messages.journal import RequestPrefix
from messages.turns import ModelRetrying, ReplyCompleted, ToolEnded
from tests.program.program_harness import Json, Program
from tests.scripted_server import respond_http_error
from tests.session_replay import DerivedRequest, derive_requests, get_described_fields
from tests.signing_server import SigningServer

TASK = {"description": "look", "prompt": "Look around.", "subagent_type": "general"}
OVERLOADED = respond_http_error(529, "overloaded_error", "Overloaded")
REJECTED = respond_http_error(400, "invalid_request_error", "tools.0: bad")


@dataclass(frozen=True)
class RecordedSession:
    """A session of three runs, and what the server received."""

    file: Path
    sent: list[Json]
    derived: list[DerivedRequest]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> RecordedSession:
    """Return a session with tool calls, a subagent, a retry, a failure and a changed prompt."""
    program = Program.in_folder(tmp_path_factory.mktemp("replay"))
    look = ScriptedCall("ls", {"path": "."})
    program.server = server = SigningServer(
        ReplyPlan("Let me see.", (look, look), thinking="both"),
        OVERLOADED,
        ReplyPlan("Someone else looks.", (ScriptedCall("task", TASK),), thinking="delegate"),
        ReplyPlan("I look.", (look,), thinking="look"),
        ReplyPlan("Seen.", thinking="seen"),
        ReplyPlan("Done.", thinking="done"),
        REJECTED,
        ReplyPlan("Back.", thinking="back"),
    )
    with server:
        program.run("-p", "Begin.", "--trust")
        (program.repository / "AGENTS.md").write_text("Use tabs.\n")
        program.run("-p", "Fail.", "--continue")
        program.run("-p", "Go on.", "--continue")
    assert server.mismatches == []
    file = program.session_file
    return RecordedSession(file, server.accepted, list(derive_requests(file)))


def test_every_request_can_be_derived_from_the_session_file(recorded: RecordedSession) -> None:
    sent = [get_described_fields(body) for body in recorded.sent]
    assert [request.body for request in recorded.derived] == sent


def test_requests_are_numbered_without_gaps_over_all_runs(recorded: RecordedSession) -> None:
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for request in recorded.derived:
        numbers[request.agent.name].append(request.number)
    assert numbers == {"primary": [1, 2, 3, 4, 5, 6], "general-1": [1, 2]}


def test_each_request_is_sent_after_the_outcome_before_it(recorded: RecordedSession) -> None:
    times_s = [request.sent_at_s for request in recorded.derived if request.agent == PRIMARY]
    assert times_s == sorted(times_s)


def test_a_retry_delay_follows_from_session_and_request_number(recorded: RecordedSession) -> None:
    outcomes = (request.outcome for request in recorded.derived)
    (retrying,) = (outcome for outcome in outcomes if isinstance(outcome, ModelRetrying))
    failed = ModelFailed(request=retrying.request, reason="overloaded", detail="", retry=True)
    assert retrying.wait_s == get_retry_delay_s(failed, RetryState(), recorded.file.stem)


def test_each_result_answers_a_call_of_the_last_reply(recorded: RecordedSession) -> None:
    open_ids: defaultdict[Address, set[str]] = defaultdict(set)
    for line in read_log(recorded.file).lines:
        match line.message:
            case ReplyCompleted() as reply:
                assert not open_ids[line.recorded_by]
                calls = (block for block in reply.content if isinstance(block, ToolUseBlock))
                open_ids[line.recorded_by] = {call.id for call in calls}
            case ToolEnded() as ended:
                open_ids[line.recorded_by].remove(ended.call_id)
            case _:
                pass
    assert not any(open_ids.values())


def test_a_prefix_is_written_once_however_many_requests_use_it(recorded: RecordedSession) -> None:
    messages = [line.message for line in read_log(recorded.file).lines]
    prefixes = [message for message in messages if isinstance(message, RequestPrefix)]
    assert len({prefix.id for prefix in prefixes}) == len(prefixes) == 3
