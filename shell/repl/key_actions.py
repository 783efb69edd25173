"""What keys do, depending on the focus."""

from enum import Enum, auto
from typing import TYPE_CHECKING

from shell.view import full_output, mode_changes

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController

EXIT_CONFIRM_S = 2.0
ESCAPE_DEBOUNCE_S = 0.25
"""A second Esc within this time counts as one press with the first."""
EXIT_CONFIRM_HINT = "Press Ctrl-C or Ctrl-D again to exit"
NO_FULL_OUTPUT = "There is no output to show yet."
INTERRUPTED_STATUS = 130


class Focus(Enum):
    """The part of the screen that receives the keys."""

    PAGE = auto()
    PICKER = auto()
    TEXT_ANSWER = auto()
    """The input for a rejection reason or a reply."""
    APPROVAL = auto()
    """The armed approval prompt."""
    QUESTION = auto()
    """The armed question prompt, which receives all keys."""
    MENU = auto()
    DRAFT = auto()


class KeyActions:
    """The actions of all keys on one screen."""

    def __init__(self, controller: "ScreenController") -> None:
        self._controller = controller
        self.draft_input, self.approval_input = controller.draft_input, controller.approval_input
        self.list_input, self.completion = controller.list_input, controller.completion
        self.page_view, self.question_input = controller.page_view, controller.question_input
        self.task_view = controller.task_view
        self._exit_confirm_until_s = self._escape_debounce_until_s = float("-inf")

    @property
    def focus(self) -> Focus:
        """The topmost open part; the only place that decides it."""
        prompt = self._controller.approval_prompt
        for is_open, focus in (
            (prompt.is_entering_text, Focus.TEXT_ANSWER),
            (prompt.can_reject and self.question_input.current_question, Focus.QUESTION),
            (prompt.can_reject, Focus.APPROVAL),
            (self.page_view.pager, Focus.PAGE),
            (self.list_input.picker, Focus.PICKER),
            (self.completion.menu and not prompt.arming, Focus.MENU),
        ):
            if is_open:
                return focus
        return Focus.DRAFT

    @property
    def is_approval_open(self) -> bool:
        """Whether a prompt, armed or not, is on screen with nothing else on top."""
        is_topmost = self.focus in {Focus.APPROVAL, Focus.QUESTION, Focus.DRAFT}
        return is_topmost and self._controller.approval_prompt.arming is not None

    def on_enter(self, *, is_last: bool) -> None:
        """Handle Enter; `is_last`: nothing else was read after the key."""
        self._escape_debounce_until_s = float("-inf")  # an Esc after Enter is a new press
        match self.focus:
            case Focus.PICKER:
                self.list_input.accept()
            case Focus.TEXT_ANSWER:
                self.approval_input.submit_text_answer()
            case Focus.MENU:
                if self.completion.accept():
                    self.draft_input.submit()
            case Focus.APPROVAL if self.task_view.is_open:
                return  # the draft is not visible
            case Focus.APPROVAL | Focus.DRAFT:
                self.draft_input.submit()
            case Focus.QUESTION:
                self.question_input.confirm(is_last=is_last)
            case Focus.PAGE:
                if not self.task_view.start_message():
                    self.page_view.scroll(1)

    def cycle_mode(self) -> None:
        """Switch to the next mode, whatever has the focus."""
        self._controller.apply(mode_changes.cycle_mode(self._controller.state))

    def insert_newline(self) -> None:
        """Start another line of the draft."""
        if self.focus in {Focus.APPROVAL, Focus.MENU, Focus.DRAFT}:
            self._controller.windows.current_buffer.newline(copy_margin=False)

    def on_escape(self) -> None:
        """Close the topmost part; else stop the user command, else interrupt the turn."""
        if self._controller.now_s < self._escape_debounce_until_s:
            return
        self._escape_debounce_until_s = self._controller.now_s + ESCAPE_DEBOUNCE_S
        if not self._close_topmost():
            if self.is_approval_open:
                self.approval_input.defer()
            else:
                self._controller.interrupt()

    def on_ctrl_c(self) -> None:
        """Close what is open; else clear the draft; else interrupt; else exit on a second press."""
        state = self._controller.state
        is_running = state.user_command or (state.turn and not state.turn.is_interrupting)
        if self.focus is not Focus.MENU and self._close_topmost():
            return
        if self.is_approval_open:
            self.approval_input.defer()
        elif self._controller.windows.draft_buffer.text:
            self.draft_input.clear()
        elif is_running:
            self._controller.interrupt()
        else:
            self._exit_on_second_press()

    def on_ctrl_d(self) -> None:
        """Delete a character; on an empty line do the same as Ctrl-C."""
        buffer = self._controller.windows.current_buffer
        if buffer.text:
            buffer.delete()
        else:
            self.on_ctrl_c()

    def suspend(self) -> None:
        """Suspend the program until `fg`."""
        self._controller.suspend()

    def focus_approval(self) -> None:
        """Close what covers the approval, show deferred requests, and arm over the draft."""
        while self.focus in {Focus.PAGE, Focus.PICKER} and not self.task_view.is_open:
            self._close_topmost()
        self.approval_input.focus()

    def show_full_output(self) -> None:
        """Show outputs in full that were shown truncated."""
        page = full_output.create_full_output_page(self._controller.state.full_outputs)
        if page:
            self.page_view.open(page, at_end=True)
        else:
            self._controller.show_message(NO_FULL_OUTPUT)

    def on_paste(self, text: str) -> None:
        """Insert pasted text; a paste never answers a prompt."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        match self.focus:
            case Focus.PICKER | Focus.TEXT_ANSWER:
                self._controller.windows.side_buffer.insert_text(" ".join(text.split("\n")))
            case Focus.APPROVAL | Focus.QUESTION | Focus.MENU | Focus.DRAFT:
                self._controller.approval_prompt.on_draft_edit()
                self.draft_input.paste(text)
            case Focus.PAGE:
                return

    def on_acknowledged(self) -> None:
        """Handle the terminal's acknowledgment of a frame."""
        self._controller.on_acknowledged()

    def _close_topmost(self) -> bool:
        """Close the topmost part except a prompt; return whether there was one."""
        if self.task_view.is_confirming_stop:
            self.task_view.cancel_stop()
            return True
        match self.focus:
            case Focus.PAGE:
                self.page_view.close()
            case Focus.PICKER:
                self.list_input.close()
            case Focus.TEXT_ANSWER:
                self.approval_input.leave_text_answer()
            case Focus.MENU:
                self.completion.close()
            case Focus.APPROVAL | Focus.QUESTION | Focus.DRAFT:
                return False
        return True

    def _exit_on_second_press(self) -> None:
        controller = self._controller
        if controller.now_s < self._exit_confirm_until_s:
            controller.host.exit(INTERRUPTED_STATUS)
            return
        self._exit_confirm_until_s = controller.now_s + EXIT_CONFIRM_S
        controller.show_hint(EXIT_CONFIRM_HINT, EXIT_CONFIRM_S)
