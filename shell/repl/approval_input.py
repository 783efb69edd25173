"""Key actions for the approval request on screen."""

from collections.abc import Callable

from messages.approvals import ApprovalDecision
from shell.repl.prompt_arming import PromptArming
from shell.repl.question_input import QuestionInput
from shell.repl.screen_state_port import StateOwner
from shell.repl.screen_windows import ScreenWindows
from shell.view import mode_changes, screen_state
from shell.view.approval_answers import ANSWERS, Answer, AnswerList, find_answer, list_answers
from shell.view.question_panel import QuestionSelection


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
        self._is_text_requested = False
        """As in `start_text_answer`, of the open input."""

    def on_key(self, text: str, *, is_last: bool) -> None:
        """Handle a key while the approval is armed: decide, or else start a draft.

        `is_last`: nothing else was read after the key.
        """
        is_isolated = is_last and self._approval_prompt.is_isolated_key
        if not is_isolated or find_answer(ANSWERS, text) is None:
            self._insert(text)
        else:
            self._give(find_answer(self._list_answers(), text))

    def confirm(self, *, is_last: bool) -> None:
        """Give the answer under the cursor; a paste never answers."""
        if is_last and self._approval_prompt.is_isolated_key:
            cursor = self._question_input.selection.cursor
            self._give(AnswerList(self._list_answers(), cursor).selected)

    def move(self, by: int) -> None:
        """Move the cursor to another answer; the list wraps around."""
        count = max(len(self._list_answers()), 1)
        cursor = (self._question_input.selection.cursor + by) % count
        self._question_input.selection = QuestionSelection(cursor)

    def is_early_answer(self, text: str) -> bool:
        """Return whether a key would answer the prompt on screen, which is not armed yet.

        Such a key is not the start of a draft, which would then keep the prompt from arming.
        """
        prompt = self._approval_prompt
        is_waiting = prompt.arming is not None and not prompt.can_reject
        return (
            is_waiting
            and not self._windows.draft_buffer.text
            and prompt.is_isolated_key
            and find_answer(self._list_answers(), text) is not None
        )

    def on_question_key(self, text: str, *, is_last: bool) -> None:
        """Handle a key while a question is armed: choose by number, or start a reply."""
        is_choice = self._question_input.choose_number(text, is_last=is_last)
        if not is_choice and text.isprintable():
            self.start_text_answer(is_requested=False)
            self._windows.side_buffer.insert_text(text)

    def open_free_text(self) -> None:
        """Open the input if the question has no choices; not again after the user has left it."""
        question = self._question_input.current_question
        was_left = self._saved_answer[0] == self._owner.state.approvals.prompt_id
        is_open = self._approval_prompt.is_entering_text
        if question and not question.choices and not was_left and not is_open:
            self.start_text_answer(is_requested=False)

    def start_text_answer(self, *, is_requested: bool = True) -> None:
        """Open the input for a rejection reason or a reply in the user's own words.

        `is_requested`: the user pressed the key for it, so what follows is meant for it.
        """
        request = self._owner.state.approvals.current
        if request and (
            self._question_input.current_question or "no" in request.available_decisions
        ):
            self._approval_prompt.is_entering_text = True
            self._is_text_requested = is_requested
            self._windows.start_side_input()
            prompt_id, text = self._saved_answer
            if prompt_id == self._owner.state.approvals.prompt_id:
                self._windows.side_buffer.insert_text(text)
            self._on_change()

    def submit_text_answer(self, *, is_last: bool) -> None:
        """Deny with the typed reason, or answer a question with the typed reply.

        A paste does not answer a question in an input that the user did not ask for.
        """
        text = self._windows.side_buffer.text
        is_isolated = is_last and self._approval_prompt.is_isolated_key
        if self._question_input.current_question:
            if self._is_text_requested or is_isolated:
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

    def _list_answers(self) -> tuple[Answer, ...]:
        """List the answers that the last frame showed."""
        state = self._owner.state
        if not state.approvals.current:
            return ()
        return list_answers(
            state.approvals.current,
            can_accept_edits=mode_changes.can_accept_edits(state),
            hidden_keys=self._approval_prompt.hidden_keys,
        )

    def _give(self, answer: Answer | None) -> None:
        """Decide the request on screen; allowing needs that its end was visible."""
        if answer is None or (answer.decision != "no" and not self._approval_prompt.can_allow):
            return
        self._decide(answer.decision, use_broader_grants=answer.is_broader)
        if answer.accepts_edits:
            self._owner.apply(mode_changes.choose_mode_by_name(self._owner.state, "auto-edit"))

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
