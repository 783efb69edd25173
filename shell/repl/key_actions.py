"""What keys do, depending on the focus."""

from dataclasses import dataclass

from messages.address import PRIMARY
from messages.subagents import MoveToBackground
from shell.commands.command import ReplHost
from shell.process.streams import INTERRUPTED_STATUS
from shell.repl.approval_input import ApprovalInput
from shell.repl.completion import Completion
from shell.repl.draft_input import DraftInput
from shell.repl.event_pump import EventPump
from shell.repl.focus import Focus, KeyFocus
from shell.repl.footer_hint import FooterHint
from shell.repl.list_input import ListInput
from shell.repl.page_view import PageView
from shell.repl.question_input import QuestionInput
from shell.repl.screen_windows import ScreenWindows
from shell.repl.signals import EXIT_CONFIRM_S
from shell.repl.task_view import TaskView
from shell.view import full_output, mode_changes
from shell.view.screen_state import SendCommand

ESCAPE_DEBOUNCE_S = 0.25
"""A second Esc within this time is ignored: both are one press."""
EXIT_CONFIRM_HINT = "Press Ctrl-C or Ctrl-D again to exit"
NOTHING_TO_MOVE = "The turn does not wait for a subagent."
NO_FULL_OUTPUT = "There is no output to show yet."


@dataclass(frozen=True, slots=True)
class InputParts:
    """The parts that keys act on."""

    windows: ScreenWindows
    draft_input: DraftInput
    completion: Completion
    list_input: ListInput
    page_view: PageView
    task_view: TaskView
    approval_input: ApprovalInput
    question_input: QuestionInput


