"""The real screen under artificial load; `LOAD` in the environment is the events per second."""

import os
import threading
import time
from itertools import count

from messages.base import Message
from messages.turns import TextDelta, ToolEnded, ToolStarted, TurnStarted
from shell.console.screen_event_queue import ScreenEventQueue
from shell.process.deferred_imports import enable_gc
from shell.repl.repl import Repl
from shell.sessions.session_context import SessionContext
from tests.shell import sample_events

STREAM_COUNT = 50
BATCH_INTERVAL_S = 0.005
_WORDS = "lorem ipsum `dolor` sit *amet*, consectetur "


def post_events(events: ScreenEventQueue, events_per_s: int) -> None:
    """Post events forever: text, and sometimes the start or end of a tool call."""
    batch_size = max(round(events_per_s * BATCH_INTERVAL_S), 1)
    due_s = time.perf_counter()
    for batch in count():
        for number in range(batch * batch_size, (batch + 1) * batch_size):
            stream = number % STREAM_COUNT
            call, title = f"c{stream}", f"bash stream {stream}"
            if number // STREAM_COUNT % 20 == 0:
                events.put(ToolStarted(turn=1, call_id=call, tool="bash", title=title))
            elif number // STREAM_COUNT % 20 == 10:
                events.put(
                    ToolEnded(
                        turn=1, call_id=call, tool="bash", title=title, status="ok", text=_WORDS
                    )
                )
            else:
                end = "\n\n" if number % 40 == 0 else ""
                events.put(TextDelta(text=_WORDS[number % 7 :] + end))
        due_s += BATCH_INTERVAL_S
        threading.Event().wait(max(due_s - time.perf_counter(), 0.0))


def main() -> int:
    """Show the screen until the user exits."""
    events = ScreenEventQueue()

    def post(_message: Message) -> None:
        """Drop the user's commands; there are no actors."""

    # As in the program, garbage collection starts after the imports and skips what they loaded.
    repl = Repl(post, events, SessionContext(), on_first_draw=enable_gc)
    events.put(sample_events.session_configured())
    if rate := int(os.environ.get("LOAD", "0")):
        events.put(TurnStarted(turn=1, prompt="load"))
        threading.Thread(target=post_events, args=(events, rate), daemon=True).start()
    return repl.run()


if __name__ == "__main__":
    os._exit(main())
