"""The `question` tool."""

import asyncio

import pytest

from actors.tools.question import QuestionArguments, plan, run
from actors.tools.tool import ToolError
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan
from messages.user_questions import Choice, UserQuestion
from tests.actors.tools.tool_caller import ToolCaller

pytestmark = pytest.mark.quick


def plan_questions(caller: ToolCaller, *questions: dict[str, object]) -> CallPlan:
    arguments = QuestionArguments.model_validate({"questions": list(questions)})
    return asyncio.run(plan(arguments, caller.context))


def test_a_plan_has_every_question_with_its_choices(caller: ToolCaller) -> None:
    choices = [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}]
    call_plan = plan_questions(
        caller, {"question": "Which?", "header": "Database", "choices": choices}
    )

    assert call_plan.title == "question Database"
    assert call_plan.requests == (PermissionRequest(permission="question", target="*"),)
    assert call_plan.questions == (
        UserQuestion(
            text="Which?",
            header="Database",
            choices=(
                Choice(label="SQLite", description="one file"),
                Choice(label="Postgres"),
            ),
        ),
    )


@pytest.mark.parametrize(
    "question", [{"question": " "}, {"question": "Which?", "choices": [{"label": "\t"}]}]
)
def test_a_blank_question_or_choice_is_rejected(
    caller: ToolCaller, question: dict[str, object]
) -> None:
    with pytest.raises(ToolError, match="is blank"):
        plan_questions(caller, question)


def test_running_without_asking_the_user_is_an_error(caller: ToolCaller) -> None:
    arguments = QuestionArguments.model_validate({"questions": [{"question": "Which?"}]})
    call_plan = plan_questions(caller, {"question": "Which?"})
    with pytest.raises(ToolError, match="the user was not asked"):
        asyncio.run(run(arguments, call_plan, caller.context))
