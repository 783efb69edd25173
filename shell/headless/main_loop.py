"""The main thread of a headless run: results to standard output, notices to standard error."""

import json
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

from messages.address import Address
from messages.reviews import ReviewEnded
from messages.serialization import encode
from messages.turns import ModelRetrying, PersistenceChanged, TurnStarted
from shell.headless.event_queue import EventQueue, HeadlessEvent, QueuedEvent, RunEnded
from shell.headless.result import Result, ResultBuilder
from shell.process.stdout import OutputStalledError, StdoutWriter
from shell.process.streams import print_error
from shell.startup.options import OutputFormat
from shell.text.sanitize import sanitize
from shell.view.status_notices import (
    format_persistence_line,
    format_retry,
    list_attachment_problems,
)

DENIED_NOTICE = (
    "calls were denied because no user could be asked, so the exit status is 5; allow them with "
    "rules, or accept this with --allow-denials"
)
AWAITED_NOTICE = "waiting for background agents: {names}"
RUNNING_NOTICE = (
    "{name} was still running in the background; continue it with greenroom --resume {session}"
)
OPTIONAL_KEYS = ("review", "background", "sandbox")
"""Keys of the result that are left out where they say nothing."""
EXIT_SIGNALS = {
    signal.SIGHUP: "the terminal hung up",
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "terminated",
}


@contextmanager
def handle_exit_signals(queue: EventQueue, output: StdoutWriter) -> Generator[None]:
    """Turn the signals that end a program into `RunEnded` items.

    A signal that is ignored already, as under `nohup`, stays ignored.
    """

    def on_signal(number: int, _: FrameType | None) -> None:
        queue.put(RunEnded(128 + number, EXIT_SIGNALS[signal.Signals(number)]))
        output.interrupt_write()

    old_handlers = {number: signal.getsignal(number) for number in EXIT_SIGNALS}
    handled = [number for number in EXIT_SIGNALS if old_handlers[number] is not signal.SIG_IGN]
    for number in handled:
        signal.signal(number, on_signal)
    try:
        with queue.wake_on_signals():
            yield
    finally:
        for number in handled:
            signal.signal(number, old_handlers[number])


def follow_run(
    queue: EventQueue, output: StdoutWriter, output_format: OutputFormat
) -> tuple[ResultBuilder, RunEnded | None]:
    """Process events until the last turn or the run ends.

    Raises:
        OutputError: standard output cannot be written.
    """
    builder = ResultBuilder()
    while True:
        item = queue.get()
        if isinstance(item, RunEnded):
            return builder, item
        message = item.message
        _print_notice(message, builder)
        builder = builder.with_event(message, item.source)
        if isinstance(message, ReviewEnded) and item.ends_run:
            builder = builder.with_review(message)
        if output_format == "stream-json":
            _print_event(item, output)
        if item.awaited_agents:
            print_error(AWAITED_NOTICE.format(names=", ".join(item.awaited_agents)))
        if item.ends_run:
            return builder, None


def _print_notice(message: HeadlessEvent, builder: ResultBuilder) -> None:
    """Print what the user should know during the run."""
    if isinstance(message, ModelRetrying):
        print_error(format_retry(message, message.wait_s))
    if isinstance(message, TurnStarted):
        for problem in list_attachment_problems(message):
            print_error(problem)
    if isinstance(message, PersistenceChanged) and message.state != builder.persistence.state:
        print_error(format_persistence_line(message))


def print_result(result: Result, output: StdoutWriter, output_format: OutputFormat) -> None:
    """Print the result to standard output, denials and the error to standard error."""
    if output_format != "text":
        excluded = {name for name in OPTIONAL_KEYS if not getattr(result, name)}
        output.write(_end_json_line(result.model_dump_json(exclude=excluded).encode()))
    # A limit is an error, but the answer so far is worth reading.
    elif result.subtype != "error" or (result.stop_reason and result.result):
        text = sanitize(result.result) if sys.stdout.isatty() else result.result
        output.write(text.rstrip("\n").encode("utf-8", "replace") + b"\n")
    for denial in result.denials:
        print_error(f"{denial.tool} {denial.target}: {denial.reason}")
    if result.error is not None:
        print_error(result.error)
    for task in result.background:
        if task.status == "running":
            name = Address(task.agent).name
            print_error(RUNNING_NOTICE.format(name=name, session=result.session_id))
    if result.subtype == "denied":
        print_error(DENIED_NOTICE)


def _print_event(event: QueuedEvent, output: StdoutWriter) -> None:
    line = encode(event.message)[:-1] + b',"source":"%s"}' % event.source.encode()
    # Only a signal raises this, and its `RunEnded` is in the queue.
    with suppress(OutputStalledError):
        output.write(_end_json_line(line))


def _end_json_line(line: bytes) -> bytes:
    """End a line of JSON; on a terminal escape everything but ASCII, which could be interpreted."""
    if sys.stdout.isatty():
        line = json.dumps(json.loads(line)).encode()
    return line + b"\n"
