"""The parts of the screen and the connections between them."""

from asyncio import AbstractEventLoop
from functools import partial

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding.key_processor import KeyProcessor

from shell.commands.command import ReplHost
from shell.console.screen_event_queue import ScreenEventQueue
from shell.repl.application import create_application
from shell.repl.approval_display import ApprovalDisplay
from shell.repl.approval_input import ApprovalInput
from shell.repl.completion import Completion
from shell.repl.draft_input import DraftInput
from shell.repl.event_pump import EventPump, Printer
from shell.repl.focus import KeyFocus
from shell.repl.footer_hint import FooterHint
from shell.repl.key_actions import InputParts, KeyActions
from shell.repl.key_bindings import create_key_bindings
from shell.repl.list_input import ListInput
from shell.repl.notify import NEEDS_ANSWER, TURN_ENDED, format_notification
from shell.repl.overlays import Overlays
from shell.repl.page_view import PageView
from shell.repl.prompt_arming import PromptArming
from shell.repl.question_input import QuestionInput
from shell.repl.resize import Resize
from shell.repl.screen import Screen
from shell.repl.screen_loop import ScreenLoop
from shell.repl.screen_windows import ScreenWindows
from shell.repl.spinner import Spinner
from shell.repl.suspension import Suspension
from shell.repl.task_view import TaskView
from shell.repl.terminal_output import FrameOutput
from shell.repl.terminal_title import TerminalTitle
from shell.repl.turn_notice import TurnNotice
from shell.view import screen_state
from shell.view.frame_layout import FrameInput


