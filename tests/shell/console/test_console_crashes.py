"""The screen's own actor crashes: the session goes on, with it or without it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from actors.supervisor.supervisor import CONSOLE_LOST_NOTICE
from actors.tools.local_command_runner import LocalCommandRunner
from messages.address import CONSOLE
from messages.approvals import ShowApproval, SubmitDecision
from messages.turns import SessionConfigured, ToolEnded, TurnCompleted
from shell.console.console import Console
from shell.console.screen_events import ApprovalsReset, ScreenEvent, ScreenEventQueue
from shell.console.ui_commands import SendPrompt, StopUserCommand
from shell.console.user_command import UserCommandRunner
from tests.actors.crashable_session import CRASH_MESSAGES, CrashableSession, start_session
from tests.probe import PROBE_TIMEOUT_S
from tests.program.program_harness import now_s

pytestmark = pytest.mark.quick

E = TypeVar("E")
CRASH_MESSAGES["console"] = StopUserCommand()


class ScreenEventReader:
    """What the console's inbox brings."""

    def __init__(self, screen_events: ScreenEventQueue) -> None:
        self._inbox = screen_events

    def wait_for(self, kind: type[E]) -> tuple[E, list[ScreenEvent]]:
        """Take events up to the first of its kind; it, and those before it."""
        before: list[ScreenEvent] = []
        deadline_s = now_s() + PROBE_TIMEOUT_S
        while now_s() < deadline_s:
            event = self._inbox.take_next()
            if isinstance(event, kind):
                return event, before
            if event is not None:
                before.append(event)
        note = f"no {kind.__name__} behind {before}"
        raise AssertionError(note)


@pytest.fixture
def screen_events() -> ScreenEventQueue:
    return ScreenEventQueue()


@pytest.fixture
def crashable_session(tmp_path: Path, screen_events: ScreenEventQueue) -> Iterator[CrashableSession]:
    workbench = UserCommandRunner(LocalCommandRunner(), tmp_path, tmp_path / "outputs")
    living = start_session(tmp_path, lambda _: partial(Console, screen_events, workbench))
    yield living
    assert living.system.stop()


@pytest.fixture
def event_reader(screen_events: ScreenEventQueue, crashable_session: CrashableSession) -> ScreenEventReader:
    """The screen of a session that has begun."""
    screen = ScreenEventReader(screen_events)
    screen.wait_for(SessionConfigured)
    assert crashable_session.system.addresses
    return screen


def allow_once(crashable_session: CrashableSession, asked: ShowApproval) -> None:
    crashable_session.system.tell(CONSOLE, SubmitDecision(id=asked.request.id, decision="once"))


def test_a_question_comes_back_to_a_new_console_and_the_next_turn_works(
    crashable_session: CrashableSession, event_reader: ScreenEventReader
) -> None:
    crashable_session.system.tell(CONSOLE, SendPrompt(text="do it"))
    asked, _ = event_reader.wait_for(ShowApproval)
    crashable_session.crash("console")
    event_reader.wait_for(ApprovalsReset)
    again, _ = event_reader.wait_for(ShowApproval)
    assert again.request == asked.request
    allow_once(crashable_session, again)
    assert event_reader.wait_for(TurnCompleted)[0].turn == 1
    assert crashable_session.restart_notices.get(timeout=PROBE_TIMEOUT_S).startswith(
        "/console crashed and was restarted"
    )

    crashable_session.system.tell(CONSOLE, SendPrompt(text="once more"))
    allow_once(crashable_session, event_reader.wait_for(ShowApproval)[0])
    assert event_reader.wait_for(TurnCompleted)[0].turn == 2
    assert crashable_session.tool_executions == ["ran", "ran"]
    assert crashable_session.restart_notices.empty()


def test_when_the_console_is_gone_nobody_can_answer_and_the_turn_goes_on(
    crashable_session: CrashableSession, event_reader: ScreenEventReader
) -> None:
    crashable_session.system.tell(CONSOLE, SendPrompt(text="do it"))
    event_reader.wait_for(ShowApproval)
    crashable_session.crash("console", failing_restarts=3)
    gone = crashable_session.restart_notices.get(timeout=PROBE_TIMEOUT_S)
    why = "failed (crash): InjectedCrashError: start"
    assert gone == f"The console {why}. {CONSOLE_LOST_NOTICE}"
    deadline_s = now_s() + PROBE_TIMEOUT_S
    while not crashable_session.records_of_type(TurnCompleted):
        assert now_s() < deadline_s, "the turn hangs"
    (ended,) = crashable_session.records_of_type(ToolEnded)
    asked = "it writes to a.txt"
    why = "it needs the user's approval, but the console is not running"
    assert ended.text == f"Denied: {asked}; {why}."
    assert crashable_session.tool_executions == []
    assert CONSOLE not in crashable_session.system.addresses
    assert crashable_session.restart_notices.empty()
