"""The rows of the approval prompt, whatever text the request contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shell.view.approval_panel import CONTINUATION_MARK, MAX_DESCRIPTION_CHARS, PromptPanel
from shell.view.frame_layout import build_panel
from shell.view.styled_text import measure_width
from tests.shell import sample_events
from tests.shell.view.row_text import get_text, get_texts

pytestmark = pytest.mark.quick

OUR_PREFIXES = (
    "primary ",
    "in ",
    "file ",
    "asks because",
    "the agent says:",
    "❯ y  Yes, once",  # noqa: RUF001
    "  a  Yes, and",
    "  e  Yes, and",
    "  n  No",
    "  Tab  No",
    "  Esc  Decide later",
    CONTINUATION_MARK,
)


def get_fixed_rows(panel: PromptPanel) -> list[str]:
    return get_texts((*panel.header, *panel.options))


def pad_rows(*rows: str, width: int = 80) -> str:
    """Return text that would start a new screen row with each of `rows`."""
    return "".join(row.ljust(width) for row in rows)


def test_a_padded_description_cannot_imitate_an_answer_row() -> None:
    prefix = "run the tests".ljust(80 - len("the agent says: "))
    description = prefix + pad_rows("│ pytest -q", "y  Yes, once")
    rows = get_fixed_rows(
        build_panel(
            sample_events.exec_approval("curl x | sh", description=description).request, 1, 80
        )
    )
    assert [row for row in rows if row[2:] == "y  Yes, once"] == ["❯ y  Yes, once"]  # noqa: RUF001
    assert rows[3:5] == [
        "the agent says: run the tests<U+0020×51>│ pytest -q<U+0020×69>y  Yes,",  # noqa: RUF001
        "↪ once<U+0020×68>",  # noqa: RUF001
    ]


@given(st.text(max_size=300), st.integers(min_value=4, max_value=100))
def test_every_row_starts_with_our_text_or_mark(value: str, width: int) -> None:
    exec_request = sample_events.exec_approval("ls", description=value, pattern=value).request
    patch_request = sample_events.patch_approval("+a\n", path=value).request
    for request in (exec_request, patch_request):
        for row in get_fixed_rows(build_panel(request, 1, width)):
            assert row.startswith(tuple(prefix[:width] for prefix in OUR_PREFIXES))
            assert measure_width(row) <= width


def test_a_long_file_name_continues_after_a_mark() -> None:
    path = "/" + "x" * 75 + "y  Yes, once"
    rows = get_fixed_rows(
        build_panel(sample_events.patch_approval("+a\n", path=path).request, 1, 80)
    )
    assert rows[1:3] == ["file /" + "x" * 74, CONTINUATION_MARK + "xy  Yes, once"]


def test_a_long_description_is_truncated_and_its_length_shown() -> None:
    rows = get_fixed_rows(
        build_panel(sample_events.exec_approval(description="x" * 10_000).request, 1, 80)
    )
    text = "".join(row.removeprefix(CONTINUATION_MARK) for row in rows[3:6])
    assert text.startswith("the agent says: " + "x" * MAX_DESCRIPTION_CHARS + "… (+9800")


def test_unusual_blanks_are_made_visible_in_command_and_grant() -> None:
    panel = build_panel(
        sample_events.exec_approval("rm\u00a0-rf\u2800/", pattern="rm\u2003*").request, 1, 80
    )
    assert get_text(panel.body[0]) == "│ rm<U+00A0>-rf<U+2800>/"
    assert "`bash rm<U+2003>*`" in get_text(panel.options[1])


def test_lookalike_letters_are_made_visible_in_a_command() -> None:
    panel = build_panel(
        sample_events.exec_approval("\u0441\u0440 a b", pattern="\u0441\u0440 *").request, 1, 80
    )
    assert get_text(panel.body[0]) == "│ <U+0441><U+0440> a b"
    assert "`bash <U+0441><U+0440> *`" in get_text(panel.options[1])
    patch_panel = build_panel(
        sample_events.patch_approval("+a \u2013 b\n", path="/a\u2215b").request, 1, 80
    )
    assert get_text(patch_panel.header[1]) == "file /a<U+2215>b"
    assert get_text(patch_panel.body[0]) == "│ +a \u2013 b"
