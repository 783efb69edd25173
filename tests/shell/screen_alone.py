"""A program with the real screen and nobody behind it: what is sent comes back as the answer."""

import os
import sys
from contextlib import suppress

from messages.base import Message
from messages.turns import TextDelta, TurnStarted
from shell.inbox import ScreenEventQueue
from shell.intents import SendPrompt
from shell.repl.repl import Repl
from shell.workplace import SessionContext
from tests.shell import reports


def main() -> int:
    inbox = ScreenEventQueue()

    def post(message: Message) -> None:
        if isinstance(message, SendPrompt):
            inbox.put(TurnStarted(turn=1, prompt=message.text))
            inbox.put(TextDelta(text=f"You said {message.text}."))
            if message.text != "wait":
                inbox.put(reports.reply_completed("-"))
                inbox.put(reports.turn_completed())

    repl = Repl(post, inbox, SessionContext())
    inbox.put(reports.session_configured())
    if "--ask" in sys.argv:
        inbox.put(reports.exec_approval())
    status = repl.run()
    with suppress(OSError):  # the terminal may be gone
        os.write(1, f"left with {status}\r\n".encode())
    return status


if __name__ == "__main__":
    os._exit(main())  # as the program does: a dead terminal cannot be flushed to