class ScreenParts:
    """Creates the parts of one screen and connects them; no part knows it.

    A part gets in its constructor the parts that it acts on. What happens in a part that is created
    later is a callback: the private methods below.
    """

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
        self._host, self._output = host, output
        self._loop = ScreenLoop()
        self._create_drawing(host, screen_events, keyboard, color=color)
        self._create_inputs(host)
        self._create_approvals()
        self.suspension = Suspension(self.screen, self.resize, self.approval_prompt, self._loop)
        self._connect_keys(host)

    def start(self, loop: AbstractEventLoop) -> None:
        """Use this event loop; events are processed once `event_pump` is started."""
        self._loop.running = loop
        self.event_pump.set_loop(loop)

    def _create_drawing(
        self, host: ReplHost, screen_events: ScreenEventQueue, keyboard: Input, *, color: bool
    ) -> None:
        """Create what applies events and draws."""
        printer = Printer(
            self._print_above, lambda: self._output.get_size().columns, color, self._can_print
        )
        self.event_pump = EventPump(
            screen_events, printer, host.post, self._restore_draft, self._on_state_changed
        )
        self.title = TerminalTitle(self._output)
        self._turn_notice = TurnNotice(
            self.event_pump, self._loop, partial(self._notify, TURN_ENDED)
        )
        self._spinner = Spinner(self.event_pump, self._loop, self._on_spinner_frame)
        self.windows = ScreenWindows(self._build_frame_input, self._output.get_size)
        self.app = create_application(self.windows.layout, keyboard, self._output, color=color)
        self.screen = Screen(self.app, self._output, self.windows.count_rows, self._on_drawn)
        self.resize = Resize(self.screen, self._loop.call_later, self.event_pump.print_pending)
        self.footer_hint = FooterHint(self.screen.refresh, self._loop.call_later)

    def _create_inputs(self, host: ReplHost) -> None:
        """Create the draft and what covers it."""
        self.approval_prompt = PromptArming(
            self.screen.refresh, self._is_busy, partial(self._notify, NEEDS_ANSWER)
        )
        self.list_input = ListInput(self.windows, self.approval_prompt, self._update_screen_mode)
        self.page_view = PageView(
            self.windows, self.approval_prompt, self._output.get_size, self._update_screen_mode
        )
        self.task_view = TaskView(
            self.event_pump, self.list_input, self.page_view, self.footer_hint, host.post
        )
        self.overlays = Overlays(
            self.list_input,
            self.page_view,
            self.task_view,
            self.screen,
            self.event_pump.print_pending,
        )
        self.completion = Completion(
            self.windows.draft_buffer,
            [(command.name, command.plain_help) for command in host.commands.values()],
            host.session_context.workspace_root,
            self._loop,
            self.screen.refresh,
        )
        self.draft_input = DraftInput(
            host, self.windows, self.completion, self.list_input, self.approval_prompt
        )

    def _create_approvals(self) -> None:
        """Create what shows and answers the approval requests and questions."""
        self.question_input = QuestionInput(
            self.event_pump, self.approval_prompt, self.windows.side_buffer
        )
        self.approval_input = ApprovalInput(
            self.event_pump,
            self.approval_prompt,
            self.question_input,
            self.windows,
            self.screen.refresh,
        )
        self.approval_prompt.on_ready = self.approval_input.open_free_text
        self._approval_display = ApprovalDisplay(
            self.approval_prompt, self.question_input, self.windows, self.screen, self._loop
        )

    def _connect_keys(self, host: ReplHost) -> None:
        parts = InputParts(
            self.windows,
            self.draft_input,
            self.completion,
            self.list_input,
            self.page_view,
            self.task_view,
            self.approval_input,
            self.question_input,
        )
        key_focus = KeyFocus(
            self.approval_prompt,
            self.question_input,
            self.page_view,
            self.list_input,
            self.completion,
        )
        self.key_actions = KeyActions(self.event_pump, parts, key_focus, self.footer_hint, host)
        self.app.key_bindings = create_key_bindings(
            self.key_actions,
            parts,
            key_focus,
            self.suspension.suspend,
            self._approval_display.on_acknowledged,
        )
        self.app.key_processor.before_key_press += self._on_key_press
        self.windows.draft_buffer.on_text_changed += self._on_draft_changed
        self.windows.side_buffer.on_text_changed += self._on_side_changed

    def _build_frame_input(self) -> FrameInput:
        arming = None if self.overlays.hides_prompts else self.approval_prompt.arming
        return FrameInput(
            self.event_pump.state,
            arming,
            self.windows.draft_buffer.text,
            self.approval_prompt.is_entering_text,
            self.footer_hint.text,
            self.event_pump.now_s,
            None if arming else self.completion.menu,
            self.list_input.picker,
            self.page_view.pager,
            self.question_input.selection,
            self.windows.scroll_offset,
        )

    def _print_above(self, above: str) -> None:
        self.screen.print_above(above)

    def _can_print(self) -> bool:
        return not (self.overlays.is_screen_covered or self.resize.is_settling)

    def _update_screen_mode(self) -> None:
        """Adapt to the page or list that was opened or closed."""
        agent = self.task_view.agent_of_page
        self.event_pump.state = screen_state.show_approvals_of(self.event_pump.state, agent)
        self._approval_display.update(self.event_pump.state, self.event_pump.now_s)
        self.overlays.update_screen_mode()

    def _restore_draft(self, text: str) -> None:
        self.draft_input.prepend(text)

    def _is_busy(self) -> bool:
        """Return whether the user is doing something that no prompt may arm over."""
        return bool(self.windows.draft_buffer.text) or self.overlays.is_busy

    def _notify(self, text: str) -> None:
        self._output.write_raw(format_notification(text))
        self._output.flush()

    def _on_state_changed(self) -> None:
        """Update the parts to a new state, which is then drawn."""
        self._approval_display.update(self.event_pump.state, self.event_pump.now_s)
        self.overlays.update()
        self._spinner.update()
        self._turn_notice.update()
        self.title.update(self.event_pump.state)
        self._host.on_state_changed()

    def _on_spinner_frame(self) -> None:
        self.overlays.update()
        self.app.invalidate()

    def _on_drawn(self) -> None:
        self._approval_display.record_frame()

    def _on_draft_changed(self, _draft: Buffer) -> None:
        self.approval_prompt.on_draft_edit()
        self.completion.update_menu()

    def _on_side_changed(self, _side: Buffer) -> None:
        self.approval_prompt.on_draft_edit()
        self.list_input.apply_filter()

    def _on_key_press(self, _keys: KeyProcessor) -> None:
        self._approval_display.on_key_press()
        self._turn_notice.cancel()
        self.footer_hint.clear_message()
