"""What keys do to the question on the screen."""

from typing import TYPE_CHECKING

from messages.approvals import QuestionRequest
from shell.view import question_panel, screen_state
from shell.view.question_panel import QuestionSelection

if TYPE_CHECKING:
    from messages.user_questions import UserQuestion
    from shell.repl.screen_controller import ScreenController


class QuestionInput:
    """The person's replies, one question at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.selection = QuestionSelection()

    @property
    def current_question(self) -> "UserQuestion | None":
        """The question on the screen; None: it is none, or a request of another kind."""
        requests = self._desk.state.approvals
        shown = requests.current
        return (
            shown.questions[len(requests.given_replies)]
            if isinstance(shown, QuestionRequest)
            else None
        )

    def reset(self) -> None:
        """Forget what was chosen: another question is shown."""
        self.selection = QuestionSelection()

    def move(self, by: int) -> None:
        """Put the cursor on another choice."""
        if self.current_question:
            self.selection = question_panel.move_cursor(self.selection, self.current_question, by)

    def on_key(self, text: str, *, is_last: bool) -> None:
        """Take a key by itself: a number, or no answer at all; nothing else means anything."""
        asked = self.current_question
        if not (asked and is_last and self._desk.approval_prompt.is_isolated_key):
            return
        if text == "n":
            self._desk.approval_input.reject()
        elif text.isascii() and text.isdigit() and 0 < int(text) <= len(asked.choices):
            self._take(asked, int(text) - 1)

    def toggle(self) -> None:
        """Tick what the cursor is on, where several may be chosen."""
        asked = self.current_question
        if asked and asked.allow_multiple and asked.choices:
            self._take(asked, self.selection.cursor)

    def confirm(self, *, is_last: bool) -> None:
        """Reply with what is chosen; a paste never does."""
        asked = self.current_question
        if asked and is_last and self._desk.approval_prompt.is_isolated_key:
            self.submit_reply(question_panel.build_reply(asked, self.selection))

    def submit_reply(self, text: str) -> None:
        """Reply to the question on the screen, once its end was seen."""
        shown = self._desk.state.approvals.current
        if shown and text.strip() and self._desk.approval_prompt.can_allow:
            self._desk.windows.side_buffer.reset()
            self._desk.apply(screen_state.reply_to_question(self._desk.state, shown.id, text))

    def _take(self, asked: "UserQuestion", number: int) -> None:
        if asked.allow_multiple:
            self.selection = question_panel.toggle_choice(self.selection, number)
        else:
            self.submit_reply(asked.choices[number].label)
