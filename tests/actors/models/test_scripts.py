"""What the scripts answer, decided without a server."""

import pytest
from pydantic import JsonValue

from actors.models.demo_script import NARROW, PARTS, PROMPT, RUN, STEPS, Step, demo
from actors.models.rehearsal_script import HELP, LONG, rehearsal
from actors.models.reply_plan import ReplyPlan, ScriptedCall, words_of

pytestmark = pytest.mark.quick

Message = dict[str, JsonValue]


def said(text: str) -> Message:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def result(text: str, *, failed: bool = False) -> Message:
    block: Message = {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": [{"type": "text", "text": text}],
        "is_error": failed,
    }
    return {"role": "user", "content": [block]}


def asked(*messages: Message) -> Message:
    return {"model": "rehearsal", "messages": list(messages)}


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
            ScriptedCall("write", {"path": "rehearsal.txt", "content": "Written by a script.\n"}),
        ),
        (
            "edit a.py: x = 1 -> x = 2",
            ScriptedCall("edit", {"path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
        ),
    ],
)
def test_a_prompt_plays_the_tool_that_it_names(prompt: str, call: ScriptedCall) -> None:
    assert rehearsal(asked(said(prompt))).calls == (call,)


@pytest.mark.parametrize("prompt", ["hello", "", "what is this already?"])
def test_any_other_prompt_is_told_that_this_is_a_script_and_what_to_set(prompt: str) -> None:
    assert rehearsal(asked(said(prompt))) == ReplyPlan(text=HELP)
    assert "script" in HELP
    assert "ANTHROPIC_API_KEY" in HELP
    assert "ANTHROPIC_BASE_URL" in HELP


def test_long_is_long_enough_to_be_interrupted() -> None:
    assert rehearsal(asked(said("long"))).text == LONG
    assert len(words_of(LONG)) > 400


def test_a_result_is_shown_and_ends_the_turn() -> None:
    plan = rehearsal(asked(said("list"), result("\n".join("abcdefghijk"))))
    assert not plan.calls
    assert "a\nb" in plan.text
    assert "3 more lines" in plan.text


def test_a_refused_call_is_taken_as_an_answer() -> None:
    plan = rehearsal(asked(said("run rm x"), result("denied: use git rm", failed=True)))
    assert not plan.calls
    assert "did not succeed" in plan.text
    assert "denied: use git rm" in plan.text


def test_a_prompt_that_shares_its_message_with_what_was_interrupted_is_still_read() -> None:
    interrupted = result("cancelled", failed=True)
    shared = [interrupted["content"], said("[interrupted]")["content"], said("list")["content"]]
    blocks = [block for content in shared if isinstance(content, list) for block in content]
    message: Message = {"role": "user", "content": blocks}
    assert rehearsal(asked(said("run x"), message)).calls == (ScriptedCall("ls", {}),)


def test_the_demo_begins_by_saying_that_it_is_a_script() -> None:
    plan = demo(asked(said(PROMPT)))
    assert "script" in plan.text
    assert plan.calls == STEPS[0].calls


def as_foreseen(*steps: Step) -> list[Message]:
    return [result(step.expects) for step in steps for _ in step.calls]


@pytest.mark.parametrize(
    ("prompt", "before", "step"),
    [
        (prompt, steps[:number], step)
        for prompt, steps in {PROMPT: STEPS, **{k: v.steps for k, v in PARTS.items()}}.items()
        for number, step in enumerate(steps)
    ],
)
def test_the_demo_stops_where_a_call_is_refused(
    prompt: str, before: tuple[Step, ...], step: Step
) -> None:
    refused = [result("denied by the user", failed=True) for _ in step.calls]
    plan = demo(asked(said(prompt), *as_foreseen(*before), *refused))
    assert not plan.calls
    assert "I stop here" in plan.text
    assert "denied by the user" in plan.text


def test_the_demo_says_what_stopped_a_subagent_at_any_depth() -> None:
    refused = result("Denied by the user. They said: not now", failed=True)
    stopped = demo(asked(said(RUN), refused)).text
    for prompt, before in ((NARROW, ()), (PROMPT, as_foreseen(STEPS[0]))):
        of_task = result(
            f"task_id: general-1\n<task_result>\n{stopped}\n</task_result>", failed=True
        )
        stopped = demo(asked(said(prompt), *before, of_task, result("as foreseen"))).text
        assert "> Denied by the user. They said: not now\n" in stopped


def test_the_demo_answers_like_a_rehearsal_once_it_is_over() -> None:
    played = as_foreseen(*STEPS)
    assert demo(asked(said(PROMPT), *played, said("list"))).calls == (ScriptedCall("ls", {}),)
    assert not demo(asked(said(PROMPT), *played, said("list"), result("a"))).calls


def test_words_keep_every_character() -> None:
    for text in (LONG, HELP, " a\n\nb  ", "", "\n"):
        assert "".join(words_of(text)) == text
