"""The console actor between other actors."""

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
from messages.steering import PromptDelivered, PromptsReturned, ReturnedPrompt
from messages.subagents import SubscribeToAgent, UnsubscribeFromAgent
from messages.supervision import PeerRestarted
from messages.turns import (
    CancelTurn,
    ReplyProgress,
    StartTurn,
    TextDelta,
    TurnNumberTaken,
    TurnStarted,
)
from shell.console.console import Console
from shell.console.screen_event_queue import ScreenEvent, ScreenEventQueue, SubagentEvent
from shell.console.ui_commands import (
    InterruptTurn,
    SendPrompt,
    UserCommandEnded,
    ViewSubagent,
)
from shell.console.user_shell_command import UserCommandRunner
from shell.headless.event_queue import EventQueue, QueuedEvent
from shell.headless.headless_console import HeadlessConsole
from tests.shell import sample_events

pytestmark = pytest.mark.quick
CHILD = Address("/primary/general-1")


class MessageRecorder(Actor[Message]):
    """Stands in for an actor and records its messages."""

    def __init__(self, messages: SimpleQueue[Message]) -> None:
        self._messages = messages

    def on_receive(self, message: Message) -> None:
        self._messages.put(message)


class ReportingSubagent(Actor[Message]):
    """Stands in for a subagent and sends these messages to the console."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages

    def on_start(self) -> None:
        for message in self._messages:
            self.tell(CONSOLE, message)

    def on_receive(self, message: Message) -> None:
        pass


class PrimaryStub(Actor[Message]):
    """Stands in for the primary agent, with one subagent."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages

    def on_start(self) -> None:
        self.start(partial(ReportingSubagent, self._messages), CHILD.name)

    def on_receive(self, message: Message) -> None:
        pass


class ConsoleFixture:
    """A console and recorders in place of its peers."""

    def __init__(self, system: ActorSystem, screen_events: ScreenEventQueue, folder: Path) -> None:
        self.system = system
        self.screen_events = screen_events
        self.to_agent = SimpleQueue[Message]()
        self.to_broker = SimpleQueue[Message]()
        self.to_engine = SimpleQueue[Message]()
        system.start(partial(MessageRecorder, self.to_engine), "permissions")
        system.start(partial(MessageRecorder, self.to_broker), "approvals")
        system.start(partial(MessageRecorder, self.to_agent), "primary")
        command_runner = UserCommandRunner(LocalCommandRunner(), folder, folder / "outputs")
        system.start(partial(Console, screen_events, command_runner), "console")

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


def test_the_broker_learns_that_a_user_can_decide(console_fixture: ConsoleFixture) -> None:
    assert console_fixture.next_broker_message() == ApproverAvailabilityChanged(can_decide=True)


def test_turn_numbers_continue_and_a_cancel_names_the_running_turn(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        sample_events.session_configured(next_turn=7), SendPrompt(turn=7, text="one")
    )
    assert console_fixture.next_agent_message() == StartTurn(turn=7, text="one")
    console_fixture.tell(InterruptTurn())
    assert console_fixture.next_agent_message() == CancelTurn(turn=7)
    console_fixture.tell(
        sample_events.turn_interrupted(7), InterruptTurn(), SendPrompt(turn=8, text="two")
    )
    assert console_fixture.next_agent_message() == StartTurn(turn=8, text="two")


def test_prompts_are_sent_again_until_their_turn_has_ended(console_fixture: ConsoleFixture) -> None:
    one, two = StartTurn(turn=1, text="one"), StartTurn(turn=2, text="two")
    restarted = sample_events.session_configured(next_turn=2, running_turn=1)
    console_fixture.tell(
        SendPrompt(turn=1, text="one"),
        SendPrompt(turn=2, text="two"),
        TurnStarted(turn=1, prompt="one"),
        PromptDelivered(turn=1, number=2, prompt="two"),
        restarted,
        sample_events.turn_completed(),
        restarted,
        SendPrompt(turn=3, text="three"),
    )
    sent = [console_fixture.next_agent_message() for _ in range(5)]
    assert sent == [one, two, two, one, StartTurn(turn=3, text="three")]


