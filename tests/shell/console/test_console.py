"""The shell's actor between real actors."""

import threading
from collections.abc import Generator
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest

from actors.runtime.actor import Actor
from actors.runtime.system import ActorSystem
from actors.tools.local_command_runner import LocalCommandRunner
from messages.address import CONSOLE, PERMISSIONS, PRIMARY, Address
from messages.approvals import ApproverAvailabilityChanged, SubmitDecision
from messages.base import Message
from messages.permissions import (
    GrantRevoked,
    ReplaceRules,
    RevokeGrant,
    RevokeGrantFailed,
    RulesReplaced,
)
from messages.policy import Rule
from messages.subagents import SubscribeToAgent, UnsubscribeFromAgent
from messages.supervision import PeerRestarted
from messages.turns import CancelTurn, ReplyProgress, StartTurn, TextDelta, TurnStarted
from shell.console.console import Console
from shell.console.screen_events import ScreenEvent, ScreenEventQueue, SubagentEvent
from shell.console.ui_commands import InterruptTurn, SendPrompt, ViewSubagent
from shell.console.user_command import UserCommandRunner
from shell.headless.event_queue import EventQueue, QueuedEvent
from shell.headless.headless_console import HeadlessConsole
from tests.shell import sample_events

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


class MessageRecorder(Actor[Message]):
    """Stands for an actor that the console talks to; it only remembers."""

    def __init__(self, heard: SimpleQueue[Message]) -> None:
        self._heard = heard

    def on_receive(self, message: Message) -> None:
        self._heard.put(message)


class ReportingSubagent(Actor[Message]):
    """Stands for a subagent that says this to the console."""

    def __init__(self, says: tuple[Message, ...]) -> None:
        self._says = says

    def on_start(self) -> None:
        for each in self._says:
            self.tell(CONSOLE, each)

    def on_receive(self, message: Message) -> None:
        pass


class PrimaryStub(Actor[Message]):
    """Stands for the primary, with one subagent."""

    def __init__(self, says: tuple[Message, ...]) -> None:
        self._says = says

    def on_start(self) -> None:
        self.start(partial(ReportingSubagent, self._says), CHILD.name)

    def on_receive(self, message: Message) -> None:
        pass


class ConsoleFixture:
    """A console with its two partners."""

    def __init__(self, system: ActorSystem, inbox: ScreenEventQueue, folder: Path) -> None:
        self.system = system
        self.screen_events = inbox
        self.to_agent = SimpleQueue[Message]()
        self.to_broker = SimpleQueue[Message]()
        self.to_engine = SimpleQueue[Message]()
        system.start(partial(MessageRecorder, self.to_engine), "permissions")
        system.start(partial(MessageRecorder, self.to_broker), "approvals")
        system.start(partial(MessageRecorder, self.to_agent), "primary")
        workbench = UserCommandRunner(LocalCommandRunner(), folder, folder / "outputs")
        system.start(partial(Console, inbox, workbench), "console")

    def tell(self, *messages: Message) -> None:
        for message in messages:
            self.system.tell(CONSOLE, message)

    def next_agent_message(self) -> Message:
        return self.to_agent.get(timeout=5)

    def next_broker_message(self) -> Message:
        return self.to_broker.get(timeout=5)


@pytest.fixture
def console_fixture(tmp_path: Path) -> Generator[ConsoleFixture]:
    system = ActorSystem()
    yield ConsoleFixture(system, ScreenEventQueue(), tmp_path)
    assert system.stop()


def test_it_tells_the_broker_that_a_person_can_be_asked(console_fixture: ConsoleFixture) -> None:
    assert console_fixture.next_broker_message() == ApproverAvailabilityChanged(can_answer=True)


