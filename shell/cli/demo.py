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

from actors.models.demo_script import DEMO_PROMPT, make_demo_reply
from actors.models.scripted_model import SCRIPTED_MODEL_NAME, ScriptedModel
from messages.address import APPROVALS
from messages.approvals import (
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
)
from messages.turns import UpwardEvent
from shell.cli.arguments import StartError
from shell.cli.demo_repository import create_repository
from shell.cli.launch_config import LaunchConfig
from shell.console.screen_events import to_screen_event
from shell.headless.event_queue import EventQueue, HeadlessEvent, QueuedEvent, RunEnded
from shell.headless.headless_console import HeadlessConsole
from shell.process.stdout import OutputStalledError, StdoutWriter
from shell.startup.errors import to_start_error
from shell.view import event_reducer
from shell.view.frame_layout import build_panel
from shell.view.screen_state import RestoreDraft, ScreenState, SendCommand
from shell.view.scrollback_renderer import render_item
from shell.view.styled_text import render_ansi

AUTO_DEMO_PACE = 0.3
"""How fast the script speaks when nobody is watching closely."""
DEFAULT_COLUMNS = 100


class AutoApprovingConsole(HeadlessConsole):
    """Sends the demo's prompt, and says yes once to whatever is asked."""

    def __init__(self, queue: EventQueue) -> None:
        super().__init__(DEMO_PROMPT, queue)

    def announce_availability(self) -> None:
        """Answer from now on."""
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_answer=True))

    def on_show_approval(self, message: ShowApproval) -> None:
        """Say yes."""
        self.tell(APPROVALS, SubmitDecision(id=message.request.id, decision="once"))


def create_demo_folder() -> Path:
    """Make the throw-away repository.

    Raises:
        StartError: there is no git, it does not work, or there is no place for temporary files.
    """
    # Left in place, such a variable would point the script's own git commands elsewhere.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    try:
        folder = Path(os.path.realpath(mkdtemp(prefix="greenroom-demo-")))
        create_repository(folder)
    except FileNotFoundError as error:
        what = "git is not on the PATH" if error.filename == "git" else str(error)
        message = f"the demo needs git and a temporary folder: {what}"
        raise StartError(message) from error
    except (OSError, CalledProcessError) as error:
        message = f"the demo's repository cannot be made: {error}"
        raise to_start_error(message, error) from error
    return folder


def with_demo_script(config: LaunchConfig, pace: float) -> LaunchConfig:
    """Let the demo's script play, whatever model the environment names."""
    options = replace(config.session_options, model_name=SCRIPTED_MODEL_NAME, is_scripted=True)
    return replace(
        config, session_options=options, make_model=partial(ScriptedModel, make_demo_reply, pace)
    )


def print_demo(queue: EventQueue, output: StdoutWriter) -> HeadlessEvent | RunEnded:
    """Print what the REPL would print, to the end of the turn.

    Raises:
        OutputError: standard output cannot be written.
    """
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = shutil.get_terminal_size((DEFAULT_COLUMNS, 24)).columns
    state = ScreenState()
    while True:
        happening = queue.get()
        if isinstance(happening, RunEnded):
            return happening
        state, text = _drawn(state, happening, width, colour=colour)
        # A stall comes from a signal, and its `RunEnded` is in the queue.
        with suppress(OutputStalledError):
            output.write(text.replace("\r\n", "\n").encode("utf-8", "replace"))
        if happening.ends_turn:
            return happening.message


def _drawn(
    state: ScreenState, said: QueuedEvent, width: int, *, colour: bool
) -> tuple[ScreenState, str]:
    event = said.message
    if isinstance(event, ShowApproval):
        shown = build_panel(event.request, event.parked_count, width)
        question = render_ansi((*shown.header, *shown.body), color=colour)
        answer = render_ansi(((("good", "answered for you: yes, once"),),), color=colour)
        return state, f"{question}{answer}\r\n"
    if isinstance(event, DismissApproval):
        return state, ""
    told = to_screen_event(said.source, event) if isinstance(event, UpwardEvent) else event
    state, effects = event_reducer.apply_event(state, told, 0.0)
    lasting = [effect for effect in effects if not isinstance(effect, SendCommand | RestoreDraft)]
    return state, "".join(render_item(effect, width, color=colour) for effect in lasting)
