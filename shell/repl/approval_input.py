"""Key actions for the approval request on screen."""

from typing import TYPE_CHECKING

from shell.view import screen_state
from shell.view.approval_panel import BROADER_GRANT_KEYS, DECISION_KEYS

if TYPE_CHECKING:
    from messages.approvals import ApprovalDecision
    from shell.repl.screen_controller import ScreenController


class ApprovalInput:
    """Turns keys into the user's decisions, one request at a time."""

    def __init__(self, controller: "ScreenController") -> None:
        self._controller = controller
        self._saved_answer: tuple[str, str] = ("", "")
        """Prompt id and text of the last text answer that the user left without submitting."""

    def on_key(self, text: str, *, is_last: bool) -> None:
        """Handle a key while the approval is armed: decide, or else start a draft.

        `is_last`: nothing else was read after the key.
        """
        decision = DECISION_KEYS.get(text)
        request = self._controller.state.approvals.current
        is_isolated = is_last and self._controller.approval_prompt.is_isolated_key
        if not request or not is_isolated or decision is None:
            self._insert(text)
        elif text in BROADER_GRANT_KEYS and not request.broader_grants:
            return
        elif decision in request.available_decisions and (
            decision == "no" or self._controller.approval_prompt.can_allow
        ):
            self._decide(decision, use_broader_grants=text in BROADER_GRANT_KEYS)

    def start_text_answer(self) -> None:
        """Open the input for a rejection reason or a reply in the user's own words."""
        request = self._controller.state.approvals.current
        if request and (
            self._controller.question_input.current_question or "no" in request.available_decisions
        ):
            self._controller.approval_prompt.is_entering_text = True
            self._controller.windows.start_side_input()
            prompt_id, text = self._saved_answer
            if prompt_id == self._controller.state.approvals.prompt_id:
                self._controller.windows.side_buffer.insert_text(text)
            self._controller.refresh()

    def submit_text_answer(self) -> None:
        """Deny with the typed reason, or answer a question with the typed reply."""
        text = self._controller.windows.side_buffer.text
        if self._controller.question_input.current_question:
            self._controller.question_input.submit_reply(text)
        else:
            self.reject(text)

    def reject(self, reason: str = "") -> None:
        """Deny the request."""
        self._decide("no", reason)

    def leave_text_answer(self) -> None:
        """Close the text input; its text is restored when the user comes back to it."""
        controller = self._controller
        self._saved_answer = (
            controller.state.approvals.prompt_id,
            controller.windows.side_buffer.text,
        )
        controller.windows.side_buffer.reset()
        controller.approval_prompt.is_entering_text = False
        controller.approval_prompt.on_draft_edit()
        controller.windows.restore_focus()
        controller.refresh()

    def defer(self) -> None:
        """Defer all waiting requests."""
        self._controller.apply((screen_state.defer_approvals(self._controller.state), ()))

    def focus(self) -> None:
        """Show deferred requests again, and arm the prompt even over a draft."""
        state = self._controller.state
        if not self._controller.approval_prompt.arming:
            self._controller.apply((screen_state.restore_deferred_approvals(state), ()))
        self._controller.approval_prompt.focus()
        self._controller.refresh()

    def scroll(self, rows: int) -> None:
        """Scroll the command or diff by rows."""
        self._controller.windows.scroll(rows)

    def scroll_pages(self, pages: int) -> None:
        """Scroll the command or diff by pages."""
        self._controller.windows.scroll_pages(pages)

    def _insert(self, text: str) -> None:
        if text.isprintable() or len(text) > 1:
            self._controller.windows.current_buffer.insert_text(text)

    def _decide(
        self, decision: "ApprovalDecision", feedback: str = "", *, use_broader_grants: bool = False
    ) -> None:
        if request := self._controller.state.approvals.current:
            update = screen_state.decide_approval(
                self._controller.state,
                request.id,
                decision,
                feedback,
                use_broader_grants=use_broader_grants,
            )
            self._controller.windows.side_buffer.reset()
            self._controller.apply(update)
