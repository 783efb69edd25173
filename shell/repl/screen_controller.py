"""The parts of the screen and the connections between them."""

import signal
from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Generator
from contextlib import contextmanager

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding.key_processor import KeyProcessor

from shell.commands.command import ReplHost
from shell.console.screen_events import ScreenEventQueue
from shell.repl.application import create_application
from shell.repl.approval_input import ApprovalInput
from shell.repl.approval_prompt import ApprovalPrompt
from shell.repl.completion import Completion
from shell.repl.draft_input import DraftInput
from shell.repl.event_pump import EventPump, Printer
from shell.repl.key_actions import KeyActions
from shell.repl.key_bindings import create_key_bindings
from shell.repl.list_input import ListInput
from shell.repl.notify import format_notification
from shell.repl.page_view import PageView
from shell.repl.question_input import QuestionInput
from shell.repl.resize import Resize
from shell.repl.screen import Screen
from shell.repl.screen_windows import ScreenWindows
from shell.repl.signals import SignalHandlers, suspend_process
from shell.repl.task_view import TaskView
from shell.repl.terminal import FrameOutput
from shell.view.frame_layout import FrameInput
from shell.view.progress_rows import SPINNER_FRAMES_PER_S
from shell.view.screen_state import ScreenState, ScreenUpdate

MESSAGE_DURATION_S = 2.0


