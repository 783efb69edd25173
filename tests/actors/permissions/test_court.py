"""Those who judge sit on few seats; a long line of those who wait gives nobody up."""

import asyncio
import threading
import time
from functools import partial

import pytest

from actors.permissions.court import Court

pytestmark = pytest.mark.quick


def test_a_long_line_is_judged_to_its_end_while_it_moves() -> None:
    async def judge() -> list[int]:
        court = Court(judging_s=0.2, most_at_once=2)

        def case(number: int) -> int:
            time.sleep(0.02)  # noqa: TID251  (so long a judge takes)
            return number

        jobs = (court.judged(partial(case, number)) for number in range(40))
        return list(await asyncio.gather(*jobs))

    assert asyncio.run(judge()) == list(range(40))


def test_who_waits_while_nobody_gets_up_is_given_up() -> None:
    stuck = threading.Event()

    async def judge() -> list[object]:
        court = Court(judging_s=0.05, most_at_once=1)
        cases = (stuck.wait, lambda: True)
        ends = await asyncio.gather(*map(court.judged, cases), return_exceptions=True)
        stuck.set()
        return list(ends)

    assert [type(each) for each in asyncio.run(judge())] == [TimeoutError, TimeoutError]
