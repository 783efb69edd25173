"""Key actions for the user question on screen."""

from prompt_toolkit.buffer import Buffer

from messages.user_questions import UserQuestion
from shell.repl.prompt_arming import PromptArming
from shell.repl.screen_state_port import StateOwner
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
        """Move the cursor to another choice; text is never pasted with arrow keys before it."""
        if self.current_question:
            self.selection = question_panel.move_cursor(self.selection, self.current_question, by)
            self._approval_prompt.undo_key()

    def choose_number(self, text: str, *, is_last: bool) -> bool:
        """Handle a key that is a choice's number; return whether it is one.

        Only an isolated key answers; in a burst, which may be a paste, it moves the cursor.
        """
        question = self.current_question
        is_number = text.isascii() and text.isdigit()
        if not (question and is_number and 0 < int(text) <= len(question.choices)):
            return False
        if question.allow_multiple or (is_last and self._approval_prompt.is_isolated_key):
            self._choose(question, int(text) - 1)
        else:
            self.selection = QuestionSelection(int(text) - 1)
        return True

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
        if text.strip() and self._approval_prompt.can_allow:
            self._reply(text)

    def decline(self) -> None:
        """Give no answer to the question on screen; those to others are kept."""
        if self.current_question and self._approval_prompt.can_reject:
            self._reply("")

    def _reply(self, text: str) -> None:
        if request := self._owner.state.approvals.current:
            self._side_buffer.reset()
            self._owner.apply(screen_state.reply_to_question(self._owner.state, request.id, text))

    def _choose(self, question: UserQuestion, index: int) -> None:
        if question.allow_multiple:
            self.selection = question_panel.toggle_choice(self.selection, index)
        else:
            self.submit_reply(question.choices[index].label)