class KeyActions:
    """The actions of keys that do different things depending on the focus."""

    def __init__(
        self,
        event_pump: EventPump,
        parts: InputParts,
        key_focus: KeyFocus,
        footer_hint: FooterHint,
        host: ReplHost,
    ) -> None:
        self._event_pump, self._key_focus = event_pump, key_focus
        self._footer_hint, self._host = footer_hint, host
        self._windows, self._draft_input = parts.windows, parts.draft_input
        self._completion, self._list_input = parts.completion, parts.list_input
        self._page_view, self._task_view = parts.page_view, parts.task_view
        self._approval_input = parts.approval_input
        self._question_input = parts.question_input
        self._exit_confirm_until_s = self._escape_debounce_until_s = float("-inf")

    def on_enter(self, *, is_last: bool) -> None:  # noqa: C901  (one case per focus)
        """Handle Enter; `is_last`: nothing else was read after the key."""
        self._escape_debounce_until_s = float("-inf")  # an Esc after Enter is a new press
        match self._key_focus.current:
            case Focus.PICKER:
                self._list_input.accept()
            case Focus.TEXT_ANSWER:
                self._approval_input.submit_text_answer(is_last=is_last)
            case Focus.MENU:
                if self._completion.accept():
                    self._draft_input.submit()
            case Focus.APPROVAL if self._task_view.is_open:  # the draft is not visible
                self._task_view.open_selected()
            case Focus.APPROVAL if self._draft_input.text:
                self._draft_input.submit()
            case Focus.APPROVAL:
                self._approval_input.confirm(is_last=is_last)
            case Focus.DRAFT:
                if not self._draft_input.continue_line():
                    self._draft_input.submit_or_open_findings()
            case Focus.QUESTION:
                self._question_input.confirm(is_last=is_last)
            case Focus.PAGE:
                if not self._task_view.start_message():
                    self._page_view.scroll(1)

    def cycle_mode(self) -> None:
        """Switch to the next mode, whatever has the focus."""
        self._event_pump.apply(mode_changes.cycle_mode(self._event_pump.state))

    def insert_newline(self) -> None:
        """Start another line of the draft."""
        if self._key_focus.current in {Focus.APPROVAL, Focus.MENU, Focus.DRAFT}:
            self._windows.current_buffer.newline(copy_margin=False)

    def on_escape(self) -> None:
        """Close the topmost part; else stop the user command, else interrupt the turn."""
        if self._event_pump.now_s < self._escape_debounce_until_s:
            return
        self._escape_debounce_until_s = self._event_pump.now_s + ESCAPE_DEBOUNCE_S
        if not self._close_topmost():
            if self._key_focus.is_approval_open:
                self._approval_input.defer()
            else:
                self._event_pump.interrupt()

    def on_ctrl_c(self) -> None:
        """Close what is open; else clear the draft; else interrupt; else exit on a second press."""
        if self._list_input.picker and self._list_input.picker.is_leave_question:
            self._host.exit(INTERRUPTED_STATUS)
            return
        if self._key_focus.current is not Focus.MENU and self._close_topmost():
            return
        if self._key_focus.is_approval_open:
            self._approval_input.defer()
        elif self._draft_input.text:
            self._draft_input.clear()
        elif self._event_pump.state.can_interrupt:
            self._event_pump.interrupt()
        else:
            self._exit_on_second_press()

    def on_ctrl_d(self) -> None:
        """Delete a character; on an empty line do the same as Ctrl-C."""
        buffer = self._windows.current_buffer
        if buffer.text:
            buffer.delete()
        else:
            self.on_ctrl_c()

    def focus_approval(self) -> None:
        """Close what covers the approval, show deferred requests, and arm over the draft."""
        while self._key_focus.current in {Focus.PAGE, Focus.PICKER} and not self._task_view.is_open:
            self._close_topmost()
        self._task_view.leave_page_without_requests()
        self._approval_input.focus()

    def move_to_background(self) -> None:
        """Let the subagents that the turn waits for continue in the background."""
        state = self._event_pump.state
        children = [agent for agent in state.subagents.running if agent.address.parent == PRIMARY]
        if any(not agent.is_background and agent.phase != "idle" for agent in children):
            self._event_pump.apply((state, (SendCommand(MoveToBackground()),)))
        else:
            self._footer_hint.show_message(NOTHING_TO_MOVE)

    def stop_agent(self) -> None:
        """Ask whether to stop an agent, while an armed request is shown in the task view.

        The request is disarmed, so that the `y` that confirms the stop does not allow a call.
        """
        self._task_view.stop_agent()
        self._approval_input.disarm()

    def move_down(self) -> None:
        """Move down in the draft; below an empty one, open the task view."""
        if not self._draft_input.move_down() and not self._key_focus.is_approval_open:
            self._task_view.open()

    def show_full_output(self) -> None:
        """Show outputs in full that were shown truncated."""
        page = full_output.create_full_output_page(self._event_pump.state.full_outputs)
        if page:
            self._page_view.open(page, at_end=True)
        else:
            self._footer_hint.show_message(NO_FULL_OUTPUT)

    def on_paste(self, text: str) -> None:
        """Insert pasted text; a paste never answers a prompt."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        match self._key_focus.current:
            case Focus.PICKER | Focus.TEXT_ANSWER:
                self._windows.paste_into_side_input(text)
            case Focus.APPROVAL | Focus.QUESTION | Focus.MENU | Focus.DRAFT:
                self._draft_input.paste(text)
            case Focus.PAGE:
                return

    def _close_topmost(self) -> bool:
        """Close the topmost part except a prompt; return whether there was one."""
        if self._task_view.is_confirming_stop:
            self._task_view.cancel_stop()
            return True
        match self._key_focus.current:
            case Focus.PAGE:
                self._page_view.close()
            case Focus.PICKER:
                self._list_input.close()
            case Focus.TEXT_ANSWER:
                self._approval_input.leave_text_answer()
            case Focus.MENU:
                self._completion.close()
            case Focus.APPROVAL | Focus.QUESTION | Focus.DRAFT:
                return False
        return True

    def _exit_on_second_press(self) -> None:
        if self._event_pump.now_s < self._exit_confirm_until_s:
            self._host.quit(INTERRUPTED_STATUS)
            return
        self._exit_confirm_until_s = self._event_pump.now_s + EXIT_CONFIRM_S
        self._footer_hint.show(EXIT_CONFIRM_HINT, EXIT_CONFIRM_S)
