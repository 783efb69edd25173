"""A restarted engine knows no agent yet, and denies none of them for that."""

from functools import partial

import pytest

from actors.permissions.defaults import BUILT_IN
from actors.permissions.engine import PermissionEngine
from actors.runtime.supervision import Restart
from actors.runtime.system import ActorSystem
from messages.address import JOURNAL, PERMISSIONS, PRIMARY
from messages.permissions import EvaluatePermission, GetPolicy, PermissionDecision, RegisterAgent
from messages.rules import PermissionRequest, Policy
from messages.transcript import ReadRecords, RecordsRead
from tests.actors.living import Fuse, fragile
from tests.actors.permissions.judged import BUILD, GROUND, STORE
from tests.probe import new_probe

pytestmark = pytest.mark.quick


def test_a_query_that_comes_before_its_agent_is_named_again_waits(system: ActorSystem) -> None:
    journal, parent, asker = (new_probe(system, name) for name in ("journal", "parent", "asker"))
    fuse = Fuse()
    engine = partial(PermissionEngine, JOURNAL, Policy(defaults=BUILT_IN), GROUND, STORE)
    system.start(fragile(engine, fuse), "permissions", Restart(limit=1, window_s=3600.0))
    fuse.set("before", GetPolicy)
    asker.tell(PERMISSIONS, GetPolicy())
    journal.tell(PERMISSIONS, RecordsRead(id=journal.expect_kind(ReadRecords).id, records=()))

    request = PermissionRequest(permission="edit", target="a.txt")
    asker.tell(PERMISSIONS, EvaluatePermission(id="q", agent=PRIMARY, requests=(request,)))
    asker.expect_nothing_more()
    parent.tell(PERMISSIONS, RegisterAgent(agent=PRIMARY, profile=BUILD))
    verdict = asker.expect_kind(PermissionDecision)
    assert (verdict.id, verdict.action) == ("q", "ask")
