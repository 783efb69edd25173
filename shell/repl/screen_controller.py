"""What lies before the person: the parts of the screen, and how they know of each other."""

from asyncio import AbstractEventLoop, TimerHandle
from collections.abc import Callable, Generator
from contextlib import contextmanager

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.key_binding.key_processor import KeyProcessor

from shell.commands.command_table import COMMANDS
from shell.commands.repl_host import Person
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
from shell.repl.task_view import TaskView
from shell.repl.terminal import FrameOutput
from shell.view import screen_state
from shell.view.frame_layout import FrameInput
from shell.view.progress_rows import SPINNER_FRAMES_PER_S
from shell.view.screen_state import ScreenState, ScreenUpdate

MESSAGE_DURATION_S = 2.0


class ScreenController:
    """The parts of one screen; keys come through `hands`, what happens through `updates`."""

    def __init__(
        self,
        host: Person,
        screen_events: ScreenEventQueue,
        keyboard: Input,
        output: FrameOutput,
        *,
        color: bool,
    ) -> None:
        """Put the parts together; nothing is drawn before `start`."""
        self.host = host
        self._output = output
        self._loop: AbstractEventLoop | None = None
        self._height = 0
        self._spinning = False
        self.hint = self._mentioned = ""
        paper = Printer(
            self._draw,
            lambda: self.size.columns,
            color,
            lambda: not (self.is_covered or self.resize.is_settling),
        )
        self.event_pump = EventPump(screen_events, paper, host.post, self._refill, self._changed)
        self.windows = ScreenWindows(self._scene, output.get_size)
        self.approval_prompt = ApprovalPrompt(self.refresh, self._busy, self._ring)
        self.task_view = TaskView(self)
        self.list_input, self.page_view, self.resize = ListInput(self), PageView(self), Resize(self)
        self.completion = Completion(
            self.windows.draft_buffer,
            [(command.name, command.help) for command in COMMANDS.values()],
            host.session_context.workspace_root,
            self.refresh,
        )
        self.draft_input = DraftInput(self)
        self.approval_input, self.question_input = ApprovalInput(self), QuestionInput(self)
        self.windows.draft_buffer.on_text_changed += self._typed
        self.windows.side_buffer.on_text_changed += self._narrowed
        self.app = create_application(
            self.windows.layout,
            create_key_bindings(KeyActions(self)),
            keyboard,
            output,
            color=color,
        )
        self.app.key_processor.before_key_press += self._pressed
        self.screen = Screen(self.app, output, self._drawn)

    def start(self, loop: AbstractEventLoop) -> None:
        """Go by this loop's clock; nothing is taken in before `updates` is started."""
        self._loop = loop
        self.event_pump.set_loop(loop)
        self.completion.start(loop)

    @property
    def state(self) -> ScreenState:
        """What is known of the session."""
        return self.event_pump.state

    @property
    def size(self) -> Size:
        """The window's."""
        return self._output.get_size()

    @property
    def now_s(self) -> float:
        """The loop's clock."""
        return self.event_pump.now_s

    def apply(self, update: ScreenUpdate) -> None:
        """Take a new state and carry out what comes with it."""
        self.event_pump.apply(update)

    def interrupt(self) -> None:
        """Stop the turn, and the text of it that has come but is not printed yet."""
        self.event_pump.drop_pending_text()
        self.apply(screen_state.interrupt(self.state))

    def feed_keys(self, keys: list[KeyPress]) -> None:
        """Take keys as if they were typed now."""
        processor, context = self.app.key_processor, self.app.context
        if keys and context is not None:
            processor.feed_multiple(keys)
            context.copy().run(processor.process_keys)

    @property
    def is_covered(self) -> bool:
        """Whether a page or the task view takes the whole screen; what is printed waits."""
        return self.page_view.pager is not None or self.task_view.is_open

    def update_screen_mode(self) -> None:
        """Draw on the whole screen while something covers it, else below what is printed."""
        if self.is_covered:
            self.screen.enter_full_screen()
        else:
            self.screen.leave_full_screen()
            self.event_pump.print_pending()

    @contextmanager
    def release_terminal(self) -> Generator[None]:
        """Leave the terminal to somebody else; a question arms anew afterwards."""
        self.resize.finish()
        with self.screen.release_terminal():
            yield
            self.approval_prompt.reset(self.now_s)

    def resume_after_suspend(self) -> None:
        """Draw anew: we were stopped, and somebody else had the terminal."""
        self.approval_prompt.reset(self.now_s)
        self.screen.reclaim_terminal()

    def show_hint(self, text: str, duration_s: float) -> None:
        """Show a line in place of the footer for a while."""
        self.hint = text
        self.refresh()
        self.call_later(duration_s, lambda: self._unhint(text))

    def show_message(self, text: str) -> None:
        """Show a line in place of the footer until the next key, or for a while."""
        self._mentioned = text
        self.show_hint(text, MESSAGE_DURATION_S)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> TimerHandle | None:
        """Do something when the loop's clock has gone on; None: it does not run yet."""
        return self._loop.call_later(delay_s, callback) if self._loop else None

    def on_acknowledged(self) -> None:
        """The terminal answered."""
        if self._loop:
            self.approval_prompt.on_acknowledged(self._loop)

    def restore_focus(self) -> None:
        """Let keys go to the topmost that is open, beside a question."""
        if self.page_view.pager:
            self.windows.focus_page()
        elif self.list_input.picker:
            self.windows.resume_side_input()
        else:
            self.windows.focus_draft()

    def refresh(self) -> None:
        """Draw again what has changed; from the top when there is less of it."""
        if self.windows.compute_frame_layout().row_count < self._height:
            self.screen.draw()
        else:
            self.app.invalidate()

    def _unhint(self, text: str) -> None:
        if text and self.hint == text:
            self.hint = ""
            self.refresh()

    def _spin(self) -> None:
        """Turn the spinner for as long as something runs."""
        self._spinning = bool(self.state.turn or self.state.user_command)
        if self._spinning and self._loop:
            self._renew()
            self.app.invalidate()
            self._loop.call_later(1 / SPINNER_FRAMES_PER_S, self._spin)

    def _changed(self) -> None:
        """There is a new state; it is drawn right after this."""
        self._follow()
        self._renew()
        if not self._spinning:
            self._spin()

    def _renew(self) -> None:
        """Let what is open and grows show how things stand now."""
        self.page_view.update()
        self.task_view.update()

    def _draw(self, above: str) -> None:
        if above:
            self.screen.draw(above)
        else:
            self.refresh()

    def _follow(self) -> None:
        """Let the dialog show what the state shows; a reason begun for another becomes draft."""
        reason = self.windows.side_buffer.text if self.approval_prompt.is_entering_text else ""
        if not self.approval_prompt.update(self.state, self.now_s):
            return
        self.question_input.reset()
        if self._loop:
            self.approval_prompt.schedule_notification(self._loop)
        self.windows.scroll_to_top()
        self.restore_focus()
        if reason:
            self.windows.draft_buffer.insert_text(reason)

    def _refill(self, text: str) -> None:
        self.draft_input.prepend(text)

    def _busy(self) -> bool:
        """Whether the person is at something that no question may be armed over."""
        typed = self.windows.draft_buffer.text or (
            self.list_input.picker and not self.list_input.is_filter_empty
        )
        return bool(typed) or self._hides_questions or self.task_view.is_confirming_stop

    @property
    def _hides_questions(self) -> bool:
        """Whether what is open leaves no room for a question; only the task view does."""
        return bool(self.list_input.picker or self.page_view.pager) and not self.task_view.is_open

    def _ring(self) -> None:
        self._output.write_raw(format_notification())
        self._output.flush()

    def _typed(self, _draft: Buffer) -> None:
        self.approval_prompt.on_draft_edit()
        self.completion.update_menu()

    def _narrowed(self, _side: Buffer) -> None:
        self.approval_prompt.on_draft_edit()
        self.list_input.apply_filter()

    def _pressed(self, _keys: KeyProcessor) -> None:
        if self._loop:
            self.approval_prompt.on_key_press(self._loop)
        self._unhint(self._mentioned)

    def _drawn(self) -> None:
        """Note what the frame showed, and let the terminal acknowledge what is new in it."""
        self._height = self.windows.compute_frame_layout().row_count
        arming = self.approval_prompt.arming
        shown = self.windows.get_drawn_request(arming.prompt_id) if arming else None
        if shown and self.approval_prompt.record_frame(shown):
            self.screen.request_acknowledgment()

    def _scene(self) -> FrameInput:
        arming = None if self._hides_questions else self.approval_prompt.arming
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