def test_a_returned_prompt_leaves_its_user_command_to_the_next(
    console_fixture: ConsoleFixture,
) -> None:
    returned = PromptsReturned(prompts=(ReturnedPrompt(number=2, text="two"),))
    console_fixture.tell(
        SendPrompt(turn=1, text="one"),
        UserCommandEnded(command="ls", status="ok", text="a.py"),
        SendPrompt(turn=2, text="two"),
        returned,
        SendPrompt(turn=3, text="three"),
        SendPrompt(turn=4, text="four"),
    )
    texts = [
        message.text
        for message in (console_fixture.next_agent_message() for _ in range(4))
        if isinstance(message, StartTurn)
    ]
    assert ["a.py" in text for text in texts] == [False, True, True, False]


@pytest.mark.parametrize("has_ended", [False, True])
def test_a_taken_number_loses_neither_turn_nor_user_command(
    console_fixture: ConsoleFixture, *, has_ended: bool
) -> None:
    ended = [sample_events.turn_completed()] if has_ended else []
    console_fixture.tell(
        UserCommandEnded(command="ls", status="ok", text="a.py"), SendPrompt(turn=1, text="one")
    )
    sent = console_fixture.next_agent_message()
    assert isinstance(sent, StartTurn)
    console_fixture.tell(
        TurnStarted(turn=1, prompt="", has_prompt=False),
        *ended,
        TurnNumberTaken(prompt=sent, next_turn=2),
        SendPrompt(turn=2, text="one"),
    )
    assert console_fixture.next_agent_message() == sent.model_copy(update={"turn": 2})
    console_fixture.tell(InterruptTurn())
    assert console_fixture.next_agent_message() == CancelTurn(turn=2 if has_ended else 1)
    taken = next(
        event
        for event in console_fixture.screen_events.take_all()
        if isinstance(event, TurnNumberTaken)
    )
    assert taken.prompt.text == "one"


def test_a_turn_that_continues_after_resume_can_be_interrupted(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        sample_events.session_configured(next_turn=3),
        TurnStarted(turn=2, prompt="old"),
        InterruptTurn(),
    )
    assert console_fixture.next_agent_message() == CancelTurn(turn=2)


def test_a_decision_reaches_the_broker_unchanged(console_fixture: ConsoleFixture) -> None:
    console_fixture.next_broker_message()
    console_fixture.tell(SubmitDecision(id="r1", decision="no", feedback="use a branch"))
    assert console_fixture.next_broker_message() == SubmitDecision(
        id="r1", decision="no", feedback="use a branch"
    )


def test_viewing_another_agent_ends_the_old_subscription(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        ViewSubagent(agent=PRIMARY), ViewSubagent(agent=None), ViewSubagent(agent=None)
    )
    console_fixture.tell(sample_events.session_configured(), SendPrompt(turn=1, text="after them"))
    messages = [console_fixture.next_agent_message() for _ in range(3)]
    assert messages == [
        SubscribeToAgent(),
        UnsubscribeFromAgent(),
        StartTurn(turn=1, text="after them"),
    ]


def test_every_event_reaches_the_screen_in_order(console_fixture: ConsoleFixture) -> None:
    events = (
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
        sample_events.exec_approval(),
    )
    console_fixture.tell(*events, SendPrompt(turn=1, text="after them"))
    assert console_fixture.next_agent_message() == StartTurn(turn=1, text="after them")
    assert console_fixture.screen_events.take_all() == events


def test_a_turn_end_that_is_repeated_is_shown_once(console_fixture: ConsoleFixture) -> None:
    console_fixture.tell(
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
        sample_events.turn_completed(),
    )
    console_fixture.tell(SendPrompt(turn=1, text="after them"))
    console_fixture.next_agent_message()
    assert console_fixture.screen_events.take_all() == (
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
    )


