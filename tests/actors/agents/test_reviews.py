"""Reviews beside the conversation; only the model is scripted."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from actors.agents.definition.system_prompts import Instructions
from actors.models.model_client import SUBAGENT_HEADER, ModelRequest
from messages.address import PRIMARY
from messages.reviews import (
    BaseBranch,
    CustomTarget,
    ReviewEnded,
    ReviewStarted,
    ReviewTarget,
    StartReview,
    UncommittedChanges,
)
from messages.subagents import CancelSubagent, SubagentEnded, SubagentStarted
from messages.turns import ToolEnded
from tests.actors.agents.scripted_agents import (
    RunningSession,
    SessionFixture,
    make_model_error,
    make_tool_use,
    never_reply,
    reply_after,
    wait_for_completion,
)

LOOK = "Look at the parser."
FINDING = {"title": "[P1] Check the bounds", "body": "It overflows.", "priority": 1}
REPLY = json.dumps({"findings": [FINDING], "overall_correctness": "patch is incorrect"})


def start_review(
    running: RunningSession, target: ReviewTarget | None = None, review_id: str = "r1"
) -> None:
    target = target or CustomTarget(instructions=LOOK)
    running.user.tell(PRIMARY, StartReview(id=review_id, target=target))


def wait_for(running: RunningSession, kind: type[Any]) -> Any:  # noqa: ANN401  (any message)
    """Return the next message of this type from the primary agent."""
    while True:
        sender, message = running.user.next_from()
        if sender == PRIMARY and isinstance(message, kind):
            return message


def list_records(running: RunningSession, kind: type[Any]) -> list[Any]:
    return [record for record in running.records() if isinstance(record, kind)]


def get_texts(request: ModelRequest) -> str:
    """Return all text that a request sends to the model."""
    return json.dumps([request.system, *request.messages])


@pytest.fixture
def changed_folder(sessions: SessionFixture) -> Path:
    """The sessions' folder as a repository with one commit and one uncommitted change."""
    root = sessions.folder / "work"
    root.mkdir()
    (root / "a.py").write_text("one\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        settings = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
        subprocess.run(["git", *settings, *words], cwd=root, check=True, timeout=30)
    (root / "a.py").write_text("two\n")
    return root


def test_a_review_runs_beside_the_conversation(sessions: SessionFixture) -> None:
    finish = threading.Event()
    running = sessions.start_session(
        {LOOK: [reply_after(finish, REPLY)], "begin": ["hello"], "fix it": ["fixed"]}
    )
    start_review(running)
    assert wait_for(running, ReviewStarted).id == "r1"
    started = wait_for(running, SubagentStarted)
    assert (started.agent_type, started.subagent_source.kind) == ("review", "review")
    running.prompt()
    assert wait_for_completion(running).text == "hello"

    finish.set()
    ended = wait_for(running, ReviewEnded)
    assert (ended.status, ended.detail) == ("completed", "")
    assert [finding.title for finding in ended.output.findings] == ["[P1] Check the bounds"]
    running.prompt("fix it", turn=2)
    assert wait_for_completion(running).text == "fixed"
    request = running.scripted_agents.requests[-1]
    assert [message["role"] for message in request.messages] == ["user", "assistant", "user"]
    assert "1. [P1] Check the bounds" in get_texts(request)
    assert len(list_records(running, ReviewEnded)) == 1


def test_a_review_gets_its_own_prompt_and_the_changes(
    sessions: SessionFixture, changed_folder: Path
) -> None:
    (changed_folder / "AGENTS.md").write_text("secret rule of the project\n")
    rule = Instructions("AGENTS.md", "secret rule of the user", file_bytes=20)
    running = sessions.start_session({}, instructions=(rule,))
    start_review(running, UncommittedChanges())
    wait_for(running, ReviewEnded)
    request = running.scripted_agents.requests[0]
    assert request.headers == {SUBAGENT_HEADER: "review"}
    assert "+two" in get_texts(request)
    assert "of the user" not in get_texts(request)
    assert "another agent" not in get_texts(request).lower()
    names = {str(tool["name"]) for tool in request.tools}
    assert names == {"read", "ls", "glob", "grep", "bash"}


def test_files_that_ask_before_reading_are_not_sent(
    sessions: SessionFixture, changed_folder: Path
) -> None:
    (changed_folder / ".env").write_text("TOKEN=12345\n")
    running = sessions.start_session({})
    start_review(running, UncommittedChanges())
    wait_for(running, ReviewEnded)
    text = get_texts(running.scripted_agents.requests[0])
    assert ".env" in text
    assert "12345" not in text


def test_calls_of_a_review_never_ask_or_change_anything(
    sessions: SessionFixture, changed_folder: Path
) -> None:
    calls = (
        make_tool_use("c1", "bash", command="git diff"),
        make_tool_use("c2", "bash", command="touch new"),
        make_tool_use("c3", "read", path="/etc/hostname"),
        make_tool_use("c4", "write", path="a.py", content="three"),
        make_tool_use("c5", "read", path="a.py"),
    )
    running = sessions.start_session({LOOK: [calls, REPLY]})
    start_review(running)
    assert wait_for(running, ReviewEnded).status == "completed"
    results = running.scripted_agents.get_last_results(LOOK)
    assert results[0].startswith("Denied:")
    assert results[0].endswith("this agent cannot ask for approval.")
    assert results[1].startswith("Denied:")
    assert results[2].endswith("this agent cannot ask for approval.")
    assert results[3].startswith("There is no tool")
    assert "two" in results[4]
    assert not (changed_folder / "new").exists()


def test_several_reviews_run_at_the_same_time(sessions: SessionFixture) -> None:
    finish, prompts = threading.Event(), ("first", "second", "third")
    running = sessions.start_session({text: [reply_after(finish, REPLY)] for text in prompts})
    for text in prompts:
        start_review(running, CustomTarget(instructions=text), text)
    names = {wait_for(running, SubagentStarted).child.name for _ in prompts}
    assert names == {"review-1", "review-2", "review-3"}
    finish.set()
    assert {wait_for(running, ReviewEnded).id for _ in prompts} == set(prompts)


def test_a_stopped_review_is_noted_in_the_conversation(sessions: SessionFixture) -> None:
    running = sessions.start_session({LOOK: [never_reply], "begin": ["hello"]})
    start_review(running)
    child = wait_for(running, SubagentStarted).child
    running.user.tell(PRIMARY, CancelSubagent(child=child))
    assert wait_for(running, ReviewEnded).status == "cancelled"
    running.prompt()
    wait_for_completion(running)
    assert "was cancelled and has no result" in get_texts(running.scripted_agents.requests[-1])


def test_a_failed_review_is_noted_in_the_conversation(sessions: SessionFixture) -> None:
    running = sessions.start_session({LOOK: [make_model_error()], "begin": ["hello"]})
    start_review(running)
    ended = wait_for(running, ReviewEnded)
    assert (ended.status, ended.detail) == ("failed", "rejected: injected")
    running.prompt()
    wait_for_completion(running)
    text = get_texts(running.scripted_agents.requests[-1])
    assert "failed and has no result: rejected: injected." in text


def test_a_review_beyond_the_spawn_budget_is_limited(sessions: SessionFixture) -> None:
    running = sessions.start_session({}, max_spawns=0)
    start_review(running)
    assert wait_for(running, ReviewEnded).status == "limit_reached"


def test_interrupting_the_turn_does_not_stop_a_review(sessions: SessionFixture) -> None:
    finish = threading.Event()
    running = sessions.start_session({LOOK: [reply_after(finish, REPLY)], "begin": [never_reply]})
    start_review(running)
    wait_for(running, SubagentStarted)
    running.prompt()
    running.cancel()
    finish.set()
    assert wait_for(running, ReviewEnded).status == "completed"


def test_a_result_during_a_turn_follows_its_tool_results(sessions: SessionFixture) -> None:
    """The history stays valid: the result of the review is after the results of the calls."""
    in_turn, finish = threading.Event(), threading.Event()
    running = sessions.start_session(
        {
            LOOK: [REPLY],
            "begin": [make_tool_use("c1", "ls"), reply_after(finish, "hello", in_turn)],
            "next": ["ok"],
        }
    )
    running.prompt()
    assert in_turn.wait(30)
    start_review(running)
    wait_for(running, ReviewEnded)
    finish.set()
    wait_for_completion(running)
    running.prompt("next", turn=2)
    wait_for_completion(running)
    messages: Any = running.scripted_agents.requests[-1].messages
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert [block["type"] for block in messages[2]["content"]] == ["tool_result"]
    assert "Check the bounds" in messages[4]["content"][0]["text"]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (UncommittedChanges(), "invalid_target"),
        (BaseBranch(branch="--help"), "invalid_target"),
        (CustomTarget(instructions=" "), "invalid_target"),
    ],
    ids=lambda value: getattr(value, "type", value),
)
def test_a_target_that_cannot_be_reviewed_starts_no_agent(
    sessions: SessionFixture, target: ReviewTarget, status: str
) -> None:
    running = sessions.start_session({"begin": ["hello"]})
    start_review(running, target)
    assert wait_for(running, ReviewEnded).status == status
    running.prompt()
    wait_for_completion(running)
    assert len(running.scripted_agents.requests) == 1
    assert "review" not in json.dumps(running.scripted_agents.requests[0].messages)


