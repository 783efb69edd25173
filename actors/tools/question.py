"""The tool `question`: ask the person, and read what they reply."""

from pydantic import Field

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
Ask the user when the work cannot go on well without their decision: at most {MAX_QUESTIONS} \
questions at once, each with up to {MAX_CHOICES} choices; they can always reply in words of their \
own. Put the choice that you would take first. Do not ask what you can find out, nor whether you \
may run a tool: that is asked by itself. They may decline to answer."""


class ChoiceItem(Arguments):
    """One answer that is offered."""

    label: str = Field(min_length=1, max_length=MAX_LABEL_CHARS, description="One to six words.")
    description: str = Field(
        default="", max_length=MAX_QUESTION_CHARS, description="What it would mean."
    )


class QuestionItem(Arguments):
    """One question."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS)
    header: str = Field(
        default="", max_length=MAX_HEADER_CHARS, description="A word or two for a narrow place."
    )
    choices: list[ChoiceItem] = Field(
        default_factory=list[ChoiceItem],
        max_length=MAX_CHOICES,
        description="None: the user replies in their own words.",
    )
    multiple: bool = Field(default=False, description="Whether several choices may be taken.")


class QuestionArguments(Arguments):
    """What the model sends."""

    questions: list[QuestionItem] = Field(min_length=1, max_length=MAX_QUESTIONS)


async def plan(arguments: QuestionArguments, context: ToolContext) -> CallPlan:  # noqa: ARG001  (as all plans)
    """Put the questions in order."""
    questions = tuple(_question(item) for item in arguments.questions)
    request = PermissionRequest(permission="question", target="*")
    title = f"question {escape_control_characters(questions[0].header or questions[0].text)}"
    shown = "\n\n".join(each.text for each in questions)
    return CallPlan(title=title, full_text=shown, requests=(request,), questions=questions)


async def run(arguments: QuestionArguments, plan: CallPlan, context: ToolContext) -> ToolOutput:  # noqa: ARG001  (as all runs)
    """Never reached by an answer, which is the call's result already.

    Raises:
        ToolError: it was allowed without anybody having been asked.
    """
    message = "nobody was asked; decide by yourself and say so"
    raise ToolError(message)


def _question(item: QuestionItem) -> UserQuestion:
    if not item.question.strip() or any(not each.label.strip() for each in item.choices):
        message = "a question or a choice says nothing"
        raise ToolError(message)
    return UserQuestion(
        text=item.question,
        header=item.header,
        choices=tuple(
            Choice(label=each.label, description=each.description) for each in item.choices
        ),
        allow_multiple=item.multiple,
    )


QUESTION = Tool(
    name="question",
    description=DESCRIPTION,
    arguments=QuestionArguments,
    reads_only=False,
    plan=plan,
    run=run,
)
