"""A program with the real screen and nobody behind it: what is sent comes back as the answer."""

import os
import sys
from contextlib import suppress

from messages.base import Message
from messages.turns import TextDelta, TurnStarted
from shell.console.screen_events import ScreenEventQueue
from shell.console.ui_commands import SendPrompt
from shell.repl.repl import Repl
from shell.sessions.session_context import SessionContext
from tests.shell import sample_events


def main() -> int:
    inbox = ScreenEventQueue()

    def post(message: Message) -> None:
        if isinstance(message, SendPrompt):
            inbox.put(TurnStarted(turn=1, prompt=message.text))
            inbox.put(TextDelta(text=f"You said {message.text}."))
            if message.text != "wait":
                inbox.put(sample_events.reply_completed("-"))
                inbox.put(sample_events.turn_completed())

    repl = Repl(post, inbox, SessionContext())
    inbox.put(sample_events.session_configured())
    if "--ask" in sys.argv:
        inbox.put(sample_events.exec_approval())
    status = repl.run()
    with suppress(OSError):  # the terminal may be gone
        os.write(1, f"left with {status}\r\n".encode())
    return status


if __name__ == "__main__":
    os._exit(main())  # as the program does: a dead terminal cannot be flushed to
