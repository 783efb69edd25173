"""Which part of the screen receives the keys."""

from enum import Enum, auto

from shell.repl.completion import Completion
from shell.repl.list_input import ListInput
from shell.repl.page_view import PageView
from shell.repl.prompt_arming import PromptArming
from shell.repl.question_input import QuestionInput


class Focus(Enum):
    """The part of the screen that receives the keys."""

    PAGE = auto()
    PICKER = auto()
    TEXT_ANSWER = auto()
    """The input for a rejection reason or a reply."""
    APPROVAL = auto()
    """The armed approval prompt."""
    QUESTION = auto()
    """The armed question prompt, which receives all keys."""
    MENU = auto()
    DRAFT = auto()


class KeyFocus:
    """The only place that decides which part has the focus."""

    def __init__(
        self,
        approval_prompt: PromptArming,
        question_input: QuestionInput,
        page_view: PageView,
        list_input: ListInput,
        completion: Completion,
    ) -> None:
        self._approval_prompt, self._question_input = approval_prompt, question_input
        self._page_view, self._list_input, self._completion = page_view, list_input, completion

    @property
    def current(self) -> Focus:
        """The topmost open part."""
        prompt = self._approval_prompt
        for is_open, focus in (
            (prompt.is_entering_text, Focus.TEXT_ANSWER),
            (prompt.can_reject and self._question_input.current_question, Focus.QUESTION),
            (prompt.can_reject, Focus.APPROVAL),
            (self._page_view.pager, Focus.PAGE),
            (self._list_input.picker, Focus.PICKER),
            (self._completion.menu and not prompt.arming, Focus.MENU),
        ):
            if is_open:
                return focus
        return Focus.DRAFT

    @property
    def is_approval_open(self) -> bool:
        """Whether a prompt, armed or not, is on screen with nothing else on top."""
        is_topmost = self.current in {Focus.APPROVAL, Focus.QUESTION, Focus.DRAFT}
        return is_topmost and self._approval_prompt.arming is not None
