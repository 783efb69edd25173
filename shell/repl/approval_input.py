"""Key actions for the approval request on screen."""

from collections.abc import Callable

from messages.approvals import ApprovalDecision
from shell.repl.prompt_arming import PromptArming
from shell.repl.question_input import QuestionInput
from shell.repl.screen_windows import ScreenWindows
from shell.repl.state_owner import StateOwner
from shell.view import screen_state
from shell.view.approval_panel import BROADER_GRANT_KEYS, DECISION_KEYS


class ApprovalInput:
    """Turns keys into the user's decisions, one request at a time."""

    def __init__(
        self,
        owner: StateOwner,
        approval_prompt: PromptArming,
        question_input: QuestionInput,
        windows: ScreenWindows,
        on_change: Callable[[], None],
    ) -> None:
        """`on_change` is called when a redraw is needed."""
        self._owner, self._windows, self._on_change = owner, windows, on_change
        self._approval_prompt, self._question_input = approval_prompt, question_input
        self._saved_answer: tuple[str, str] = ("", "")
        """Prompt id and text of the last text answer that the user left without submitting."""

    def on_key(self, text: str, *, is_last: bool) -> None:
        """Handle a key while the approval is armed: decide, or else start a draft.

        `is_last`: nothing else was read after the key.
        """
        decision = DECISION_KEYS.get(text)
        request = self._owner.state.approvals.current
        is_isolated = is_last and self._approval_prompt.is_isolated_key
        if not request or not is_isolated or decision is None:
            self._insert(text)
        elif text in self._approval_prompt.hidden_keys or (
            text in BROADER_GRANT_KEYS and not request.broader_grants
        ):
            return
        elif decision in request.available_decisions and (
            decision == "no" or self._approval_prompt.can_allow
        ):
            self._decide(decision, use_broader_grants=text in BROADER_GRANT_KEYS)

    def start_text_answer(self) -> None:
        """Open the input for a rejection reason or a reply in the user's own words."""
        request = self._owner.state.approvals.current
        if request and (
            self._question_input.current_question or "no" in request.available_decisions
        ):
            self._approval_prompt.is_entering_text = True
            self._windows.start_side_input()
            prompt_id, text = self._saved_answer
            if prompt_id == self._owner.state.approvals.prompt_id:
                self._windows.side_buffer.insert_text(text)
            self._on_change()

    def submit_text_answer(self) -> None:
        """Deny with the typed reason, or answer a question with the typed reply."""
        text = self._windows.side_buffer.text
        if self._question_input.current_question:
            self._question_input.submit_reply(text)
        else:
            self._decide("no", text)

    def leave_text_answer(self) -> None:
        """Close the text input; its text is restored when the user comes back to it."""
        prompt_id, side_buffer = self._owner.state.approvals.prompt_id, self._windows.side_buffer
        self._saved_answer = (prompt_id, side_buffer.text)
        side_buffer.reset()
        self._approval_prompt.is_entering_text = False
        self._approval_prompt.on_draft_edit()
        self._windows.restore_focus()
        self._on_change()

    def defer(self) -> None:
        """Defer all waiting requests."""
        self._owner.apply((screen_state.defer_approvals(self._owner.state), ()))

    def focus(self) -> None:
        """Show deferred requests again, and arm the prompt even over a draft."""
        state = self._owner.state
        if not self._approval_prompt.arming:
            self._owner.apply((screen_state.restore_deferred_approvals(state), ()))
        self._approval_prompt.focus()
        self._on_change()

    def disarm(self) -> None:
        """Take no key as an answer until the prompt arms again."""
        self._approval_prompt.on_draft_edit()

    def _insert(self, text: str) -> None:
        if text.isprintable() or len(text) > 1:
            self._windows.current_buffer.insert_text(text)

    def _decide(
        self, decision: ApprovalDecision, feedback: str = "", *, use_broader_grants: bool = False
    ) -> None:
        if request := self._owner.state.approvals.current:
            update = screen_state.decide_approval(
                self._owner.state,
                request.id,
                decision,
                feedback,
                use_broader_grants=use_broader_grants,
            )
            self._windows.side_buffer.reset()
            self._owner.apply(update)
