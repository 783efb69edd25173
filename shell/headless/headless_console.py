"""One prompt without a person: events to standard output, everything else to standard error."""

import json
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import assert_never

from actors.runtime.actor import Actor
from messages.address import APPROVALS, PRIMARY, is_subagent
from messages.approvals import ApproverAvailabilityChanged, DismissApproval, ShowApproval
from messages.serialization import encode
from messages.subagents import SubagentEnded, SubagentQueued, SubagentStarted
from messages.supervision import PeerRestarted, Undelivered
from messages.turns import (
    AgentSwitched,
    ModelChanged,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    ReplyProgress,
    SessionConfigured,
    StartTurn,
    SwitchAgentFailed,
    TextDelta,
    ThinkingDelta,
    TodosUpdated,
    ToolEnded,
    ToolInputDelta,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
    UsageChanged,
)
from shell.cli.arguments import OutputFormat
from shell.headless.event_queue import EventQueue, HeadlessEvent, QueuedEvent, RunEnded
from shell.headless.result import Result, ResultBuilder, affects_result
from shell.process.stdout import OutputStalledError, StdoutWriter
from shell.process.streams import complain
from shell.text.sanitize import visible
from shell.view.status_notices import format_persistence_line, format_retry

EXIT_SIGNALS = {
    signal.SIGHUP: "the terminal hung up",
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
}
NO_USER_REASON = "this run is headless, so nobody can be asked"


HeadlessInbox = HeadlessEvent | PeerRestarted | Undelivered


class HeadlessConsole(Actor[HeadlessInbox]):
    """Sends the prompt once the agent is ready, and passes on what it reports."""

    drains_before_stop = True

    def __init__(self, prompt: str, queue: EventQueue, *, forward_all: bool = True) -> None:
        """Events go into `happenings`, which the main thread takes from.

        All that happens as it happens, or what the result counts, when something is to be said.
        """
        self._prompt = prompt
        self._happenings = queue
        self._whole = forward_all

    def on_start(self) -> None:
        """Say that nobody can answer, so that nothing waits for a person."""
        self.watch(APPROVALS)
        self.announce_availability()

    def announce_availability(self) -> None:
        """Tell the broker whether somebody can answer."""
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=False, reason=NO_USER_REASON))

    def on_receive(self, message: HeadlessInbox) -> None:
        """Take one message."""
        match message:
            case SessionConfigured():
                self._pass_on(message)
                # After a crash of the agent, or of ours, again: it knows its prompts by number.
                turn = self._happenings.assign_prompt_turn(message.next_turn)
                self.tell(PRIMARY, StartTurn(turn=turn, text=self._prompt))
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                ours = not is_subagent(self.sender) and message.turn == self._happenings.prompt_turn
                self._pass_on(message, last=ours)
            case PeerRestarted():
                self.announce_availability()
            case ReplyProgress():
                pass  # for whoever looks on; of a subagent's stream nothing is printed
            case Undelivered():
                self._returned(message)
            case (
                TurnStarted()
                | TextDelta()
                | ThinkingDelta()
                | ToolInputDelta()
                | ReplyCompleted()
                | ModelChanged()
                | AgentSwitched()
                | SwitchAgentFailed()
                | ModelRetrying()
                | UsageChanged()
                | ToolStarted()
                | ToolEnded()
                | TodosUpdated()
                | DismissApproval()
                | SubagentStarted()
                | SubagentQueued()
                | SubagentEnded()
                | PersistenceChanged()
            ):
                self._pass_on(message)
            case ShowApproval():
                self._pass_on(message)
                self.on_show_approval(message)
            case _:
                assert_never(message)

    def _returned(self, back: Undelivered) -> None:
        """End when the prompt will never be taken."""
        if isinstance(back.message, StartTurn) and back.reason != "crashed":
            self._happenings.put(RunEnded(1, "the agent cannot take the prompt"))

    def on_show_approval(self, message: ShowApproval) -> None:
        """Take a question; none comes where nobody can answer."""

    def _pass_on(self, message: HeadlessEvent, *, last: bool = False) -> None:
        soon = self._whole or last or isinstance(message, ModelRetrying | PersistenceChanged)
        if soon or affects_result(message, self.sender):
            self._happenings.put(QueuedEvent(self.sender, message, last), wake=soon)


@contextmanager
def handle_exit_signals(queue: EventQueue, output: StdoutWriter) -> Generator[None]:
    """Turn the signals that end a program into happenings, while the run goes on.

    One that was ignored before, as `nohup` has it, stays so.
    """

    def happened(number: int, _: FrameType | None) -> None:
        queue.put(RunEnded(128 + number, EXIT_SIGNALS[signal.Signals(number)]))
        output.interrupt_write()

    before = {number: signal.getsignal(number) for number in EXIT_SIGNALS}
    heard = [number for number in EXIT_SIGNALS if before[number] is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, happened)
    try:
        with queue.wake_on_signals():
            yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


def follow_run(
    queue: EventQueue, output: StdoutWriter, output_format: OutputFormat
) -> tuple[ResultBuilder, RunEnded | None]:
    """Follow the run to its end, on the main thread.

    Raises:
        OutputError: standard output cannot be written.
    """
    tally = ResultBuilder()
    while True:
        happening = queue.get()
        if isinstance(happening, RunEnded):
            return tally, happening
        message = happening.message
        if isinstance(message, ModelRetrying):
            complain(format_retry(message, message.wait_s))
        if isinstance(message, PersistenceChanged) and message.state != tally.persistence.state:
            complain(format_persistence_line(message))
        tally = tally.with_event(message, happening.source)
        if output_format == "stream-json":
            _tell(happening, output)
        if happening.ends_turn:
            return tally, None


def _tell(said: QueuedEvent, output: StdoutWriter) -> None:
    line = encode(said.message)[:-1] + b',"source":"%s"}' % said.source.encode()
    # A stall comes from a signal, and its `RunEnded` is in the queue.
    with suppress(OutputStalledError):
        output.write(_drawable(line))


def _drawable(line: bytes) -> bytes:
    """End a line of JSON; on a terminal as plain ASCII, where nothing in it can draw."""
    if sys.stdout.isatty():
        line = json.dumps(json.loads(line)).encode()
    return line + b"\n"


def print_result(result: Result, output: StdoutWriter, output_format: OutputFormat) -> None:
    """Print the result; what is not one goes to standard error."""
    if output_format != "text":
        output.write(_drawable(result.model_dump_json().encode()))
    elif result.subtype == "success" or (result.stop_reason and result.result):
        text = visible(result.result) if sys.stdout.isatty() else result.result
        output.write(text.rstrip("\n").encode("utf-8", "replace") + b"\n")
    for denial in result.denials:
        complain(f"{denial.tool} {denial.target}: {denial.reason}")
    if result.error is not None:
        complain(result.error)
