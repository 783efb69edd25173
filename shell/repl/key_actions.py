"""What the keys do: who has the focus decides, the parts do the rest."""

from enum import Enum, auto
from typing import TYPE_CHECKING

from shell.view import full_output, mode_changes

if TYPE_CHECKING:
    from shell.repl.screen_controller import ScreenController

EXIT_CONFIRM_S = 2.0
ESCAPE_DEBOUNCE_S = 0.25
"""Another Esc within this time is the second of a quick pair, and counts as one with the first."""
EXIT_CONFIRM_HINT = "press Ctrl-C or Ctrl-D once more to leave"
INTERRUPTED_STATUS = 130


class Focus(Enum):
    """Who takes the keys."""

    PAGE = auto()
    PICKER = auto()
    TEXT_ANSWER = auto()
    """Of a no."""
    APPROVAL = auto()
    """The approval on the screen."""
    QUESTION = auto()
    """The question on the screen, armed: it owns all keys."""
    MENU = auto()
    DRAFT = auto()


class KeyActions:
    """The person's hands on one screen."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.draft_input, self.approval_input = desk.draft_input, desk.approval_input
        self.list_input, self.completion = desk.list_input, desk.completion
        self.page_view, self.question_input = desk.page_view, desk.question_input
        self.task_view = desk.task_view
        self._leaves_until_s = self._escaped_until_s = float("-inf")

    @property
    def focus(self) -> Focus:
        """The topmost that is open; the one place that decides it."""
        desk = self._desk
        for holds, focus in (
            (desk.approval_prompt.is_entering_text, Focus.TEXT_ANSWER),
            (
                desk.approval_prompt.can_reject and desk.question_input.current_question,
                Focus.QUESTION,
            ),
            (desk.approval_prompt.can_reject, Focus.APPROVAL),
            (desk.page_view.pager, Focus.PAGE),
            (desk.list_input.picker, Focus.PICKER),
            (desk.completion.menu and not desk.approval_prompt.arming, Focus.MENU),
        ):
            if holds:
                return focus
        return Focus.DRAFT

    @property
    def is_approval_open(self) -> bool:
        """An approval is on the screen, armed or not, and nothing stands before it."""
        focus = self.focus in {Focus.APPROVAL, Focus.QUESTION, Focus.DRAFT}
        return focus and self._desk.approval_prompt.arming is not None

    def on_enter(self, *, is_last: bool) -> None:
        """Do what Enter means where the focus is; `last`: nothing else was read behind it."""
        self._escaped_until_s = float("-inf")  # an Esc behind it is none of a pair before it
        match self.focus:
            case Focus.PICKER:
                self.list_input.accept()
            case Focus.TEXT_ANSWER:
                self.approval_input.submit_text_answer()
            case Focus.MENU:
                if self.completion.accept():
                    self.draft_input.submit()
            case Focus.APPROVAL if self.task_view.is_open:
                return  # the draft is not on the screen
            case Focus.APPROVAL | Focus.DRAFT:
                self.draft_input.submit()
            case Focus.QUESTION:
                self.question_input.confirm(is_last=is_last)
            case Focus.PAGE:
                if not self.task_view.start_message():
                    self.page_view.scroll(1)

    def cycle_mode(self) -> None:
        """Work in the next mode, whatever is being asked or typed."""
        self._desk.apply(mode_changes.cycle_mode(self._desk.state))

    def insert_newline(self) -> None:
        """Begin another line of the draft."""
        if self.focus in {Focus.APPROVAL, Focus.MENU, Focus.DRAFT}:
            self._desk.app.current_buffer.newline(copy_margin=False)

    def on_escape(self) -> None:
        """Leave the topmost; else stop the person's own command, else the turn."""
        if self._desk.now_s < self._escaped_until_s:
            return
        self._escaped_until_s = self._desk.now_s + ESCAPE_DEBOUNCE_S
        if not self._closed():
            if self.is_approval_open:
                self.approval_input.defer()
            else:
                self._desk.interrupt()

    def on_ctrl_c(self) -> None:
        """Close what is open; else clear; else stop what runs; else ask for a second press."""
        state_now = self._desk.state
        running = state_now.user_command or (state_now.turn and not state_now.turn.is_interrupting)
        if self.focus is not Focus.MENU and self._closed():
            return
        if self.is_approval_open:
            self.approval_input.defer()
        elif self._desk.windows.draft_buffer.text:
            self.draft_input.clear()
        elif running:
            self._desk.interrupt()
        else:
            self._leave_on_second_press()

    def on_ctrl_d(self) -> None:
        """Delete a character; on an empty line do as Ctrl-C."""
        buffer = self._desk.app.current_buffer
        if buffer.text:
            buffer.delete()
        else:
            self.on_ctrl_c()

    def suspend(self) -> None:
        """Stop the program until `fg`."""
        self._desk.host.suspend()

    def focus_approval(self) -> None:
        """Leave what stands before the approval, bring it back, answer over the draft."""
        while self.focus in {Focus.PAGE, Focus.PICKER} and not self.task_view.is_open:
            self._closed()
        self.approval_input.focus()

    def show_full_output(self) -> None:
        """Show all of what was shown shortened."""
        page = full_output.create_full_output_page(self._desk.state.full_outputs)
        if page:
            self.page_view.open(page, at_end=True)
        else:
            self._desk.show_message("there are no details yet")

    def on_paste(self, text: str) -> None:
        """Insert pasted text; a paste never answers, not even with what comes behind it."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        match self.focus:
            case Focus.PICKER | Focus.TEXT_ANSWER:
                self._desk.windows.side_buffer.insert_text(" ".join(text.split("\n")))
            case Focus.APPROVAL | Focus.QUESTION | Focus.MENU | Focus.DRAFT:
                self._desk.approval_prompt.on_draft_edit()
                self.draft_input.paste(text)
            case Focus.PAGE:
                return

    def on_acknowledged(self) -> None:
        """The terminal has shown what was drawn."""
        self._desk.on_acknowledged()

    def _closed(self) -> bool:
        """Close the topmost of what is open beside the approval; whether there was any."""
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

    def _leave_on_second_press(self) -> None:
        desk = self._desk
        if desk.now_s < self._leaves_until_s:
            desk.host.exit(INTERRUPTED_STATUS)
            return
        self._leaves_until_s = desk.now_s + EXIT_CONFIRM_S
        desk.show_hint(EXIT_CONFIRM_HINT, EXIT_CONFIRM_S)
