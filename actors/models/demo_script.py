"""The script of `greenroom demo`: find a failing test, fix the bug and commit the fix.

Four agents take part: the primary agent starts two subagents in parallel, and one of them starts
another. `shell/cli/demo_repository.py` creates the repository; a test runs the script against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.models.default_script import make_default_reply
from actors.models.scripted_model_input import (
    RequestBody,
    ToolResult,
    get_first_prompt,
    get_latest_tool_results,
    get_tool_results,
)
from actors.models.scripted_reply import ReplyPlan, ScriptedCall

MODULE_PATH, TEST_PATH = "basket/price.py", "test_price.py"
BROKEN_LINE = "    if pieces > DISCOUNT_FROM_PIECES:"
FIXED_LINE = "    if pieces >= DISCOUNT_FROM_PIECES:"
TEST_COMMAND = "python3 -m unittest -q"
COMMIT_SUBJECT = "Start the discount at ten pieces"
COMMIT_COMMAND = f'git commit -am "{COMMIT_SUBJECT}"'
FAILING_TEST = "test_ten_pieces_get_the_discount"
DEMO_PROMPT = "One of the tests fails. Find out why, fix it and commit the fix."
"""The prompt that `greenroom demo` sends."""
FIND_TEST_PROMPT = (
    "Find out which test of this repository fails and what it expects. Do not change any files."
)
RUN_TESTS_PROMPT = (
    f"Run `{TEST_COMMAND}` and report which test fails, with the actual and the expected value. "
    "Do not change any files."
)
READ_RULE_PROMPT = (
    f"Read `{TEST_PATH}` and `{MODULE_PATH}` and report at how many pieces the discount starts."
)


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """Text with parallel tool calls, and what one of their results must contain to continue."""

    text: str
    calls: tuple[ScriptedCall, ...]
    expected_text: str
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class AgentScript:
    """The steps of one agent, and its final text."""

    steps: tuple[ScriptStep, ...]
    final_text: str


def _task(subagent: str, description: str, prompt: str) -> ScriptedCall:
    arguments = {"description": description, "prompt": prompt, "subagent_type": subagent}
    return ScriptedCall("task", {**arguments})


PRIMARY_STEPS = (
    ScriptStep(
        text="*(In this demo, replies come from a script, not a model. The tools, approvals and "
        "files are real.)*\n\nFirst, I'll look at the repository.",
        calls=(ScriptedCall("ls", {"path": "."}),),
        expected_text="basket",
    ),
    ScriptStep(
        text="This is a small package with tests. I'll start two subagents in parallel, so what "
        "they read does not fill up my context: one finds the failing test, the other reads the "
        "pricing rule. When a subagent needs your approval, you'll see which agent is asking.",
        calls=(
            _task("general", "Find the failing test", FIND_TEST_PROMPT),
            _task("explore", "Read the pricing rule", READ_RULE_PROMPT),
        ),
        expected_text=FAILING_TEST,
    ),
    ScriptStep(
        text=f"`{FAILING_TEST}` fails: ten pieces should get the discount, but do not. "
        "I'll read the code that calculates the price.",
        calls=(ScriptedCall("read", {"path": MODULE_PATH}),),
        expected_text=BROKEN_LINE.strip(),
    ),
    ScriptStep(
        text="Here is the bug: the discount should start at ten pieces, but `>` starts it at "
        "eleven. The fix is one character. You'll see the change before I make it.",
        calls=(
            ScriptedCall(
                "edit", {"path": MODULE_PATH, "old_string": BROKEN_LINE, "new_string": FIXED_LINE}
            ),
        ),
        expected_text="",
    ),
    ScriptStep(
        text="Now I'll run the tests again.",
        calls=(
            ScriptedCall("bash", {"command": TEST_COMMAND, "description": "Run the tests again"}),
        ),
        expected_text="OK",
    ),
    ScriptStep(
        text="All tests pass. I'll commit the fix.",
        calls=(ScriptedCall("bash", {"command": COMMIT_COMMAND, "description": "Commit the fix"}),),
        expected_text=COMMIT_SUBJECT,  # the rest of git's output is in the user's language
    ),
)
FIND_TEST_STEP = ScriptStep(
    text="I'll start another subagent to run the tests.",
    calls=(_task("general", "Run the tests", RUN_TESTS_PROMPT),),
    expected_text=FAILING_TEST,
)
RUN_TESTS_STEP = ScriptStep(
    text="I'll run the tests.",
    calls=(ScriptedCall("bash", {"command": TEST_COMMAND, "description": "Run the tests"}),),
    expected_text=FAILING_TEST,
    may_fail=True,
)
READ_RULE_STEPS = (
    ScriptStep(
        text="I'll read the tests first.",
        calls=(ScriptedCall("read", {"path": TEST_PATH}),),
        expected_text=FAILING_TEST,
    ),
    ScriptStep(
        text="The tests expect the full price for nine pieces and the discount for ten. Next, I'll "
        "read the code and its docstring.",
        calls=(ScriptedCall("read", {"path": MODULE_PATH}),),
        expected_text="",
    ),
)

SUMMARY = f"""\
## Done

