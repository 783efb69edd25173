"""The replies of the default script and the demo script, without a server."""

import pytest
from pydantic import JsonValue

from actors.models.default_script import HELP_TEXT, LONG_ANSWER, make_default_reply
from actors.models.demo_script import (
    DEMO_PROMPT,
    FIND_TEST_PROMPT,
    PRIMARY_STEPS,
    RUN_TESTS_PROMPT,
    SUBAGENT_SCRIPTS,
    ScriptStep,
    make_demo_reply,
)
from actors.models.scripted_reply import ReplyPlan, ScriptedCall, split_words

pytestmark = pytest.mark.quick

JsonMessage = dict[str, JsonValue]


def make_user_message(text: str) -> JsonMessage:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def make_tool_result(text: str, *, is_error: bool = False) -> JsonMessage:
    block: JsonMessage = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": [{"type": "text", "text": text}],
        "is_error": is_error,
    }
    return {"role": "user", "content": [block]}


def make_request(*messages: JsonMessage) -> JsonMessage:
    return {"model": "scripted", "messages": list(messages)}


@pytest.mark.parametrize(
    ("prompt", "call"),
    [
        ("list", ScriptedCall("ls", {})),
        ("ls src", ScriptedCall("ls", {"path": "src"})),
        ("please read `README.md`", ScriptedCall("read", {"path": "README.md"})),
        ("run git status | head -3", ScriptedCall("bash", {"command": "git status | head -3"})),
        ("Now run the tests", ScriptedCall("bash", {"command": "the tests"})),
        (
            "write a.txt two\nlines",
            ScriptedCall("write", {"path": "a.txt", "content": "two\nlines"}),
        ),
        (
            "write",
            ScriptedCall("write", {"path": "script.txt", "content": "Written by a script.\n"}),
        ),
        (
            "edit a.py: x = 1 -> x = 2",
            ScriptedCall("edit", {"path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
        ),
    ],
)
def test_a_prompt_calls_the_tool_it_names(prompt: str, call: ScriptedCall) -> None:
    assert make_default_reply(make_request(make_user_message(prompt))).calls == (call,)


@pytest.mark.parametrize("prompt", ["hello", "", "what is this already?"])
def test_any_other_prompt_gets_the_help_text(prompt: str) -> None:
    assert make_default_reply(make_request(make_user_message(prompt))) == ReplyPlan(text=HELP_TEXT)
    assert "script" in HELP_TEXT
    assert "ANTHROPIC_API_KEY" in HELP_TEXT
    assert "ANTHROPIC_BASE_URL" in HELP_TEXT


def test_the_long_answer_is_long_enough_to_interrupt() -> None:
    assert make_default_reply(make_request(make_user_message("long"))).text == LONG_ANSWER
    assert len(split_words(LONG_ANSWER)) > 400


def test_a_tool_result_is_shown_and_ends_the_turn() -> None:
    plan = make_default_reply(
        make_request(make_user_message("list"), make_tool_result("\n".join("abcdefghijk")))
    )
    assert not plan.calls
    assert "a\nb" in plan.text
    assert "3 more lines" in plan.text


def test_a_denied_call_is_shown_and_ends_the_turn() -> None:
    plan = make_default_reply(
        make_request(
            make_user_message("run rm x"), make_tool_result("denied: use git rm", is_error=True)
        )
    )
    assert not plan.calls
    assert "That failed." in plan.text
    assert "denied: use git rm" in plan.text


def test_a_prompt_after_an_interrupted_turn_is_read() -> None:
    interrupted = make_tool_result("cancelled", is_error=True)
    contents = [
        interrupted["content"],
        make_user_message("[interrupted]")["content"],
        make_user_message("list")["content"],
    ]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    message: JsonMessage = {"role": "user", "content": blocks}
    assert make_default_reply(make_request(make_user_message("run x"), message)).calls == (
        ScriptedCall("ls", {}),
    )


def test_the_demo_starts_by_saying_it_is_a_script() -> None:
    plan = make_demo_reply(make_request(make_user_message(DEMO_PROMPT)))
    assert "script" in plan.text
    assert plan.calls == PRIMARY_STEPS[0].calls


def make_expected_results(*steps: ScriptStep) -> list[JsonMessage]:
    return [make_tool_result(step.expected_text) for step in steps for _ in step.calls]


@pytest.mark.parametrize(
    ("prompt", "earlier_steps", "step"),
    [
        (prompt, steps[:number], step)
        for prompt, steps in {
            DEMO_PROMPT: PRIMARY_STEPS,
            **{k: v.steps for k, v in SUBAGENT_SCRIPTS.items()},
        }.items()
        for number, step in enumerate(steps)
    ],
)
def test_the_demo_stops_when_a_call_is_denied(
    prompt: str, earlier_steps: tuple[ScriptStep, ...], step: ScriptStep
) -> None:
    denied = [make_tool_result("denied by the user", is_error=True) for _ in step.calls]
    plan = make_demo_reply(
        make_request(make_user_message(prompt), *make_expected_results(*earlier_steps), *denied)
    )
    assert not plan.calls
    assert "I'm stopping here" in plan.text
    assert "denied by the user" in plan.text


def test_the_demo_shows_what_stopped_a_subagent() -> None:
    denied = make_tool_result("Denied by the user. The user said: not now", is_error=True)
    final_text = make_demo_reply(make_request(make_user_message(RUN_TESTS_PROMPT), denied)).text
    for prompt, earlier_results in (
        (FIND_TEST_PROMPT, ()),
        (DEMO_PROMPT, make_expected_results(PRIMARY_STEPS[0])),
    ):
        task_result = make_tool_result(
            f"task_id: general-1\n<task_result>\n{final_text}\n</task_result>", is_error=True
        )
        final_text = make_demo_reply(
            make_request(
                make_user_message(prompt),
                *earlier_results,
                task_result,
                make_tool_result("as expected"),
            )
        ).text
        assert "> Denied by the user. The user said: not now\n" in final_text


def test_the_finished_demo_answers_like_the_default_script() -> None:
    results = make_expected_results(*PRIMARY_STEPS)
    assert make_demo_reply(
        make_request(make_user_message(DEMO_PROMPT), *results, make_user_message("list"))
    ).calls == (ScriptedCall("ls", {}),)
    assert not make_demo_reply(
        make_request(
            make_user_message(DEMO_PROMPT),
            *results,
            make_user_message("list"),
            make_tool_result("a"),
        )
    ).calls


def test_split_words_keep_every_character() -> None:
    for text in (LONG_ANSWER, HELP_TEXT, " a\n\nb  ", "", "\n"):
        assert "".join(split_words(text)) == text
