import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.tools.line_window import LineWindow

pytestmark = pytest.mark.quick

LINES = st.lists(st.text(st.characters(exclude_characters="\n\r\ufeff", codec="utf-8"), max_size=5))


@given(LINES, st.integers(1, 6), st.integers(1, 6), st.integers(1, 7), st.sampled_from(["", "\n"]))
def test_a_window_does_not_depend_on_chunk_boundaries(
    lines: list[str], first_line: int, max_lines: int, chunk_bytes: int, end: str
) -> None:
    data = "\n".join(lines).encode() + end.encode()
    window = LineWindow(first_line, max_lines)
    for start in range(0, len(data), chunk_bytes):
        window.feed(data[start : start + chunk_bytes])
    window.finish()

    all_lines = data.decode().removesuffix("\n").split("\n") if data else []
    rows = [f"{number:>6}\t{line}" for number, line in enumerate(all_lines, 1)]
    assert window.rows == rows[first_line - 1 :][:max_lines]
    assert window.newline_count == len(all_lines)
    assert not window.has_invalid_utf8
