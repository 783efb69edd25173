"""One prompt without a person: events to standard output, everything else to standard error."""

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from types import FrameType
from typing import assert_never

from actors.runtime.actor import Actor
from messages.address import APPROVALS, PRIMARY, Address
from messages.approvals import PresentApproval, PresenterChanged, RetractApproval
from messages.turns import (
    AgentEvent,
    MessageDelta,
    Prompt,
    ReplyCompleted,
    SessionConfigured,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
)
from messages.wire import encode
from shell.arguments import Format
from shell.output import Output, OutputStalledError
from shell.process import complain
from shell.render import REHEARSAL
from shell.results import Result, Tally
from shell.visible import visible

__all__ = ["REHEARSAL", "Ended", "Happening", "HeadlessConsole", "Said"]

HeadlessInbox = AgentEvent | PresentApproval | RetractApproval
ENDINGS = {
    signal.SIGHUP: "the terminal hung up",
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
}
NOBODY = "this run is headless, so nobody can be asked"


@dataclass(frozen=True, slots=True)
class Said:
    """An event of the tree, for the main thread."""

    source: Address
    message: HeadlessInbox
    last: bool
    """It ends the prompt's turn."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over before its turn ended: by a signal, or because the system ended itself."""

    status: int
    error: str


Happening = Said | Ended


class HeadlessConsole(Actor[HeadlessInbox]):
    """Sends the prompt once the agent is ready, and passes on what it reports."""

    drains = True

    def __init__(self, prompt: str, happenings: "SimpleQueue[Happening]") -> None:
        """Events go into `happenings`, which the main thread takes from."""
        self._prompt = prompt
        self._happenings = happenings
        self._turn = 0

    def on_start(self) -> None:
        """Say that nobody can answer, so that nothing waits for a person."""
        self.tell(APPROVALS, PresenterChanged(can_answer=False, reason=NOBODY))

    def on_receive(self, message: HeadlessInbox) -> None:
        """Take one message."""
        match message:
            case SessionConfigured():
                self._turn = message.next_turn
                self._pass_on(message)
                self.tell(PRIMARY, Prompt(turn=self._turn, text=self._prompt))
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._pass_on(message, last=message.turn == self._turn)
            case (
                TurnStarted()
                | MessageDelta()
                | ThinkingDelta()
                | ReplyCompleted()
                | ToolStarted()
                | ToolEnded()
                | PresentApproval()
                | RetractApproval()
            ):
                self._pass_on(message)
            case _:
                assert_never(message)

    def _pass_on(self, message: HeadlessInbox, *, last: bool = False) -> None:
        self._happenings.put(Said(self.sender, message, last))


@contextmanager
def signals(happenings: "SimpleQueue[Happening]", output: Output) -> Generator[None]:
    """Turn the signals that end a program into happenings, while the run goes on.

    One that was ignored before, as `nohup` has it, stays so.
    """

    def happened(number: int, _: FrameType | None) -> None:
        happenings.put(Ended(128 + number, ENDINGS[signal.Signals(number)]))
        output.interrupt()

    before = {number: signal.getsignal(number) for number in ENDINGS}
    heard = [number for number in ENDINGS if before[number] is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, happened)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


def run(
    happenings: "SimpleQueue[Happening]", output: Output, output_format: Format
) -> tuple[Tally, Ended | None]:
    """Follow the run to its end, on the main thread.

    Raises:
        OutputError: standard output cannot be written.
    """
    tally = Tally()
    while True:
        happening = happenings.get()
        if isinstance(happening, Ended):
            return tally, happening
        tally = tally.add(happening.message, happening.source)
        if output_format == "stream-json":
            _tell(happening, output)
        if happening.last:
            return tally, None


def _tell(said: Said, output: Output) -> None:
    source = b',"source":"%s"}\n' % said.source.encode()
    # A stall comes from a signal, and its `Ended` is in the queue.
    with suppress(OutputStalledError):
        output.write(encode(said.message)[:-1] + source)


def show(result: Result, output: Output, output_format: Format) -> None:
    """Print the result; what is not one goes to standard error."""
    if output_format != "text":
        output.write(result.model_dump_json().encode() + b"\n")
    elif result.subtype == "success":
        text = visible(result.result) if sys.stdout.isatty() else result.result
        output.write(text.rstrip("\n").encode("utf-8", "replace") + b"\n")
    for denial in result.denials:
        complain(f"{denial.tool} {denial.target}: {denial.reason}")
    if result.error is not None:
        complain(result.error)