def test_turns_are_counted_from_what_the_session_says_and_a_cancel_names_the_one_that_runs(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(sample_events.session_configured(next_turn=7), SendPrompt(text="one"))
    assert console_fixture.next_agent_message() == StartTurn(turn=7, text="one")
    console_fixture.tell(InterruptTurn())
    assert console_fixture.next_agent_message() == CancelTurn(turn=7)
    console_fixture.tell(sample_events.turn_interrupted(7), InterruptTurn(), SendPrompt(text="two"))
    assert console_fixture.next_agent_message() == StartTurn(turn=8, text="two")


def test_a_turn_that_goes_on_after_a_resume_can_be_interrupted(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        sample_events.session_configured(next_turn=3),
        TurnStarted(turn=2, prompt="old"),
        InterruptTurn(),
    )
    assert console_fixture.next_agent_message() == CancelTurn(turn=2)


def test_an_answer_reaches_the_broker_as_it_was_given(console_fixture: ConsoleFixture) -> None:
    console_fixture.next_broker_message()
    console_fixture.tell(SubmitDecision(id="r1", decision="no", feedback="use a branch"))
    assert console_fixture.next_broker_message() == SubmitDecision(
        id="r1", decision="no", feedback="use a branch"
    )


def test_the_stream_of_one_agent_is_asked_for_and_of_no_other_any_more(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        ViewSubagent(agent=PRIMARY), ViewSubagent(agent=None), ViewSubagent(agent=None)
    )
    console_fixture.tell(sample_events.session_configured(), SendPrompt(text="after them"))
    heard = [console_fixture.next_agent_message() for _ in range(3)]
    assert heard == [
        SubscribeToAgent(),
        UnsubscribeFromAgent(),
        StartTurn(turn=1, text="after them"),
    ]


def test_every_report_reaches_the_screen_in_order(console_fixture: ConsoleFixture) -> None:
    events = (
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
        sample_events.exec_approval(),
    )
    console_fixture.tell(*events, SendPrompt(text="after them"))
    assert console_fixture.next_agent_message() == StartTurn(turn=1, text="after them")
    assert console_fixture.screen_events.take_all() == events


def test_an_end_that_is_told_twice_is_shown_once(console_fixture: ConsoleFixture) -> None:
    console_fixture.tell(
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
        sample_events.turn_completed(),
    )
    console_fixture.tell(SendPrompt(text="after them"))
    console_fixture.next_agent_message()
    assert console_fixture.screen_events.take_all() == (
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
    )


def test_a_number_that_a_restarted_agent_gives_anew_ends_anew(
    console_fixture: ConsoleFixture,
) -> None:
    """The disk had refused the first turn, so the agent knows nothing of it."""
    again = sample_events.session_configured(next_turn=1)
    events = (
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
        again,
        *sample_events.complete_turn("ho"),
    )
    console_fixture.tell(*events, SendPrompt(text="after them"))
    console_fixture.next_agent_message()
    assert console_fixture.screen_events.take_all() == events


def test_an_interrupt_names_the_turn_that_an_earlier_run_left_open(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        sample_events.session_configured(running_turn=3, next_turn=4), InterruptTurn()
    )
    assert console_fixture.next_agent_message() == CancelTurn(turn=3)


def test_a_revocation_that_is_still_on_disk_is_said_again_to_a_restarted_engine(
    console_fixture: ConsoleFixture,
) -> None:
    """It holds in this run, which an engine that has crashed does not know."""
    taken = [
        RevokeGrant(rule=Rule(permission="read", pattern=name, action="allow"), scope="session")
        for name in ("a", "b")
    ]
    console_fixture.tell(*taken)
    assert [console_fixture.to_engine.get(timeout=5) for _ in taken] == taken
    first, second = taken
    failed = RevokeGrantFailed(rule=first.rule, scope=first.scope, detail="disk full")
    console_fixture.tell(
        failed, GrantRevoked(rule=second.rule, scope=second.scope, policy_version=2)
    )
    console_fixture.tell(PeerRestarted(peer=PERMISSIONS, incarnation=2))
    assert console_fixture.to_engine.get(timeout=5) == first
    console_fixture.tell(GrantRevoked(rule=first.rule, scope=first.scope, policy_version=3))
    console_fixture.tell(PeerRestarted(peer=PERMISSIONS, incarnation=3), second)
    assert console_fixture.to_engine.get(timeout=5) == second


def test_rules_are_said_again_to_a_restarted_engine_until_they_hold(
    console_fixture: ConsoleFixture,
) -> None:
    rules = ReplaceRules(sources=(), trusted=True)
    again = PeerRestarted(peer=PERMISSIONS, incarnation=2)
    others = ReplaceRules(sources=(), trusted=False)
    console_fixture.tell(rules, again, RulesReplaced(policy_version=2), again, others)

    assert [console_fixture.to_engine.get(timeout=5) for _ in range(3)] == [rules, rules, others]


def test_the_screen_is_told_when_a_subagents_stream_begins_anew(tmp_path: Path) -> None:
    says = (sample_events.session_configured(), TextDelta(text="I was"))
    inbox, woken = ScreenEventQueue(), threading.Event()
    system = ActorSystem()
    workbench = UserCommandRunner(LocalCommandRunner(), tmp_path, tmp_path / "outputs")
    system.start(partial(Console, inbox, workbench), "console")
    inbox.set_wake_callback(woken.set)
    system.start(partial(PrimaryStub, says), "primary")
    heard: list[ScreenEvent] = []
    while len(heard) < len(says):
        assert woken.wait(5)
        woken.clear()
        heard += inbox.take_all()
    assert heard == [SubagentEvent(CHILD, each) for each in says]
    assert system.stop()


def test_a_run_without_a_person_passes_on_nothing_of_what_a_subagent_streams() -> None:
    grown = ReplyProgress(turn=1, char_count=400, has_text=True)
    happenings = EventQueue()
    system = ActorSystem()
    system.start(partial(HeadlessConsole, "go", happenings), "console")
    system.start(partial(PrimaryStub, (grown, sample_events.reply_completed("So."))), "primary")
    assert happenings.get() == QueuedEvent(
        CHILD, sample_events.reply_completed("So."), ends_turn=False
    )
    assert system.stop()
