"""Key actions for the user question on screen."""

from prompt_toolkit.buffer import Buffer

from messages.user_questions import UserQuestion
from shell.repl.prompt_arming import PromptArming
from shell.repl.state_owner import StateOwner
from shell.view import question_panel, screen_state
from shell.view.question_panel import QuestionSelection


class QuestionInput:
    """Turns keys into the user's answers, one question at a time."""

    def __init__(
        self, owner: StateOwner, approval_prompt: PromptArming, side_buffer: Buffer
    ) -> None:
        """`side_buffer` is where the user types a reply."""
        self._owner, self._approval_prompt = owner, approval_prompt
        self._side_buffer = side_buffer
        self.selection = QuestionSelection()

    @property
    def current_question(self) -> UserQuestion | None:
        """The question on screen; None: there is no request, or one of another kind."""
        return self._owner.state.approvals.current_question

    def reset(self) -> None:
        """Clear the selection, because another question is shown."""
        self.selection = QuestionSelection()

    def move(self, by: int) -> None:
        """Move the cursor to another choice."""
        if self.current_question:
            self.selection = question_panel.move_cursor(self.selection, self.current_question, by)

    def on_key(self, text: str, *, is_last: bool) -> None:
        """Handle an isolated key: a choice's number, or `n` for no answer; ignore other keys."""
        question = self.current_question
        if not (question and is_last and self._approval_prompt.is_isolated_key):
            return
        if text == "n":
            self._refuse()
        elif text.isascii() and text.isdigit() and 0 < int(text) <= len(question.choices):
            self._choose(question, int(text) - 1)

    def toggle(self) -> None:
        """Toggle the choice under the cursor, if several may be chosen."""
        question = self.current_question
        if question and question.allow_multiple and question.choices:
            self._choose(question, self.selection.cursor)

    def confirm(self, *, is_last: bool) -> None:
        """Answer with the selection; a paste never answers."""
        question = self.current_question
        if question and is_last and self._approval_prompt.is_isolated_key:
            self.submit_reply(question_panel.build_reply(question, self.selection))

    def submit_reply(self, text: str) -> None:
        """Answer the question on screen, provided that its end was visible."""
        request = self._owner.state.approvals.current
        if request and text.strip() and self._approval_prompt.can_allow:
            self._side_buffer.reset()
            self._owner.apply(screen_state.reply_to_question(self._owner.state, request.id, text))

    def _refuse(self) -> None:
        """Give no answer."""
        if request := self._owner.state.approvals.current:
            self._side_buffer.reset()
            self._owner.apply(screen_state.decide_approval(self._owner.state, request.id, "no"))

    def _choose(self, question: UserQuestion, index: int) -> None:
        if question.allow_multiple:
            self.selection = question_panel.toggle_choice(self.selection, index)
        else:
            self.submit_reply(question.choices[index].label)
