"""After the console crashes, the session continues with or without it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import pytest

from actors.supervisor.supervisor import CONSOLE_LOST_NOTICE
from actors.tools.local_command_runner import LocalCommandRunner
from messages.address import CONSOLE
from messages.approvals import ApprovalDecided, ApprovalDecision, ShowApproval, SubmitDecision
from messages.turns import SessionConfigured, ToolEnded, TurnCompleted
from shell.console.console import Console
from shell.console.screen_event_queue import (
    ApprovalsReset,
    DecisionLost,
    ScreenEvent,
    ScreenEventQueue,
)
from shell.console.ui_commands import SendPrompt, StopUserCommand
from shell.console.user_shell_command import UserCommandRunner
from shell.view.event_reducer import apply_event
from shell.view.screen_state import ScreenEffect, ScreenState, SendCommand, decide_approval
from tests.actors.crashable_session import (
    CRASH_MESSAGES,
    ActorName,
    CrashableSession,
    start_session,
)
from tests.probe import PROBE_TIMEOUT_S
from tests.program.program_harness import now_s

pytestmark = pytest.mark.quick

E = TypeVar("E")
CRASH_MESSAGES["console"] = StopUserCommand()


class ScreenEventReader:
    """Reads the events for the screen."""

    def __init__(self, screen_events: ScreenEventQueue) -> None:
        self._screen_events = screen_events
        self._woken = Event()
        screen_events.set_wake_callback(self._woken.set)

    def wait_for(self, kind: type[E]) -> tuple[E, list[ScreenEvent]]:
        """Take events up to the first of this kind; return it and the events before it."""
        before: list[ScreenEvent] = []
        while True:
            while (event := self._screen_events.take_next()) is not None:
                if isinstance(event, kind):
                    return event, before
                before.append(event)
            assert self._woken.wait(PROBE_TIMEOUT_S), f"no {kind.__name__} after {before}"
            self._woken.clear()


@pytest.fixture
def screen_events() -> ScreenEventQueue:
    return ScreenEventQueue()


@pytest.fixture
def crashable_session(
    tmp_path: Path, screen_events: ScreenEventQueue
) -> Iterator[CrashableSession]:
    command_runner = UserCommandRunner(LocalCommandRunner(), tmp_path, tmp_path / "outputs")
    session = start_session(tmp_path, lambda _: partial(Console, screen_events, command_runner))
    yield session
    assert session.system.stop()


@pytest.fixture
def event_reader(
    screen_events: ScreenEventQueue, crashable_session: CrashableSession
) -> ScreenEventReader:
    """Reads the events of a session that has started."""
    reader = ScreenEventReader(screen_events)
    reader.wait_for(SessionConfigured)
    assert crashable_session.system.addresses
    return reader


def allow_once(crashable_session: CrashableSession, shown: ShowApproval) -> None:
    crashable_session.system.tell(CONSOLE, SubmitDecision(id=shown.request.id, decision="once"))


def test_a_restarted_console_gets_the_open_approval_request_again(
    crashable_session: CrashableSession, event_reader: ScreenEventReader
) -> None:
    crashable_session.system.tell(CONSOLE, SendPrompt(turn=1, text="do it"))
    shown, _ = event_reader.wait_for(ShowApproval)
    crashable_session.crash("console")
    event_reader.wait_for(ApprovalsReset)
    again, _ = event_reader.wait_for(ShowApproval)
    assert again.request == shown.request
    allow_once(crashable_session, again)
    assert event_reader.wait_for(TurnCompleted)[0].turn == 1
    assert crashable_session.restart_notices.get(timeout=PROBE_TIMEOUT_S).startswith(
        "/console crashed and was restarted"
    )

    crashable_session.system.tell(CONSOLE, SendPrompt(turn=2, text="once more"))
    allow_once(crashable_session, event_reader.wait_for(ShowApproval)[0])
    assert event_reader.wait_for(TurnCompleted)[0].turn == 2
    assert crashable_session.tool_executions == ["ran", "ran"]
    assert crashable_session.restart_notices.empty()


@pytest.mark.parametrize("actor", ["approvals", "console"])
@pytest.mark.parametrize("decision", ["once", "session", "no"])
def test_an_answer_lost_in_a_crash_is_sent_again(
    crashable_session: CrashableSession,
    event_reader: ScreenEventReader,
    actor: ActorName,
    decision: ApprovalDecision,
) -> None:
    crashable_session.system.tell(CONSOLE, SendPrompt(turn=1, text="do it"))
    state = ScreenState()
    shown, _ = event_reader.wait_for(ShowApproval)
    state, _ = apply_event(state, shown, 0.0)
    crashable_session.crash_triggers[actor].crash_on("before", SubmitDecision)
    state, effects = decide_approval(state, shown.request.id, decision)
    send_commands(crashable_session, effects)
    expected: tuple[type[Any], ...] = (ApprovalsReset, ShowApproval)
    for event_type in expected:
        event, _ = event_reader.wait_for(event_type)
        state, effects = apply_event(state, event, 0.0)
        assert state.approvals.parked == ()
        send_commands(crashable_session, effects)

    assert event_reader.wait_for(TurnCompleted)[0].turn == 1
    assert len(crashable_session.tool_executions) == (decision != "no")
    assert [record.decision for record in crashable_session.records_of_type(ApprovalDecided)] == [
        decision
    ]


def test_an_answer_that_cannot_be_delivered_is_asked_again(
    crashable_session: CrashableSession, event_reader: ScreenEventReader
) -> None:
    crashable_session.system.tell(CONSOLE, SendPrompt(turn=1, text="do it"))
    shown, _ = event_reader.wait_for(ShowApproval)
    state, _ = apply_event(ScreenState(), shown, 0.0)
    crashable_session.crash_triggers["approvals"].crash_on("before", SubmitDecision, times=3)
    state, effects = decide_approval(state, shown.request.id, "once")
    send_commands(crashable_session, effects)
    expected: tuple[type[Any], ...] = (*(ApprovalsReset, ShowApproval) * 3, DecisionLost)
    for event_type in expected:
        event, _ = event_reader.wait_for(event_type)
        state, effects = apply_event(state, event, 0.0)
        send_commands(crashable_session, effects)

    assert state.approvals.parked == (shown.request,)
    state, effects = decide_approval(state, shown.request.id, "no")
    send_commands(crashable_session, effects)
    assert event_reader.wait_for(TurnCompleted)[0].turn == 1
    assert crashable_session.tool_executions == []


def send_commands(crashable_session: CrashableSession, effects: tuple[ScreenEffect, ...]) -> None:
    """Send the commands among a screen's effects to the console."""
    for effect in effects:
        if isinstance(effect, SendCommand):
            crashable_session.system.tell(CONSOLE, effect.command)


def test_without_a_console_the_call_is_denied(
    crashable_session: CrashableSession, event_reader: ScreenEventReader
) -> None:
    crashable_session.system.tell(CONSOLE, SendPrompt(turn=1, text="do it"))
    event_reader.wait_for(ShowApproval)
    crashable_session.crash("console", failing_restarts=3)
    notice = crashable_session.restart_notices.get(timeout=PROBE_TIMEOUT_S)
    assert "failed (crash): InjectedCrashError: start" in notice
    assert notice.endswith(CONSOLE_LOST_NOTICE)
    deadline_s = now_s() + PROBE_TIMEOUT_S
    while not crashable_session.records_of_type(TurnCompleted):
        assert now_s() < deadline_s, "the turn does not end"
    (ended,) = crashable_session.records_of_type(ToolEnded)
    assert ended.status == "denied"
    assert crashable_session.tool_executions == []
    assert CONSOLE not in crashable_session.system.addresses
    assert crashable_session.restart_notices.empty()
