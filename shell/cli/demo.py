"""`greenroom demo`: a scripted session in a throwaway repository, with or without a user."""

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import mkdtemp

from actors.models.demo_script import DEMO_PROMPT, make_demo_reply
from actors.models.model_names import SCRIPTED_MODEL_NAME
from actors.models.scripted_model import ScriptedModel
from messages.address import APPROVALS
from messages.approvals import (
    ApproverAvailabilityChanged,
    DismissApproval,
    ShowApproval,
    SubmitDecision,
)
from shell.cli.demo_repository import create_repository
from shell.cli.launch_config import LaunchConfig
from shell.console.screen_event_queue import to_screen_event
from shell.headless.event_queue import EventQueue, HeadlessEvent, QueuedEvent, RunEnded
from shell.headless.headless_console import HeadlessConsole
from shell.process.stdout import OutputStalledError, StdoutWriter
from shell.startup.errors import StartError, to_start_error
from shell.view import event_reducer
from shell.view.frame_layout import build_panel
from shell.view.screen_state import RestoreDraft, ScreenState, SendCommand
from shell.view.scrollback_renderer import render_item
from shell.view.styled_text import render_ansi

AUTO_DEMO_PACE = 0.3
"""Delays of the scripted model without a user, relative to those in the REPL."""
DEFAULT_COLUMNS = 100
AUTO_ANSWER = "answered automatically: Yes, once"


class AutoApprovingConsole(HeadlessConsole):
    """Sends the demo's prompt and allows every approval request once."""

    def __init__(self, queue: EventQueue) -> None:
        super().__init__(DEMO_PROMPT, queue)

    def announce_availability(self) -> None:
        """Report that approval requests are answered here."""
        self.tell(APPROVALS, ApproverAvailabilityChanged(can_decide=True))

    def on_show_approval(self, message: ShowApproval) -> None:
        """Allow the call once."""
        self.tell(APPROVALS, SubmitDecision(id=message.request.id, decision="once"))


@contextmanager
def open_demo_folder(*, keep: bool) -> Generator[Path]:
    """Create the throwaway repository, remove it afterwards, and say which of both.

    Raises:
        StartError: as `create_demo_folder`.
    """
    folder = create_demo_folder()
    try:
        yield folder
    finally:
        if keep:
            print(f"Demo repository: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
            print("The demo repository was removed; greenroom demo --keep keeps it.")


def create_demo_folder() -> Path:
    """Create the throwaway repository.

    Raises:
        StartError: git is missing or fails, or there is no folder for temporary files.
    """
    # Such a variable would direct the script's git commands to another repository.
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]
    try:
        folder = Path(os.path.realpath(mkdtemp(prefix="greenroom-demo-")))
        create_repository(folder)
    except FileNotFoundError as error:
        reason = "git is not on the PATH" if error.filename == "git" else str(error)
        message = f"the demo needs git and a folder for temporary files: {reason}"
        raise StartError(message) from error
    except (OSError, CalledProcessError) as error:
        message = f"cannot create the demo repository: {error}"
        raise to_start_error(message, error) from error
    return folder


def with_demo_script(config: LaunchConfig, pace: float) -> LaunchConfig:
    """Return the configuration with the demo's scripted model instead of the configured one."""
    options = replace(config.session_options, model_name=SCRIPTED_MODEL_NAME, is_scripted=True)
    # Without a sandbox the demo is the same everywhere, and its commands show approval requests.
    return replace(
        config,
        session_options=options,
        make_model=partial(ScriptedModel, make_demo_reply, pace),
        sandbox=None,
    )


def print_demo(queue: EventQueue, output: StdoutWriter) -> HeadlessEvent | RunEnded:
    """Print what the REPL would print, until the turn ends.

    Raises:
        OutputError: standard output cannot be written.
    """
    use_color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = shutil.get_terminal_size((DEFAULT_COLUMNS, 24)).columns
    state = ScreenState()
    while True:
        item = queue.get()
        if isinstance(item, RunEnded):
            return item
        state, text = _render_event(state, item, width, color=use_color)
        # Only a signal raises this, and its `RunEnded` is in the queue.
        with suppress(OutputStalledError):
            output.write(text.replace("\r\n", "\n").encode("utf-8", "replace"))
        if item.ends_run:
            return item.message


def _render_event(
    state: ScreenState, item: QueuedEvent, width: int, *, color: bool
) -> tuple[ScreenState, str]:
    event = item.message
    if isinstance(event, ShowApproval):
        panel = build_panel(event.request, event.parked_count, width)
        request = render_ansi((*panel.header, *panel.body), color=color)
        answer = render_ansi(((("good", AUTO_ANSWER),),), color=color)
        return state, f"{request}{answer}\r\n"
    if isinstance(event, DismissApproval):
        return state, ""
    state, effects = event_reducer.apply_event(state, to_screen_event(item.source, event), 0.0)
    printed = [effect for effect in effects if not isinstance(effect, SendCommand | RestoreDraft)]
    return state, "".join(render_item(effect, width, color=color) for effect in printed)
