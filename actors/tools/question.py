"""The `question` tool: asks the user, whose answers are the call's result."""

from pydantic import AliasChoices, Field

from actors.tools import tool_list
from actors.tools.target_paths import escape_control_characters
from actors.tools.tool import Arguments, Tool, ToolContext, ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, ToolOutput
from messages.user_questions import Choice, UserQuestion

MAX_QUESTIONS = 4
MAX_CHOICES = 8
MAX_QUESTION_CHARS = 2_000
MAX_LABEL_CHARS = 200
MAX_HEADER_CHARS = 20

DESCRIPTION = f"""\
Ask the user when you need their decision to continue. Ask at most {MAX_QUESTIONS} \
questions at once, each with up to {MAX_CHOICES} choices; the user can always answer in their own \
words, or decline to answer. Put the choice you recommend first.
Do not ask what you can find out yourself, and do not ask for permission to run a tool: the user \
is asked for approval automatically."""


class ChoiceItem(Arguments):
    """One choice that the user is offered."""

    label: str = Field(
        min_length=1, max_length=MAX_LABEL_CHARS, description="The choice, in one to six words."
    )
    description: str = Field(
        default="", max_length=MAX_QUESTION_CHARS, description="What choosing it would mean."
    )


class QuestionItem(Arguments):
    """One question."""

    question: str = Field(
        min_length=1,
        max_length=MAX_QUESTION_CHARS,
        description=f"The question, at most {MAX_QUESTION_CHARS:,} characters.",
    )
    header: str = Field(
        default="",
        max_length=MAX_HEADER_CHARS,
        description=f"A label of one or two words, at most {MAX_HEADER_CHARS} characters.",
    )
    choices: list[ChoiceItem] = Field(
        validation_alias=AliasChoices("choices", "options"),
        default_factory=list[ChoiceItem],
        max_length=MAX_CHOICES,
        description="The choices to offer; without any, the user answers in their own words.",
    )
    multiple: bool = Field(
        validation_alias=AliasChoices("multiple", "multiSelect"),
        default=False,
        description="Whether the user may select more than one choice.",
    )


class QuestionArguments(Arguments):
    """What the model sends."""

    questions: list[QuestionItem] = Field(
        min_length=1, max_length=MAX_QUESTIONS, description="The questions, in order."
    )


async def plan(arguments: QuestionArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (every plan has this signature)
    """Plan the questions to ask."""
    questions = tuple(_make_question(item) for item in arguments.questions)
    request = PermissionRequest(permission="question", target="*")
    title = f"question {escape_control_characters(questions[0].header or questions[0].text)}"
    full_text = "\n\n".join(question.text for question in questions)
    return CallPlan(title=title, full_text=full_text, requests=(request,), questions=questions)


async def run(arguments: QuestionArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (every run has this signature)
    """Fail: the user's answers are the result, so a call gets here only if the user was not asked.

    Raises:
        ToolError: always.
    """
    message = "the user was not asked; decide yourself, and say in your reply what you decided"
    raise ToolError(message)


def _make_question(item: QuestionItem) -> UserQuestion:
    if not item.question.strip() or any(not choice.label.strip() for choice in item.choices):
        message = "a question or a choice is blank"
        raise ToolError(message)
    return UserQuestion(
        text=item.question,
        header=item.header,
        choices=tuple(
            Choice(label=choice.label, description=choice.description) for choice in item.choices
        ),
        allow_multiple=item.multiple,
    )


QUESTION = Tool(
    tool_list.QUESTION,
    description=DESCRIPTION,
    arguments=QuestionArguments,
    plan=plan,
    run=run,
)
