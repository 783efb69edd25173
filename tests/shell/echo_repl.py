"""The real REPL without an agent: every prompt is echoed as the reply."""

import os
import sys
from contextlib import suppress

from messages.base import Message
from messages.turns import TextDelta, TurnStarted
from shell.console.screen_event_queue import ScreenEventQueue
from shell.console.ui_commands import SendPrompt
from shell.repl.repl import Repl
from shell.sessions.session_context import SessionContext
from tests.shell import sample_events


def main() -> int:
    screen_events = ScreenEventQueue()

    def post(message: Message) -> None:
        if isinstance(message, SendPrompt):
            screen_events.put(TurnStarted(turn=1, prompt=message.text))
            screen_events.put(TextDelta(text=f"You said {message.text}."))
            if message.text != "wait":
                screen_events.put(sample_events.reply_completed("-"))
                screen_events.put(sample_events.turn_completed())

    repl = Repl(post, screen_events, SessionContext())
    screen_events.put(sample_events.session_configured())
    if "--ask" in sys.argv:
        screen_events.put(sample_events.exec_approval())
    status = repl.run()
    with suppress(OSError):  # the terminal may be gone
        os.write(1, f"exit status {status}\r\n".encode())
    return status


if __name__ == "__main__":
    os._exit(main())  # like the real program: a closed terminal cannot be flushed to
