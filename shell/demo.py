"""`greenroom demo`: a scripted session on a throw-away repository, with or without a person."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from tempfile import mkdtemp
from typing import assert_never

from actors.models.demo_script import PROMPT, demo
from actors.models.rehearsal import MODEL_NAME, RehearsalModel
from actors.runtime.actor import Actor
from messages.address import APPROVALS, PRIMARY
from messages.approvals import AnswerApproval, PresentApproval, PresenterChanged, RetractApproval
from messages.base import Message
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
from shell import events
from shell.approval import panel
from shell.demo_repository import make
from shell.headless import Ended, Happening, Said
from shell.ink import printed
from shell.render import rendered
from shell.setup import Setup
from shell.state import Post, Refill, State

PLAYED_PACE = 0.3
"""How fast the script speaks when nobody is watching closely."""
DEFAULT_WIDTH = 100

PlayerInbox = AgentEvent | PresentApproval | RetractApproval


class Player(Actor[PlayerInbox]):
    """Sends the demo's prompt, and says yes once to whatever is asked."""

    drains = True

    def __init__(self, happenings: "SimpleQueue[Happening]") -> None:
        """Events go into `happenings`, which the main thread takes from."""
        self._happenings = happenings

    def on_start(self) -> None:
        """Answer from now on."""
        self.tell(APPROVALS, PresenterChanged(can_answer=True))

    def on_receive(self, message: PlayerInbox) -> None:
        """Take one message."""
        match message:
            case SessionConfigured():
                self._pass_on(message)
                self.tell(PRIMARY, Prompt(turn=message.next_turn, text=PROMPT))
            case PresentApproval():
                self._pass_on(message)
                self.tell(APPROVALS, AnswerApproval(id=message.request.id, answer="once"))
            case TurnCompleted() | TurnInterrupted() | TurnFailed():
                self._pass_on(message, last=True)
            case (
                TurnStarted()
                | MessageDelta()
                | ThinkingDelta()
                | ReplyCompleted()
                | ToolStarted()
                | ToolEnded()
                | RetractApproval()
            ):
                self._pass_on(message)
            case _:
                assert_never(message)

    def _pass_on(self, message: Message, *, last: bool = False) -> None:
        self._happenings.put(Said(self.sender, message, last))


def stage() -> Path:
    """Make the throw-away repository."""
    folder = Path(os.path.realpath(mkdtemp(prefix="greenroom-demo-")))
    make(folder)
    return folder


def scripted(setup: Setup, pace: float) -> Setup:
    """Let the demo's script play, whatever model the environment names."""
    wanted = replace(setup.wanted, model_name=MODEL_NAME, rehearsal=True)
    return Setup(wanted, RehearsalModel(demo, pace))


def play(happenings: "SimpleQueue[Happening]") -> Message | Ended:
    """Print what the REPL would print, to the end of the turn."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
    state = State()
    while True:
        happening = happenings.get()
        if isinstance(happening, Ended):
            return happening
        event = happening.message
        if isinstance(event, PresentApproval):
            shown = panel(event.request, event.waiting, width)
            _print(printed((*shown.head, *shown.body), colour=colour))
            _print(printed(((("good", "answered for you: yes, once"),),), colour=colour) + "\r\n")
        elif not isinstance(event, RetractApproval):
            state, effects = events.received(state, event, 0.0)
            for effect in effects:
                if not isinstance(effect, Post | Refill):
                    _print(rendered(effect, width, colour=colour))
        if happening.last:
            return event


def _print(text: str) -> None:
    sys.stdout.write(text.replace("\r\n", "\n"))
    sys.stdout.flush()
