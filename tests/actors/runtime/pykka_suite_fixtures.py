"""Fixtures appended to the `conftest.py` of pykka's own tests, which define the same names.

pykka's tests use `runtime` to run once per actor type.
"""

import threading
import time
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from actors.runtime.event_loop_actor import EventLoopActor, EventLoopFuture

EVENT_LOOP = SimpleNamespace(
    name="event_loop",
    actor_class=EventLoopActor,
    event_class=threading.Event,
    future_class=EventLoopFuture,
    sleep_func=time.sleep,  # noqa: TID251  (pykka's tests sleep)
)


@pytest.fixture(scope="session", params=[pytest.param(EVENT_LOOP, id="event_loop")])
def runtime(request: pytest.FixtureRequest) -> object:
    return request.param


@pytest.fixture
def mocker(monkeypatch: pytest.MonkeyPatch) -> object:
    """Offer what the tests use of pytest-mock."""

    def patch_object(target: object, name: str, new: Any = None) -> None:  # noqa: ANN401  (any attribute)
        monkeypatch.setattr(target, name, new or mock.MagicMock())

    return SimpleNamespace(
        Mock=mock.Mock,
        MagicMock=mock.MagicMock,
        NonCallableMock=mock.NonCallableMock,
        patch=SimpleNamespace(object=patch_object),
    )
