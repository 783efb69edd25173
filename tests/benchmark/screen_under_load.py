"""The real screen under a load of made-up reports: `RATE` events a second on `STREAMS` streams."""

import os
import threading
import time
from itertools import count

from messages.base import Message
from messages.turns import TextDelta, ToolEnded, ToolStarted, TurnStarted
from shell.console.screen_events import ScreenEventQueue
from shell.process.deferred_imports import enable_gc
from shell.repl.repl import Repl
from shell.sessions.session_context import SessionContext
from tests.shell import sample_events

STREAM_COUNT = 50
BATCH_INTERVAL_S = 0.005
_WORDS = "lorem ipsum `dolor` sit *amet*, consectetur "


def post_events(inbox: ScreenEventQueue, events_per_s: int) -> None:
    """Report without end: text, and now and then a call that begins and one that has ended."""
    each = max(round(events_per_s * BATCH_INTERVAL_S), 1)
    due_s = time.perf_counter()
    for number in count():
        for event in range(number * each, (number + 1) * each):
            stream = event % STREAM_COUNT
            call, title = f"c{stream}", f"bash stream {stream}"
            if event // STREAM_COUNT % 20 == 0:
                inbox.put(ToolStarted(turn=1, call_id=call, tool="bash", title=title))
            elif event // STREAM_COUNT % 20 == 10:
                inbox.put(
                    ToolEnded(
                        turn=1, call_id=call, tool="bash", title=title, status="ok", text=_WORDS
                    )
                )
            else:
                end = "\n\n" if event % 40 == 0 else ""
                inbox.put(TextDelta(text=_WORDS[event % 7 :] + end))
        due_s += BATCH_INTERVAL_S
        threading.Event().wait(max(due_s - time.perf_counter(), 0.0))


def main() -> int:
    """Show the screen; `LOAD` in the environment is the rate."""
    inbox = ScreenEventQueue()

    def post(_message: Message) -> None:
        """Nobody is behind the screen."""

    # What was imported is never looked through for garbage, as in the program.
    repl = Repl(post, inbox, SessionContext(), on_first_draw=enable_gc)
    inbox.put(sample_events.session_configured())
    if rate := int(os.environ.get("LOAD", "0")):
        inbox.put(TurnStarted(turn=1, prompt="load"))
        threading.Thread(target=post_events, args=(inbox, rate), daemon=True).start()
    return repl.run()


if __name__ == "__main__":
    os._exit(main())
