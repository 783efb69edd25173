import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.tools.line_window import LineWindow

pytestmark = pytest.mark.quick

LINES = st.lists(st.text(st.characters(exclude_characters="\n\r\ufeff", codec="utf-8"), max_size=5))


@given(LINES, st.integers(1, 6), st.integers(1, 6), st.integers(1, 7), st.sampled_from(["", "\n"]))
def test_a_window_shows_the_same_lines_however_the_file_is_cut_into_chunks(
    lines: list[str], first: int, limit: int, size: int, end: str
) -> None:
    data = "\n".join(lines).encode() + end.encode()
    window = LineWindow(first, limit)
    for start in range(0, len(data), size):
        window.feed(data[start : start + size])
    window.finish()

    there = data.decode().removesuffix("\n").split("\n") if data else []
    shown = [f"{number:>6}\t{line}" for number, line in enumerate(there, 1)]
    assert window.rows == shown[first - 1 :][:limit]
    assert window.newline_count == len(there)
    assert not window.has_invalid_utf8
