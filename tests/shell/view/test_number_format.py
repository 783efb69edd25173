"""Ages and sizes as users read them."""

import pytest

from shell.view.number_format import format_age, format_size

pytestmark = pytest.mark.quick


def test_ages_and_sizes_use_their_largest_unit() -> None:
    spans = (-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 10**9)
    assert [format_age(span_s) for span_s in spans] == [
        *("0 s", "0 s", "59 s", "1 min", "59 min", "1 h", "23 h", "1 d", "11574 d")
    ]
    assert [format_size(100), format_size(2_048), format_size(3 << 20)] == [
        "0.1 KiB",
        "2.0 KiB",
        "3.0 MiB",
    ]
