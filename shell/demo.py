"""`greenroom demo`: a scripted session on a throw-away repository, with or without a person."""

import os
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import mkdtemp

from actors.models.demo_script import PROMPT, demo
from actors.models.rehearsal import MODEL_NAME, RehearsalModel
from messages.address import APPROVALS
from messages.approvals import (
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
)
from messages.turns import UpwardEvent
from shell.arguments import StartError
from shell.demo_repository import make
from shell.happenings import Happenings, QueuedEvent, RunEnded, Told
from shell.headless import HeadlessConsole
from shell.inbox import said_by
from shell.output import Output, OutputStalledError
from shell.refused import refused
from shell.setup import Setup
from shell.view import events
from shell.view.ink import printed
from shell.view.plan import panel_of
from shell.view.render import rendered
from shell.view.state import RestoreDraft, SendCommand, State

PLAYED_PACE = 0.3
"""How fast the script speaks when nobody is watching closely."""
DEFAULT_WIDTH = 100


class AutoApprovingConsole(HeadlessConsole):
    """Sends the demo's prompt, and says yes once to whatever is asked."""

    def __init__(self, happenings: Happenings) -> None:
        super().__init__(PROMPT, happenings)

    def introduce(self) -> None:
        """Answer from now on."""
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    def presented(self, asked: ShowApproval) -> None:
        """Say yes."""
        self.tell(APPROVALS, SubmitDecision(id=asked.request.id, decision="once"))


def stage() -> Path:
    """Make the throw-away repository.

    Raises:
        StartError: there is no git, it does not work, or there is no place for temporary files.
    """
    # Left in place, such a variable would point the script's own git commands elsewhere.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    try:
        folder = Path(os.path.realpath(mkdtemp(prefix="greenroom-demo-")))
        make(folder)
    except FileNotFoundError as error:
        what = "git is not on the PATH" if error.filename == "git" else str(error)
        message = f"the demo needs git and a temporary folder: {what}"
        raise StartError(message) from error
    except (OSError, CalledProcessError) as error:
        message = f"the demo's repository cannot be made: {error}"
        raise refused(message, error) from error
    return folder


def scripted(setup: Setup, pace: float) -> Setup:
    """Let the demo's script play, whatever model the environment names."""
    options = replace(setup.options, model_name=MODEL_NAME, is_scripted=True)
    return replace(setup, options=options, make_model=partial(RehearsalModel, demo, pace))


def play(happenings: Happenings, output: Output) -> Told | RunEnded:
    """Print what the REPL would print, to the end of the turn.

    Raises:
        OutputError: standard output cannot be written.
    """
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
    state = State()
    while True:
        happening = happenings.get()
        if isinstance(happening, RunEnded):
            return happening
        state, text = _drawn(state, happening, width, colour=colour)
        # A stall comes from a signal, and its `RunEnded` is in the queue.
        with suppress(OutputStalledError):
            output.write(text.replace("\r\n", "\n").encode("utf-8", "replace"))
        if happening.last:
            return happening.message


def _drawn(state: State, said: QueuedEvent, width: int, *, colour: bool) -> tuple[State, str]:
    event = said.message
    if isinstance(event, ShowApproval):
        shown = panel_of(event.request, event.waiting, width)
        question = printed((*shown.head, *shown.body), colour=colour)
        answer = printed(((("good", "answered for you: yes, once"),),), colour=colour)
        return state, f"{question}{answer}\r\n"
    if isinstance(event, DismissApproval):
        return state, ""
    told = said_by(said.source, event) if isinstance(event, UpwardEvent) else event
    state, effects = events.received(state, told, 0.0)
    lasting = [effect for effect in effects if not isinstance(effect, SendCommand | RestoreDraft)]
    return state, "".join(rendered(effect, width, colour=colour) for effect in lasting)
