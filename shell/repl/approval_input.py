"""What keys do to the approval on the screen."""

from typing import TYPE_CHECKING

from shell.view import screen_state
from shell.view.approval_panel import BROADER_GRANT_KEYS, DECISION_KEYS

if TYPE_CHECKING:
    from messages.approvals import ApprovalDecision
    from shell.repl.screen_controller import ScreenController


class ApprovalInput:
    """The person's answers to one request at a time."""

    def __init__(self, desk: "ScreenController") -> None:
        self._desk = desk
        self._left: tuple[str, str] = ("", "")
        """What was asked when words for it were begun and left, and these."""

    def on_key(self, text: str, *, is_last: bool) -> None:
        """Take a key while the approval is armed: an answer, or else the draft begins.

        `last`: nothing else was read behind it.
        """
        choice = DECISION_KEYS.get(text)
        shown = self._desk.state.approvals.current
        alone = is_last and self._desk.approval_prompt.is_isolated_key
        if not shown or not alone or choice is None:
            self._write(text)
        elif text in BROADER_GRANT_KEYS and not shown.broader_grants:
            return
        elif choice in shown.available_decisions and (
            choice == "no" or self._desk.approval_prompt.can_allow
        ):
            self._decide(choice, wider=text in BROADER_GRANT_KEYS)

    def start_text_answer(self) -> None:
        """Ask for the reason of a no, or for a reply in words."""
        shown = self._desk.state.approvals.current
        if shown and (
            self._desk.question_input.current_question or "no" in shown.available_decisions
        ):
            self._desk.approval_prompt.is_entering_text = True
            self._desk.windows.start_side_input()
            asked, words = self._left
            if asked == self._desk.state.approvals.prompt_id:
                self._desk.windows.side_buffer.insert_text(words)
            self._desk.refresh()

    def submit_text_answer(self) -> None:
        """Say no, with the reason that was written; or reply in those words to a question."""
        if self._desk.question_input.current_question:
            self._desk.question_input.submit_reply(self._desk.windows.side_buffer.text)
        else:
            self.reject(self._desk.windows.side_buffer.text)

    def reject(self, reason: str = "") -> None:
        """Say no."""
        self._decide("no", reason)

    def leave_text_answer(self) -> None:
        """Leave the reason; it is there again for who comes back to it."""
        self._left = (self._desk.state.approvals.prompt_id, self._desk.windows.side_buffer.text)
        self._desk.windows.side_buffer.reset()
        self._desk.approval_prompt.is_entering_text = False
        self._desk.approval_prompt.on_draft_edit()
        self._desk.restore_focus()
        self._desk.refresh()

    def defer(self) -> None:
        """Leave what waits for later."""
        self._desk.apply((screen_state.defer_approvals(self._desk.state), ()))

    def focus(self) -> None:
        """Bring back what was put off, and answer over the draft."""
        if not self._desk.approval_prompt.arming:
            self._desk.apply((screen_state.restore_deferred_approvals(self._desk.state), ()))
        self._desk.approval_prompt.focus()
        self._desk.refresh()

    def scroll(self, rows: int) -> None:
        """Move the command or diff."""
        self._desk.windows.scroll(rows)

    def scroll_pages(self, pages: int) -> None:
        """Move it by a screen."""
        self._desk.windows.scroll_pages(pages)

    def _write(self, text: str) -> None:
        if text.isprintable() or len(text) > 1:
            self._desk.app.current_buffer.insert_text(text)

    def _decide(
        self, choice: "ApprovalDecision", feedback: str = "", *, wider: bool = False
    ) -> None:
        if shown := self._desk.state.approvals.current:
            done = screen_state.decide_approval(
                self._desk.state, shown.id, choice, feedback, use_broader_grants=wider
            )
            self._desk.windows.side_buffer.reset()
            self._desk.apply(done)
