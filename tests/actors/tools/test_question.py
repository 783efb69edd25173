"""Questions as the model sends them."""

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


def test_a_plan_holds_every_question_with_its_choices(caller: ToolCaller) -> None:
    choices = [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}]
    asked = plan_questions(caller, {"question": "Which?", "header": "Database", "choices": choices})

    assert asked.title == "question Database"
    assert asked.requests == (PermissionRequest(permission="question", target="*"),)
    assert asked.questions == (
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
def test_what_says_nothing_is_refused(caller: ToolCaller, question: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="says nothing"):
        plan_questions(caller, question)


def test_a_question_that_nobody_was_asked_has_no_result(caller: ToolCaller) -> None:
    arguments = QuestionArguments.model_validate({"questions": [{"question": "Which?"}]})
    asked = plan_questions(caller, {"question": "Which?"})
    with pytest.raises(ToolError, match="nobody was asked"):
        asyncio.run(run(arguments, asked, caller.context))
