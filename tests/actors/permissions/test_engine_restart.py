"""A restarted engine knows no agents yet, and does not deny their calls for that."""

from functools import partial

import pytest

from actors.permissions.engine import PermissionEngine
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
from messages.journal import ReadRecords, RecordsRead
from messages.permissions import EvaluatePermission, GetPolicy, PermissionDecision, RegisterAgent
from messages.policy import PermissionRequest
from tests.actors.crashable_session import CrashTrigger, with_crash_trigger
from tests.actors.permissions.decision_helpers import (
    BUILD_PROFILE,
    DEFAULT_POLICY,
    GRANT_STORE,
    WORKSPACE_PATHS,
)
from tests.probe import start_probe

pytestmark = pytest.mark.quick


def test_a_request_waits_until_its_agent_is_registered_again(system: ActorSystem) -> None:
    journal, parent, requester = (
        start_probe(system, name) for name in ("journal", "parent", "requester")
    )
    crash_trigger = CrashTrigger()
    engine = partial(
        PermissionEngine,
        JOURNAL,
        DEFAULT_POLICY,
        WORKSPACE_PATHS,
        GRANT_STORE,
    )
    system.start(
        with_crash_trigger(engine, crash_trigger), "permissions", Restart(limit=1, window_s=3600.0)
    )
    crash_trigger.crash_on("before", GetPolicy)
    requester.tell(PERMISSIONS, GetPolicy())
    journal.tell(PERMISSIONS, RecordsRead(id=journal.expect_kind(ReadRecords).id, records=()))

    request = PermissionRequest(permission="edit", target="a.txt")
    requester.tell(PERMISSIONS, EvaluatePermission(id="q", agent=PRIMARY, requests=(request,)))
    requester.expect_nothing_more()
    parent.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))
    decision = requester.expect_kind(PermissionDecision)
    assert (decision.id, decision.action) == ("q", "ask")
