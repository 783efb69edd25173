"""The script of `greenroom demo`: find a failing test, mend it, leave a green repository.

Four agents play it: the primary has two subagents look beside each other, and one of these has one
of its own. Its stage is `shell/demo_repository.py`; a test plays one against the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.models.conversation import Body, ToolResult, last_results_of, opening_of, results_of
from actors.models.rehearsal_script import rehearsal
from actors.models.reply_plan import ReplyPlan, ScriptedCall

MODULE, TESTS = "basket/price.py", "test_price.py"
BROKEN_LINE = "    if pieces > DISCOUNT_FROM_PIECES:"
MENDED_LINE = "    if pieces >= DISCOUNT_FROM_PIECES:"
TEST_COMMAND = "python3 -m unittest -q"
COMMIT_COMMAND = 'git commit -am "Give the discount from the tenth piece on"'
FAILING = "test_ten_pieces_get_the_discount"
PROMPT = "One of the tests fails. Find out why, mend it and commit."
"""What `greenroom demo` sends for the person."""
NARROW = "Find out which test of this repository fails, and what it expected. Change nothing."
RUN = f"Run `{TEST_COMMAND}` and say which test fails, and with which values. Change nothing."
READ = f"Read `{TESTS}` and `{MODULE}` and say from how many pieces on there is a discount."


@dataclass(frozen=True, slots=True)
class Step:
    """Something said, calls side by side, and what a result must show before the play goes on."""

    says: str
    calls: tuple[ScriptedCall, ...]
    expects: str
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """What one agent plays, and says at its end."""

    steps: tuple[Step, ...]
    says_last: str


def _task(subagent: str, description: str, prompt: str) -> ScriptedCall:
    arguments = {"description": description, "prompt": prompt, "subagent_type": subagent}
    return ScriptedCall("task", {**arguments})


STEPS = (
    Step(
        says="*(A script speaks, not a model; tools, questions and files are real.)*\n\n"
        "Let me see what is here.",
        calls=(ScriptedCall("ls", {"path": "."}),),
        expects="basket",
    ),
    Step(
        says="A small package with tests. Two subagents look beside each other, so that what they "
        "read does not fill my own memory: one finds the test that fails, one reads the rule. "
        "What they ask comes up to you, with who asks through whom.",
        calls=(
            _task("general", "Find the failing test", NARROW),
            _task("explore", "Read the rule", READ),
        ),
        expects=FAILING,
    ),
    Step(
        says=f"`{FAILING}` fails: ten pieces should be cheaper, and are not. "
        "The price is made in one place.",
        calls=(ScriptedCall("read", {"path": MODULE}),),
        expects=BROKEN_LINE.strip(),
    ),
    Step(
        says="There it is: the docstring says *from ten pieces on*, but `>` begins at eleven. "
        "One character mends it; you see the change before it is made.",
        calls=(
            ScriptedCall(
                "edit", {"path": MODULE, "old_string": BROKEN_LINE, "new_string": MENDED_LINE}
            ),
        ),
        expects="",
    ),
    Step(
        says="The same tests again.",
        calls=(
            ScriptedCall("bash", {"command": TEST_COMMAND, "description": "Run the tests again"}),
        ),
        expects="OK",
    ),
    Step(
        says="Green. I commit it, so that the repository is left clean.",
        calls=(
            ScriptedCall("bash", {"command": COMMIT_COMMAND, "description": "Commit the change"}),
        ),
        expects="Give the discount",  # git speaks the language of its user; this is our own text
    ),
)
NARROWING = Step(
    says="Running them is work for another pair of hands.",
    calls=(_task("general", "Run the tests", RUN),),
    expects=FAILING,
)
RUNNING = Step(
    says="I run them.",
    calls=(ScriptedCall("bash", {"command": TEST_COMMAND, "description": "Run the tests"}),),
    expects=FAILING,
    may_fail=True,
)
READING = (
    Step(says="First the tests.", calls=(ScriptedCall("read", {"path": TESTS}),), expects=FAILING),
    Step(
        says="They want nine pieces at the full price and ten at the lower one. Now the code, and "
        "what it says of itself.",
        calls=(ScriptedCall("read", {"path": MODULE}),),
        expects="",
    ),
)

SUMMARY = f"""\
## Done

The tests pass and the repository is clean.

| what | where |
| --- | --- |
| cause | `{MODULE}` compared with `>` where the rule says *from ten pieces on* |
| change | one line: `>=` |
| proof | `{TEST_COMMAND}` is green |

This was a **script**, not a model. For the real thing set `ANTHROPIC_API_KEY` (or
`ANTHROPIC_BASE_URL` for a server of your own) and start `greenroom` in a repository of yours.
"""


PARTS = {
    NARROW: Part((NARROWING,), f"`{FAILING}` fails; it expects 900 and gets 1000."),
    RUN: Part((RUNNING,), f"`{FAILING}` fails: 1000 != 900. The others pass."),
    READ: Part(READING, "The tests and the docstring say the same: from ten pieces on."),
}
"""By the prompt that a subagent begins with."""
PRIMARY = Part(STEPS, SUMMARY)
_QUOTE = "> "


def demo(request: Body) -> ReplyPlan:
    """Play the next step; stop at a result that the play does not foresee, such as a refusal."""
    results = results_of(request)
    if results and not last_results_of(request):
        return rehearsal(request)
    part = PARTS.get(opening_of(request), PRIMARY)
    seen = 0
    for step in part.steps:
        if seen == len(results):
            return ReplyPlan(text=step.says, calls=step.calls)
        of_step = results[seen : seen + len(step.calls)]
        if not _is_as_foreseen(step, of_step):
            return _stops(step, of_step)
        seen += len(step.calls)
    return ReplyPlan(text=part.says_last) if seen == len(results) else rehearsal(request)


def _is_as_foreseen(step: Step, results: Sequence[ToolResult]) -> bool:
    fine = step.may_fail or not any(result.failed for result in results)
    return fine and any(step.expects in result.text for result in results)


def _stops(step: Step, results: Sequence[ToolResult]) -> ReplyPlan:
    failed = next((result for result in results if result.failed), results[0])
    said = _quoted(failed.text) or failed.text.strip().partition("\n")[0] or "nothing"
    return ReplyPlan(
        text=f"I stop here: this script cannot go on without that `{step.calls[0].name}` call. "
        f"Its result was:\n\n{_QUOTE}{said}\n\nStart `greenroom demo` again to see the whole of it."
    )


def _quoted(text: str) -> str:
    """Find what stopped a subagent: it quotes that, as its own parent will."""
    lines = text.splitlines()
    return next((line.removeprefix(_QUOTE) for line in lines if line.startswith(_QUOTE)), "")
