from dataclasses import replace

import pytest

from messages.turns import TextDelta, ToolEnded
from shell.view.event_reducer import apply_event
from shell.view.grouped_lookups import Lookup, PrintLookups, make_lookup, render_lookup_row
from shell.view.progress_rows import render_progress_rows
from shell.view.screen_state import PrintCall, PrintMarkdown, PrintPrompt, ScreenEffect, ScreenState
from tests.shell import sample_events
from tests.shell.view.row_text import get_text

pytestmark = pytest.mark.quick


def create_ended(tool: str, about: str, text: str) -> ToolEnded:
    ended = sample_events.tool_ended(text, title=f"{tool} {about}")
    return ended.model_copy(update={"tool": tool})


def create_lookup(tool: str, about: str, text: str) -> Lookup:
    lookup = make_lookup(create_ended(tool, about, text))
    assert lookup is not None
    return lookup


READ = create_ended("read", "src/price.py", "     1\tx\n     2\ty")
READ_LOOKUP = create_lookup("read", "src/price.py", "     1\tx\n     2\ty")
GREP = create_ended("grep", "a in b in src", "src/a.py:3:a in b\nsrc/a.py-4-x\nsrc/b.py:1:a in b")


def apply_all(*events: ToolEnded | TextDelta) -> tuple[ScreenState, tuple[ScreenEffect, ...]]:
    state, _ = apply_event(ScreenState(), sample_events.complete_turn("x")[0], 1.0)
    effects: tuple[ScreenEffect, ...] = ()
    for event in events:
        state, more = apply_event(state, event, 1.0)
        effects += more
    return state, effects


@pytest.mark.parametrize(
    ("tool", "about", "output", "row"),
    [
        ("read", "a.py", "     1\tx\n     2\t\n[lines 1-2 of 9]", "● Read 2 lines of a.py"),
        ("read", "a.py", "     1\tx\n… +997 lines", "● Read 998 lines of a.py"),
        ("read", "empty.py", "(the file is empty)", "● Read empty.py"),
        ("ls", ".", "a.py\nsrc/", "● Listed 2 entries"),
        ("ls", "src", "a.py", "● Listed 1 entry of src"),
        ("glob", "**/*.py in .", "a.py\n[skipped: 1 file]", "● Searched for **/*.py: 1 file"),
        ("grep", "tax in .", "a.py:3:tax", '● Searched "tax": 1 match'),
        ("grep", "tax in .", "(no lines match)", '● Searched "tax": 0 files'),
        ("grep", "a in b in src", GREP.text, '● Searched "a in b" in src: 2 matches'),
    ],
)
def test_a_lookup_takes_one_row_with_its_result(
    tool: str, about: str, output: str, row: str
) -> None:
    assert get_text(render_lookup_row([create_lookup(tool, about, output)], 80)) == row


def test_consecutive_lookups_are_printed_on_one_row() -> None:
    state, effects = apply_all(READ, GREP)
    assert effects == (), "more of them may follow"
    assert "Read src/price.py" in get_text(render_progress_rows(state, 1.0, 80, 9)[0])
    _, effects = apply_event(state, sample_events.reply_completed("Found."), 1.0)
    printed, text = effects
    assert isinstance(printed, PrintLookups)
    assert text == PrintMarkdown("Found.")
    row = get_text(render_lookup_row(printed.lookups, 80))
    assert row == '● Read src/price.py · Searched "a in b" in src: 2 matches'


@pytest.mark.parametrize(
    "event",
    [
        sample_events.turn_completed(),
        sample_events.exec_approval(),
        sample_events.turn_interrupted(),
    ],
)
def test_lookups_are_printed_before_a_turn_ends_or_asks(event: ToolEnded) -> None:
    state, _ = apply_all(READ)
    state, effects = apply_event(state, event, 1.0)
    assert effects[0] == PrintLookups((READ_LOOKUP,))
    assert not state.lookups


def test_a_failed_lookup_is_printed_like_other_calls() -> None:
    failed = READ.model_copy(update={"status": "error", "text": "no such file"})
    _, effects = apply_all(READ, failed)
    assert effects == (PrintLookups((READ_LOOKUP,)), PrintCall(failed))


def test_names_that_do_not_fit_are_shortened_or_counted() -> None:
    lookups = [
        replace(READ_LOOKUP, about=f"shell/view/{name}.py") for name in ("price", "cart", "order")
    ]
    lookups.append(create_lookup("ls", "src", "a"))
    widths = (80, 50, 34, 20)
    rows = [get_text(render_lookup_row(lookups, width)) for width in widths]
    assert rows == [
        "● Read shell/view/price.py, shell/view/cart.py, shell/view/order.py · Listed src",
        "● Read price.py, cart.py, order.py · Listed src",
        "● Read 3 files · Listed 1 folder",
        "● Read 3 files · Li…",
    ]


def test_a_prompt_of_the_user_is_not_a_lookup() -> None:
    state, _ = apply_all(READ)
    steered = sample_events.complete_turn("x")[0].model_copy(update={"turn": 2, "prompt": "stop"})
    _, effects = apply_event(replace(state, turn=None), steered, 1.0)
    assert effects == (PrintLookups((READ_LOOKUP,)), PrintPrompt("stop"))