The tests pass and the repository is clean.

| Step | Result |
| --- | --- |
| Cause | `{MODULE_PATH}` used `>`, so the discount started at eleven pieces |
| Fix | one line: `>=` |
| Check | `{TEST_COMMAND}` passes |

This was a **script**, not a model. To use a real model, set `ANTHROPIC_API_KEY` (or
`ANTHROPIC_BASE_URL` for your own server) and run `greenroom` in one of your repositories.
"""


SUBAGENT_SCRIPTS = {
    FIND_TEST_PROMPT: AgentScript(
        (FIND_TEST_STEP,), f"`{FAILING_TEST}` fails: it expects 900 and gets 1000."
    ),
    RUN_TESTS_PROMPT: AgentScript(
        (RUN_TESTS_STEP,), f"`{FAILING_TEST}` fails: 1000 != 900. The other tests pass."
    ),
    READ_RULE_PROMPT: AgentScript(
        READ_RULE_STEPS,
        "The tests and the docstring say the same thing: the discount starts at ten pieces.",
    ),
}
"""Subagents' scripts by their first prompt."""
PRIMARY_SCRIPT = AgentScript(PRIMARY_STEPS, SUMMARY)
_QUOTE = "> "


def make_demo_reply(request: RequestBody) -> ReplyPlan:
    """Play the next step; stop at a result that the script does not expect, such as a denial."""
    results = get_tool_results(request)
    if results and not get_latest_tool_results(request):
        return make_default_reply(request)
    script = SUBAGENT_SCRIPTS.get(get_first_prompt(request), PRIMARY_SCRIPT)
    used_count = 0
    for step in script.steps:
        if used_count == len(results):
            return ReplyPlan(text=step.text, calls=step.calls)
        step_results = results[used_count : used_count + len(step.calls)]
        if not _is_expected(step, step_results):
            return _make_stop_reply(step, step_results)
        used_count += len(step.calls)
    if used_count == len(results):
        return ReplyPlan(text=script.final_text)
    return make_default_reply(request)


def _is_expected(step: ScriptStep, results: Sequence[ToolResult]) -> bool:
    if not step.may_fail and any(result.is_error for result in results):
        return False
    return any(step.expected_text in result.text for result in results)


def _make_stop_reply(step: ScriptStep, results: Sequence[ToolResult]) -> ReplyPlan:
    failed = next((result for result in results if result.is_error), results[0])
    first_line = failed.text.strip().partition("\n")[0]
    cause = _find_quoted_line(failed.text) or first_line or "(no output)"
    return ReplyPlan(
        text=f"I'm stopping here because the script needs that `{step.calls[0].name}` call to "
        f"succeed. Its result was:\n\n{_QUOTE}{cause}\n\n"
        "Run `greenroom demo` again to see the whole demo."
    )


def _find_quoted_line(text: str) -> str:
    """Return the line in which a stopped subagent quotes the cause, or an empty string."""
    lines = text.splitlines()
    return next((line.removeprefix(_QUOTE) for line in lines if line.startswith(_QUOTE)), "")
