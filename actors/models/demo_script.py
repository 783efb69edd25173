"""The script of `greenroom demo`: find a failing test, mend it, leave a green repository.

Four agents play it: the primary has two subagents look beside each other, and one of these has one
of its own. Its stage is `shell/cli/demo_repository.py`; a test plays one against the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.models.default_script import make_default_reply
from actors.models.request_reader import (
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
COMMIT_COMMAND = 'git commit -am "Give the discount from the tenth piece on"'
FAILING_TEST = "test_ten_pieces_get_the_discount"
DEMO_PROMPT = "One of the tests fails. Find out why, mend it and commit."
"""What `greenroom demo` sends for the person."""
FIND_TEST_PROMPT = (
    "Find out which test of this repository fails, and what it expected. Change nothing."
)
RUN_TESTS_PROMPT = (
    f"Run `{TEST_COMMAND}` and say which test fails, and with which values. Change nothing."
)
READ_RULE_PROMPT = (
    f"Read `{TEST_PATH}` and `{MODULE_PATH}` and say from how many pieces on there is a discount."
)


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """Something said, calls side by side, and what a result must show before the play goes on."""

    text: str
    calls: tuple[ScriptedCall, ...]
    expected_text: str
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class AgentScript:
    """What one agent plays, and says at its end."""

    steps: tuple[ScriptStep, ...]
    final_text: str


def _task(subagent: str, description: str, prompt: str) -> ScriptedCall:
    arguments = {"description": description, "prompt": prompt, "subagent_type": subagent}
    return ScriptedCall("task", {**arguments})


PRIMARY_STEPS = (
    ScriptStep(
        text="*(A script speaks, not a model; tools, questions and files are real.)*\n\n"
        "Let me see what is here.",
        calls=(ScriptedCall("ls", {"path": "."}),),
        expected_text="basket",
    ),
    ScriptStep(
        text="A small package with tests. Two subagents look beside each other, so that what they "
        "read does not fill my own memory: one finds the test that fails, one reads the rule. "
        "What they ask comes up to you, with who asks through whom.",
        calls=(
            _task("general", "Find the failing test", FIND_TEST_PROMPT),
            _task("explore", "Read the rule", READ_RULE_PROMPT),
        ),
        expected_text=FAILING_TEST,
    ),
    ScriptStep(
        text=f"`{FAILING_TEST}` fails: ten pieces should be cheaper, and are not. "
        "The price is made in one place.",
        calls=(ScriptedCall("read", {"path": MODULE_PATH}),),
        expected_text=BROKEN_LINE.strip(),
    ),
    ScriptStep(
        text="There it is: the docstring says *from ten pieces on*, but `>` begins at eleven. "
        "One character mends it; you see the change before it is made.",
        calls=(
            ScriptedCall(
                "edit", {"path": MODULE_PATH, "old_string": BROKEN_LINE, "new_string": FIXED_LINE}
            ),
        ),
        expected_text="",
    ),
    ScriptStep(
        text="The same tests again.",
        calls=(
            ScriptedCall("bash", {"command": TEST_COMMAND, "description": "Run the tests again"}),
        ),
        expected_text="OK",
    ),
    ScriptStep(
        text="Green. I commit it, so that the repository is left clean.",
        calls=(
            ScriptedCall("bash", {"command": COMMIT_COMMAND, "description": "Commit the change"}),
        ),
        expected_text="Give the discount",  # git speaks the language of its user; this is our own text
    ),
)
FIND_TEST_STEP = ScriptStep(
    text="Running them is work for another pair of hands.",
    calls=(_task("general", "Run the tests", RUN_TESTS_PROMPT),),
    expected_text=FAILING_TEST,
)
RUN_TESTS_STEP = ScriptStep(
    text="I run them.",
    calls=(ScriptedCall("bash", {"command": TEST_COMMAND, "description": "Run the tests"}),),
    expected_text=FAILING_TEST,
    may_fail=True,
)
READ_RULE_STEPS = (
    ScriptStep(
        text="First the tests.",
        calls=(ScriptedCall("read", {"path": TEST_PATH}),),
        expected_text=FAILING_TEST,
    ),
    ScriptStep(
        text="They want nine pieces at the full price and ten at the lower one. Now the code, and "
        "what it says of itself.",
        calls=(ScriptedCall("read", {"path": MODULE_PATH}),),
        expected_text="",
    ),
)

SUMMARY = f"""\
## Done

The tests pass and the repository is clean.

| what | where |
| --- | --- |
| cause | `{MODULE_PATH}` compared with `>` where the rule says *from ten pieces on* |
| change | one line: `>=` |
| proof | `{TEST_COMMAND}` is green |

This was a **script**, not a model. For the real thing set `ANTHROPIC_API_KEY` (or
`ANTHROPIC_BASE_URL` for a server of your own) and start `greenroom` in a repository of yours.
"""


SUBAGENT_SCRIPTS = {
    FIND_TEST_PROMPT: AgentScript(
        (FIND_TEST_STEP,), f"`{FAILING_TEST}` fails; it expects 900 and gets 1000."
    ),
    RUN_TESTS_PROMPT: AgentScript(
        (RUN_TESTS_STEP,), f"`{FAILING_TEST}` fails: 1000 != 900. The others pass."
    ),
    READ_RULE_PROMPT: AgentScript(
        READ_RULE_STEPS, "The tests and the docstring say the same: from ten pieces on."
    ),
}
"""By the prompt that a subagent begins with."""
PRIMARY_SCRIPT = AgentScript(PRIMARY_STEPS, SUMMARY)
_QUOTE = "> "


def make_demo_reply(request: RequestBody) -> ReplyPlan:
    """Play the next step; stop at a result that the play does not foresee, such as a refusal."""
    results = get_tool_results(request)
    if results and not get_latest_tool_results(request):
        return make_default_reply(request)
    part = SUBAGENT_SCRIPTS.get(get_first_prompt(request), PRIMARY_SCRIPT)
    seen = 0
    for step in part.steps:
        if seen == len(results):
            return ReplyPlan(text=step.text, calls=step.calls)
        of_step = results[seen : seen + len(step.calls)]
        if not _is_as_foreseen(step, of_step):
            return _stops(step, of_step)
        seen += len(step.calls)
    return ReplyPlan(text=part.final_text) if seen == len(results) else make_default_reply(request)


def _is_as_foreseen(step: ScriptStep, results: Sequence[ToolResult]) -> bool:
    fine = step.may_fail or not any(result.is_error for result in results)
    return fine and any(step.expected_text in result.text for result in results)


def _stops(step: ScriptStep, results: Sequence[ToolResult]) -> ReplyPlan:
    failed = next((result for result in results if result.is_error), results[0])
    said = _quoted(failed.text) or failed.text.strip().partition("\n")[0] or "nothing"
    return ReplyPlan(
        text=f"I stop here: this script cannot go on without that `{step.calls[0].name}` call. "
        f"Its result was:\n\n{_QUOTE}{said}\n\nStart `greenroom demo` again to see the whole of it."
    )


def _quoted(text: str) -> str:
    """Find what stopped a subagent: it quotes that, as its own parent will."""
    lines = text.splitlines()
    return next((line.removeprefix(_QUOTE) for line in lines if line.startswith(_QUOTE)), "")