class ScreenController:
    """The parts of one screen: keys arrive in `KeyActions`, events in `EventPump`."""

    def __init__(
        self,
        host: ReplHost,
        screen_events: ScreenEventQueue,
        keyboard: Input,
        output: FrameOutput,
        *,
        color: bool,
    ) -> None:
        """Connect the parts; nothing is drawn before `start`."""
        self.host = host
        self._output = output
        self._loop: AbstractEventLoop | None = None
        self._is_spinning = False
        self.hint = self._message = ""
        printer = Printer(
            self._print_above,
            lambda: self.size.columns,
            color,
            lambda: not (self.is_covered or self.resize.is_settling),
        )
        self.event_pump = EventPump(
            screen_events, printer, host.post, self._restore_draft, self._on_state_changed
        )
        self.windows = ScreenWindows(self._build_frame_input, output.get_size)
        self.approval_prompt = ApprovalPrompt(self.refresh, self._is_busy, self._notify)
        self.task_view = TaskView(self)
        self.list_input, self.page_view = ListInput(self), PageView(self)
        self.completion = Completion(
            self.windows.draft_buffer,
            [(command.name, command.help) for command in host.commands.values()],
            host.session_context.workspace_root,
            self.refresh,
        )
        self.draft_input = DraftInput(self)
        self.approval_input, self.question_input = ApprovalInput(self), QuestionInput(self)
        self.windows.draft_buffer.on_text_changed += self._on_draft_changed
        self.windows.side_buffer.on_text_changed += self._on_side_changed
        self.app = create_application(
            self.windows.layout,
            create_key_bindings(KeyActions(self)),
            keyboard,
            output,
            color=color,
        )
        self.app.key_processor.before_key_press += self._on_key_press
        self.screen = Screen(self.app, output, self.windows.count_rows, self._on_drawn)
        self.resize = Resize(self.screen, self.call_later, self.event_pump.print_pending)
        self.suspend_handlers: SignalHandlers = {
            signal.SIGTSTP: self.suspend,
            signal.SIGCONT: self.resume_after_suspend,
        }

    def start(self, loop: AbstractEventLoop) -> None:
        """Use this event loop; events are processed once `event_pump` is started."""
        self._loop = loop
        self.event_pump.set_loop(loop)
        self.completion.start(loop)

    @property
    def state(self) -> ScreenState:
        """What is known about the session."""
        return self.event_pump.state

    @property
    def size(self) -> Size:
        """The size of the window."""
        return self._output.get_size()

    @property
    def now_s(self) -> float:
        """The event loop's time."""
        return self.event_pump.now_s

    def apply(self, update: ScreenUpdate) -> None:
        """Set a new state and carry out its effects."""
        self.event_pump.apply(update)

    def interrupt(self) -> None:
        """Interrupt the turn and drop its text that is not printed yet."""
        self.event_pump.interrupt()

    @property
    def is_covered(self) -> bool:
        """Whether a page or the task view takes the whole screen; printed output waits."""
        return self.page_view.pager is not None or self.task_view.is_open

    def update_screen_mode(self) -> None:
        """Switch to full screen while something covers it, else draw below the printed output."""
        if self.is_covered:
            self.screen.enter_full_screen()
        else:
            self.screen.leave_full_screen()
            self.event_pump.print_pending()

    def suspend(self) -> None:
        """Suspend the program until `fg`."""
        if self._loop:
            with self.release_terminal():
                suspend_process(self._loop, self.suspend_handlers)

    @contextmanager
    def release_terminal(self) -> Generator[None]:
        """Hand the terminal to another program; afterwards a prompt must be armed again."""
        self.resize.finish()
        with self.screen.release_terminal():
            yield
            self.approval_prompt.reset(self.now_s)

    def resume_after_suspend(self) -> None:
        """Redraw after the program was stopped and another one used the terminal."""
        self.approval_prompt.reset(self.now_s)
        self.screen.reclaim_terminal()

    def show_hint(self, text: str, duration_s: float) -> None:
        """Show a line in place of the footer for a while."""
        self.hint = text
        self.refresh()
        self.call_later(duration_s, lambda: self._clear_hint(text))

    def show_message(self, text: str) -> None:
        """Show a line in place of the footer until the next key, or for a while."""
        self._message = text
        self.show_hint(text, MESSAGE_DURATION_S)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> TimerHandle | None:
        """Call `callback` after a delay; None: the loop does not run yet."""
        return self._loop.call_later(delay_s, callback) if self._loop else None

    def on_acknowledged(self) -> None:
        """Handle the terminal's acknowledgment of a frame."""
        if self._loop:
            self.approval_prompt.on_acknowledged(self._loop)

    def refresh(self) -> None:
        """Redraw what has changed; redraw everything if the frame became shorter."""
        self.screen.refresh()

    def _clear_hint(self, text: str) -> None:
        if text and self.hint == text:
            self.hint = ""
            self.refresh()

    def _animate_spinner(self) -> None:
        """Redraw the spinner as long as something runs."""
        self._is_spinning = bool(self.state.turn or self.state.user_command)
        if self._is_spinning and self._loop:
            self._update_views()
            self.app.invalidate()
            self._loop.call_later(1 / SPINNER_FRAMES_PER_S, self._animate_spinner)

    def _on_state_changed(self) -> None:
        """Update the parts to a new state, which is drawn right afterwards."""
        self._update_prompt()
        self._update_views()
        if not self._is_spinning:
            self._animate_spinner()

    def _update_views(self) -> None:
        """Update an open page or task view to the current state."""
        self.page_view.update()
        self.task_view.update()

    def _print_above(self, above: str) -> None:
        self.screen.print_above(above)

    def _update_prompt(self) -> None:
        """Show the current prompt; text typed for an earlier one becomes part of the draft."""
        text = self.windows.side_buffer.text if self.approval_prompt.is_entering_text else ""
        if not self.approval_prompt.update(self.state, self.now_s):
            return
        self.question_input.reset()
        if self._loop:
            self.approval_prompt.schedule_notification(self._loop)
        self.windows.scroll_to_top()
        self.windows.restore_focus()
        if text:
            self.windows.draft_buffer.insert_text(text)

    def _restore_draft(self, text: str) -> None:
        self.draft_input.prepend(text)

    def _is_busy(self) -> bool:
        """Return whether the user is doing something that no prompt may arm over."""
        has_text = self.windows.draft_buffer.text or (
            self.list_input.picker and not self.list_input.is_filter_empty
        )
        return bool(has_text) or self._hides_prompts or self.task_view.is_confirming_stop

    @property
    def _hides_prompts(self) -> bool:
        """Whether the open part leaves no room for a prompt; only the task view leaves some."""
        return bool(self.list_input.picker or self.page_view.pager) and not self.task_view.is_open

    def _notify(self) -> None:
        self._output.write_raw(format_notification())
        self._output.flush()

    def _on_draft_changed(self, _draft: Buffer) -> None:
        self.approval_prompt.on_draft_edit()
        self.completion.update_menu()

    def _on_side_changed(self, _side: Buffer) -> None:
        self.approval_prompt.on_draft_edit()
        self.list_input.apply_filter()

    def _on_key_press(self, _keys: KeyProcessor) -> None:
        if self._loop:
            self.approval_prompt.on_key_press(self._loop)
        self._clear_hint(self._message)

    def _on_drawn(self) -> None:
        """Record what the frame showed, and request an acknowledgment if that is new."""
        arming = self.approval_prompt.arming
        drawn = self.windows.get_drawn_request(arming.prompt_id) if arming else None
        if drawn and self.approval_prompt.record_frame(drawn):
            self.screen.request_acknowledgment()

    def _build_frame_input(self) -> FrameInput:
        arming = None if self._hides_prompts else self.approval_prompt.arming
        return FrameInput(
            self.state,
            arming,
            self.windows.draft_buffer.text,
            self.approval_prompt.is_entering_text,
            self.hint,
            self.now_s,
            None if arming else self.completion.menu,
            self.list_input.picker,
            self.page_view.pager,
            self.question_input.selection,
            self.windows.scroll_offset,
        )