def test_a_restarted_agent_can_use_a_turn_number_again(
    console_fixture: ConsoleFixture,
) -> None:
    """The first turn was not on disk, so the restarted agent does not know it."""
    again = sample_events.session_configured(next_turn=1)
    events = (
        sample_events.session_configured(),
        *sample_events.complete_turn("hi"),
        again,
        *sample_events.complete_turn("ho"),
    )
    console_fixture.tell(*events, SendPrompt(turn=1, text="after them"))
    console_fixture.next_agent_message()
    assert console_fixture.screen_events.take_all() == events


def test_an_interrupt_names_the_turn_of_an_earlier_run(
    console_fixture: ConsoleFixture,
) -> None:
    console_fixture.tell(
        sample_events.session_configured(running_turn=3, next_turn=4), InterruptTurn()
    )
    assert console_fixture.next_agent_message() == CancelTurn(turn=3)


def test_an_unsaved_revocation_is_resent_to_a_restarted_engine(
    console_fixture: ConsoleFixture,
) -> None:
    """The revocation applies to this run, but a restarted engine does not know it."""
    revocations = [
        RevokeGrant(rule=Rule(permission="read", pattern=name, action="allow"), scope="session")
        for name in ("a", "b")
    ]
    console_fixture.tell(*revocations)
    assert [console_fixture.to_engine.get(timeout=5) for _ in revocations] == revocations
    first, second = revocations
    failed = RevokeGrantFailed(rule=first.rule, scope=first.scope, detail="disk full")
    console_fixture.tell(
        failed, GrantRevoked(rule=second.rule, scope=second.scope, policy_version=2)
    )
    console_fixture.tell(PeerRestarted(peer=PERMISSIONS, incarnation=2))
    assert console_fixture.to_engine.get(timeout=5) == first
    console_fixture.tell(GrantRevoked(rule=first.rule, scope=first.scope, policy_version=3))
    console_fixture.tell(PeerRestarted(peer=PERMISSIONS, incarnation=3), second)
    assert console_fixture.to_engine.get(timeout=5) == second


def test_rules_are_resent_until_the_engine_confirms_them(
    console_fixture: ConsoleFixture,
) -> None:
    rules = ReplaceRules(sources=(), trusted=True)
    restarted = PeerRestarted(peer=PERMISSIONS, incarnation=2)
    others = ReplaceRules(sources=(), trusted=False)
    console_fixture.tell(rules, restarted, RulesReplaced(policy_version=2), restarted, others)

    assert [console_fixture.to_engine.get(timeout=5) for _ in range(3)] == [rules, rules, others]


def test_the_screen_learns_when_a_subagents_stream_starts_again(tmp_path: Path) -> None:
    messages = (sample_events.session_configured(), TextDelta(text="I was"))
    screen_events, woken = ScreenEventQueue(), threading.Event()
    system = ActorSystem()
    command_runner = UserCommandRunner(LocalCommandRunner(), tmp_path, tmp_path / "outputs")
    system.start(partial(Console, screen_events, command_runner), "console")
    screen_events.set_wake_callback(woken.set)
    system.start(partial(PrimaryStub, messages), "primary")
    events: list[ScreenEvent] = []
    while len(events) < len(messages):
        assert woken.wait(5)
        woken.clear()
        events += screen_events.take_all()
    assert events == [SubagentEvent(CHILD, message) for message in messages]
    assert system.stop()


def test_a_headless_run_ignores_the_stream_of_a_subagent() -> None:
    progress = ReplyProgress(turn=1, char_count=400, has_text=True)
    queue = EventQueue()
    system = ActorSystem()
    system.start(partial(HeadlessConsole, "go", queue), "console")
    system.start(partial(PrimaryStub, (progress, sample_events.reply_completed("So."))), "primary")
    assert queue.get() == QueuedEvent(CHILD, sample_events.reply_completed("So."), ends_run=False)
    assert system.stop()
