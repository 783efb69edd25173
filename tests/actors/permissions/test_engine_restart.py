"""A restarted engine knows no agent yet, and denies none of them for that."""

from functools import partial

import pytest

from actors.permissions.default_rules import DEFAULT_RULES
from actors.permissions.engine import PermissionEngine
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
from messages.journal import ReadRecords, RecordsRead
from messages.permissions import EvaluatePermission, GetPolicy, PermissionDecision, RegisterAgent
from messages.policy import PermissionRequest, Policy
from tests.actors.crashable_session import CrashTrigger, with_crash_trigger
from tests.actors.permissions.decision_helpers import BUILD_PROFILE, GRANT_STORE, WORKSPACE_PATHS
from tests.probe import start_probe

pytestmark = pytest.mark.quick


def test_a_query_that_comes_before_its_agent_is_named_again_waits(system: ActorSystem) -> None:
    journal, parent, asker = (start_probe(system, name) for name in ("journal", "parent", "asker"))
    fuse = CrashTrigger()
    engine = partial(
        PermissionEngine, JOURNAL, Policy(defaults=DEFAULT_RULES), WORKSPACE_PATHS, GRANT_STORE
    )
    system.start(with_crash_trigger(engine, fuse), "permissions", Restart(limit=1, window_s=3600.0))
    fuse.crash_on("before", GetPolicy)
    asker.tell(PERMISSIONS, GetPolicy())
    journal.tell(PERMISSIONS, RecordsRead(id=journal.expect_kind(ReadRecords).id, records=()))

    request = PermissionRequest(permission="edit", target="a.txt")
    asker.tell(PERMISSIONS, EvaluatePermission(id="q", agent=PRIMARY, requests=(request,)))
    asker.expect_nothing_more()
    parent.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD_PROFILE))
    verdict = asker.expect_kind(PermissionDecision)
    assert (verdict.id, verdict.action) == ("q", "ask")
