"""The screen's own actor crashes: the session goes on, with it or without it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from actors.root import UNHEARD
from actors.tools.local_processes import LocalProcesses
from messages.address import CONSOLE
from messages.approvals import ShowApproval, SubmitDecision
from messages.turns import SessionConfigured, ToolEnded, TurnCompleted
from shell.console import Console
from shell.inbox import ApprovalsReset, Event, ScreenEventQueue
from shell.intents import SendPrompt, StopUserCommand
from shell.own_command import UserCommandRunner
from tests.actors.living import HARMLESS, Living, live
from tests.probe import PATIENCE_S
from tests.program.program import now_s

pytestmark = pytest.mark.quick

E = TypeVar("E")
HARMLESS["console"] = StopUserCommand()


class Screen:
    """What the console's inbox brings."""

    def __init__(self, inbox: ScreenEventQueue) -> None:
        self._inbox = inbox

    def until(self, kind: type[E]) -> tuple[E, list[Event]]:
        """Take events up to the first of its kind; it, and those before it."""
        before: list[Event] = []
        deadline_s = now_s() + PATIENCE_S
        while now_s() < deadline_s:
            event = self._inbox.next()
            if isinstance(event, kind):
                return event, before
            if event is not None:
                before.append(event)
        note = f"no {kind.__name__} behind {before}"
        raise AssertionError(note)


@pytest.fixture
def inbox() -> ScreenEventQueue:
    return ScreenEventQueue()


@pytest.fixture
def living(tmp_path: Path, inbox: ScreenEventQueue) -> Iterator[Living]:
    workbench = UserCommandRunner(LocalProcesses(), tmp_path, tmp_path / "outputs")
    living = live(tmp_path, lambda _: partial(Console, inbox, workbench))
    yield living
    assert living.system.stop()


@pytest.fixture
def screen(inbox: ScreenEventQueue, living: Living) -> Screen:
    """The screen of a session that has begun."""
    screen = Screen(inbox)
    screen.until(SessionConfigured)
    assert living.system.addresses
    return screen


def answered(living: Living, asked: ShowApproval) -> None:
    living.system.tell(CONSOLE, SubmitDecision(id=asked.request.id, decision="once"))


def test_a_question_comes_back_to_a_new_console_and_the_next_turn_works(
    living: Living, screen: Screen
) -> None:
    living.system.tell(CONSOLE, SendPrompt(text="do it"))
    asked, _ = screen.until(ShowApproval)
    living.crash("console")
    screen.until(ApprovalsReset)
    again, _ = screen.until(ShowApproval)
    assert again.request == asked.request
    answered(living, again)
    assert screen.until(TurnCompleted)[0].turn == 1
    assert living.told.get(timeout=PATIENCE_S).startswith("/console crashed and was started again")

    living.system.tell(CONSOLE, SendPrompt(text="once more"))
    answered(living, screen.until(ShowApproval)[0])
    assert screen.until(TurnCompleted)[0].turn == 2
    assert living.runs == ["ran", "ran"]
    assert living.told.empty()


def test_when_the_console_is_gone_nobody_can_answer_and_the_turn_goes_on(
    living: Living, screen: Screen
) -> None:
    living.system.tell(CONSOLE, SendPrompt(text="do it"))
    screen.until(ShowApproval)
    living.crash("console", failing_restarts=3)
    gone = living.told.get(timeout=PATIENCE_S)
    why = "failed (crash): PlantedError: start"
    assert gone == f"The screen's own actor {why}. {UNHEARD}"
    deadline_s = now_s() + PATIENCE_S
    while not living.recorded(TurnCompleted):
        assert now_s() < deadline_s, "the turn hangs"
    (ended,) = living.recorded(ToolEnded)
    asked = "edit asks unless it is allowed (built-in default)"
    why = "it needs a person's approval, and the terminal is gone"
    assert ended.text == f"Denied: {asked}; {why}."
    assert living.runs == []
    assert CONSOLE not in living.system.addresses
    assert living.told.empty()