def test_nothing_to_review_is_not_a_failure(sessions: SessionFixture, changed_folder: Path) -> None:
    (changed_folder / "a.py").write_text("one\n")
    running = sessions.start_session({})
    start_review(running, UncommittedChanges())
    ended = wait_for(running, ReviewEnded)
    assert (ended.status, ended.detail) == (
        "nothing_to_review",
        "Nothing to review: there are no uncommitted changes.",
    )


@pytest.mark.parametrize(
    ("text", "status", "detail"),
    [
        ("Looks good.", "completed", "the reply was not in the expected format"),
        ("  ", "failed", "it ended without a reply"),
    ],
)
def test_a_reply_without_json_is_shown_as_text(
    sessions: SessionFixture, text: str, status: str, detail: str
) -> None:
    running = sessions.start_session({LOOK: [text]})
    start_review(running)
    ended = wait_for(running, ReviewEnded)
    assert (ended.status, ended.detail) == (status, detail)
    assert (ended.output.overall_explanation if ended.output else "") == text.strip()


def test_a_review_requested_twice_starts_once(sessions: SessionFixture) -> None:
    running = sessions.start_session({LOOK: [REPLY], "begin": ["hello"]})
    start_review(running)
    start_review(running)
    wait_for(running, ReviewEnded)
    start_review(running)
    start_review(running, CustomTarget(instructions=""), "r2")
    assert wait_for(running, ReviewEnded).id == "r2"
    running.prompt()
    wait_for_completion(running)
    assert len(list_records(running, ReviewStarted)) == 2


def test_a_review_that_was_running_is_noted_after_a_resume(sessions: SessionFixture) -> None:
    running = sessions.start_session({LOOK: [never_reply]})
    start_review(running)
    wait_for(running, SubagentStarted)
    path = running.session.log.path
    sessions.close()
    resumed = sessions.start_session({"begin": ["hello"]}, resume_path=path)
    resumed.prompt()
    wait_for_completion(resumed)
    assert [record.status for record in list_records(resumed, ReviewEnded)] == ["cancelled"]
    assert len(list_records(resumed, SubagentEnded)) == 1
    assert "was cancelled and has no result" in get_texts(resumed.scripted_agents.requests[-1])


def test_no_model_can_continue_a_review_as_its_own_task(sessions: SessionFixture) -> None:
    call = make_tool_use(
        "c1", "task", description="d", prompt="p", subagent_type="review", task_id="review-1"
    )
    running = sessions.start_session({LOOK: [REPLY], "begin": [call, "hello"]})
    start_review(running)
    wait_for(running, ReviewEnded)
    running.prompt()
    assert wait_for(running, ToolEnded).status == "error"
    wait_for_completion(running)
    assert len(list_records(running, SubagentStarted)) == 1
