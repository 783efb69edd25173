"""What keys do to the approval on the screen."""

from typing import TYPE_CHECKING

from shell.view import state
from shell.view.approval import KEYS, WIDER_KEYS

if TYPE_CHECKING:
    from messages.approvals import ApprovalDecision
    from shell.repl.desk import ScreenController


class Answering:
    """The person's answers to one request at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self._left: tuple[str, str] = ("", "")
        """What was asked when words for it were begun and left, and these."""

    def answer(self, text: str, *, last: bool) -> None:
        """Take a key while the approval is armed: an answer, or else the draft begins.

        `last`: nothing else was read behind it.
        """
        choice = KEYS.get(text)
        shown = self._desk.state.requests.shown
        alone = last and self._desk.dialog.key_is_alone
        if not shown or not alone or choice is None:
            self._write(text)
        elif text in WIDER_KEYS and not shown.broader_grants:
            return
        elif choice in shown.available_decisions and (
            choice == "no" or self._desk.dialog.may_allow
        ):
            self._decide(choice, wider=text in WIDER_KEYS)

    def begin_words(self) -> None:
        """Ask for the reason of a no, or for a reply in words."""
        shown = self._desk.state.requests.shown
        if shown and (self._desk.replying.asked or "no" in shown.available_decisions):
            self._desk.dialog.reasoning = True
            self._desk.view.focus_side()
            asked, words = self._left
            if asked == self._desk.state.requests.prompt_id:
                self._desk.view.side.insert_text(words)
            self._desk.refresh()

    def give_reason(self) -> None:
        """Say no, with the reason that was written; or reply in those words to a question."""
        if self._desk.replying.asked:
            self._desk.replying.reply(self._desk.view.side.text)
        else:
            self.refuse(self._desk.view.side.text)

    def refuse(self, reason: str = "") -> None:
        """Say no."""
        self._decide("no", reason)

    def back(self) -> None:
        """Leave the reason; it is there again for who comes back to it."""
        self._left = (self._desk.state.requests.prompt_id, self._desk.view.side.text)
        self._desk.view.side.reset()
        self._desk.dialog.reasoning = False
        self._desk.dialog.drafted()
        self._desk.refocus()
        self._desk.refresh()

    def put_off(self) -> None:
        """Leave what waits for later."""
        self._desk.step((state.put_off(self._desk.state), ()))

    def summon(self) -> None:
        """Bring back what was put off, and answer over the draft."""
        if not self._desk.dialog.arming:
            self._desk.step((state.recalled(self._desk.state), ()))
        self._desk.dialog.summoned()
        self._desk.refresh()

    def scroll(self, rows: int) -> None:
        """Move the command or diff."""
        self._desk.view.scroll(rows)

    def page(self, pages: int) -> None:
        """Move it by a screen."""
        self._desk.view.page(pages)

    def _write(self, text: str) -> None:
        if text.isprintable() or len(text) > 1:
            self._desk.app.current_buffer.insert_text(text)

    def _decide(
        self, choice: "ApprovalDecision", feedback: str = "", *, wider: bool = False
    ) -> None:
        if shown := self._desk.state.requests.shown:
            done = state.answered(self._desk.state, shown.id, choice, feedback, wider=wider)
            self._desk.view.side.reset()
            self._desk.step(done)
