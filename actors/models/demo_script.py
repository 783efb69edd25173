"""The script of `greenroom demo`: find a failing test, mend it, leave a green repository.

Its stage is `shell/demo_repository.py`; a test plays one against the other.
"""

from dataclasses import dataclass

from actors.models.conversation import Body, Result, last_results_of, results_of
from actors.models.rehearsal_script import rehearsal
from actors.models.reply_plan import ReplyPlan, ToolCall

MODULE = "basket/price.py"
BROKEN_LINE = "    if pieces > DISCOUNT_FROM_PIECES:"
MENDED_LINE = "    if pieces >= DISCOUNT_FROM_PIECES:"
TEST_COMMAND = "python3 -m unittest -q"
COMMIT_COMMAND = 'git commit -am "Give the discount from the tenth piece on"'
PROMPT = "One of the tests fails. Find out why, mend it and commit."
"""What `greenroom demo` sends for the person."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something said, one call, and what its result must show before the play goes on."""

    says: str
    call: ToolCall
    expects: str
    may_fail: bool = False


STEPS = (
    Step(
        says="*(A script speaks, not a model; tools, questions and files are real.)*\n\n"
        "Let me see what is here.",
        call=ToolCall("ls", {"path": "."}),
        expects="basket",
    ),
    Step(
        says="A small package with tests. I run them to see what fails.",
        call=ToolCall("bash", {"command": TEST_COMMAND, "description": "Run the tests"}),
        expects="FAILED",
        may_fail=True,
    ),
    Step(
        says="`test_ten_pieces_get_the_discount` fails: ten pieces should be cheaper, "
        "and are not. The price is made in one place.",
        call=ToolCall("read", {"path": MODULE}),
        expects=BROKEN_LINE.strip(),
    ),
    Step(
        says="There it is: the docstring says *from ten pieces on*, but `>` begins at eleven. "
        "One character mends it; you see the change before it is made.",
        call=ToolCall(
            "edit", {"path": MODULE, "old_string": BROKEN_LINE, "new_string": MENDED_LINE}
        ),
        expects="",
    ),
    Step(
        says="The same tests again.",
        call=ToolCall("bash", {"command": TEST_COMMAND, "description": "Run the tests again"}),
        expects="OK",
    ),
    Step(
        says="Green. I commit it, so that the repository is left clean.",
        call=ToolCall("bash", {"command": COMMIT_COMMAND, "description": "Commit the change"}),
        expects="Give the discount",  # git speaks the language of its user; this is our own text
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


def demo(request: Body) -> ReplyPlan:
    """Play the next step; stop at a result that the play does not foresee, such as a refusal."""
    results = results_of(request)
    if results and not last_results_of(request):
        return rehearsal(request)
    if not results:
        return _plays(STEPS[0])
    if len(results) > len(STEPS):
        return rehearsal(request)
    played = STEPS[len(results) - 1]
    if not _as_foreseen(played, results[-1]):
        return _stops(played, results[-1])
    return _plays(STEPS[len(results)]) if len(results) < len(STEPS) else ReplyPlan(text=SUMMARY)


def _as_foreseen(step: Step, result: Result) -> bool:
    return step.expects in result.text and (step.may_fail or not result.failed)


def _plays(step: Step) -> ReplyPlan:
    return ReplyPlan(text=step.says, calls=(step.call,))


def _stops(step: Step, result: Result) -> ReplyPlan:
    said = result.text.strip().partition("\n")[0] or "nothing"
    return ReplyPlan(
        text=f"I stop here: this script cannot go on without that `{step.call.name}` call. "
        f"Its result was:\n\n> {said}\n\nStart `greenroom demo` again to see the whole of it."
    )
