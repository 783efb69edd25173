"""What keys do to the question on the screen."""

from typing import TYPE_CHECKING

from messages.approvals import QuestionRequest
from shell.view import question, state
from shell.view.question import Selection

if TYPE_CHECKING:
    from messages.questions import UserQuestion
    from shell.repl.desk import ScreenController


class Replying:
    """The person's replies, one question at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self.selection = Selection()

    @property
    def asked(self) -> "UserQuestion | None":
        """The question on the screen; None: it is none, or a request of another kind."""
        requests = self._desk.state.requests
        shown = requests.shown
        return (
            shown.questions[len(requests.replied)] if isinstance(shown, QuestionRequest) else None
        )

    def begin(self) -> None:
        """Forget what was chosen: another question is shown."""
        self.selection = Selection()

    def move(self, by: int) -> None:
        """Put the cursor on another choice."""
        if self.asked:
            self.selection = question.moved(self.selection, self.asked, by)

    def press(self, text: str, *, last: bool) -> None:
        """Take a key by itself: a number, or no answer at all; nothing else means anything."""
        asked = self.asked
        if not (asked and last and self._desk.dialog.key_is_alone):
            return
        if text == "n":
            self._desk.answering.refuse()
        elif text.isascii() and text.isdigit() and 0 < int(text) <= len(asked.choices):
            self._take(asked, int(text) - 1)

    def tick(self) -> None:
        """Tick what the cursor is on, where several may be chosen."""
        asked = self.asked
        if asked and asked.multiple and asked.choices:
            self._take(asked, self.selection.chosen)

    def confirm(self, *, last: bool) -> None:
        """Reply with what is chosen; a paste never does."""
        asked = self.asked
        if asked and last and self._desk.dialog.key_is_alone:
            self.reply(question.reply_of(asked, self.selection))

    def reply(self, text: str) -> None:
        """Reply to the question on the screen, once its end was seen."""
        shown = self._desk.state.requests.shown
        if shown and text.strip() and self._desk.dialog.may_allow:
            self._desk.view.side.reset()
            self._desk.step(state.replied(self._desk.state, shown.id, text))

    def _take(self, asked: "UserQuestion", number: int) -> None:
        if asked.multiple:
            self.selection = question.toggled(self.selection, number)
        else:
            self.reply(asked.choices[number].label)
