"""What a session begins with, before any actor runs."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from actors.agents.definitions import BUILT_IN, Definition
from actors.agents.roles import PreparedAgent
from actors.agents.state import RestoredState
from actors.factories import SessionPorts, factories_of, model_of, policy_of
from actors.models.rehearsal import RehearsalModel
from actors.models.rehearsal_script import rehearsal
from actors.permissions.beginning import ground_of
from actors.permissions.deciding import decide_call
from actors.session import OpenSession, SessionOptions, open_session
from actors.tools.workspace import Workspace
from messages.permissions import SessionSettings
from messages.rules import PermissionProfile, PermissionRequest, Rule
from messages.turns import AgentSwitched, ModelChanged
from tests.probe import Probe

pytestmark = pytest.mark.quick


@pytest.fixture
def session(tmp_path: Path) -> OpenSession:
    root = tmp_path / "work"
    root.mkdir()
    options = SessionOptions(
        folder=tmp_path / "state",
        workspace=Workspace(root=root, cwd=root),
        model_name="m",
        mode="yolo",
        is_scripted=True,
        protected=(tmp_path / "state",),
        version="0",
    )
    opened = open_session(options, lambda: 0.0)
    opened.log.close()
    return opened


def action(session: OpenSession, permission: str, target: Path) -> str:
    request = PermissionRequest(permission=permission, target=str(target))
    ground = ground_of(session.options.workspace)
    chain = (PermissionProfile(agent="build"),)
    return decide_call((request,), ground, policy_of(session), chain).judgement.action


def test_our_own_files_ask_in_every_mode(session: OpenSession) -> None:
    assert action(session, "write", session.log.path) == "ask"
    assert action(session, "write", session.log.path.parent.parent / "elsewhere") == "allow"


def test_the_model_may_read_the_whole_output_of_its_own_commands(session: OpenSession) -> None:
    outputs = session.options.outputs_of(session.session_id)
    asking = replace(session, options=replace(session.options, mode="default"))

    assert action(asking, "read", outputs / "1.txt") == "allow"
    assert action(asking, "read", outputs.parent / "of-another-session" / "1.txt") == "ask"


def test_grants_come_back_with_their_session_and_a_mode_does_but_for_yolo(
    session: OpenSession,
) -> None:
    grant = Rule(permission="edit", pattern="a.py", action="allow")
    resumed = replace(session, records=(SessionSettings(grants=(grant,), mode="auto-edit"),))

    assert policy_of(resumed).grants == (grant,)
    assert policy_of(resumed).mode == "auto-edit"
    yolo = replace(resumed, records=(SessionSettings(mode="yolo"),))
    assert policy_of(yolo).mode == "default"
    assert policy_of(replace(session, records=(ModelChanged(model="m"),))).mode == "default"
    named = replace(session.options, mode_chosen=True)
    assert session.options.mode == "yolo"
    assert policy_of(replace(yolo, options=named)).mode == "yolo", "it was named for this run"


def test_a_model_chosen_in_a_session_stays_unless_this_run_names_one(session: OpenSession) -> None:
    chosen = (ModelChanged(model="first"), ModelChanged(model="second"))
    real = replace(session.options, is_scripted=False)
    resumed = replace(session, options=real, own=chosen)

    assert model_of(replace(session, options=real)) == "m"
    assert model_of(resumed) == "second"
    assert model_of(replace(resumed, options=replace(real, model_chosen=True))) == "m"
    assert model_of(replace(session, own=chosen)) == "m", "a script is no model"


# Who has the session.

REVIEWER = Definition(name="reviewer", prompt="Review.", mode="primary")
PLANNED = AgentSwitched(id="s", agent="plan", before="reviewer", text="[plan]", max_mode="plan")


def made(session: OpenSession, **changes: Any) -> tuple[dict[str, PreparedAgent], RestoredState]:  # noqa: ANN401  (as `replace`)
    """Make the primary agent of a session with other options; its roles, and where it begins."""
    options = replace(
        session.options, **{"definitions": (*BUILT_IN, REVIEWER), "mode": "default", **changes}
    )
    around = SessionPorts(RehearsalModel(rehearsal, 0.0))
    primary = factories_of(
        replace(session, options=options), around, partial(Probe, SimpleQueue[Probe]())
    ).primary
    assert isinstance(primary, partial)
    roles, _, _, past, _ = primary.args
    return {role.name: role for role in roles}, past


def begins(session: OpenSession, **changes: Any) -> tuple[str, str]:  # noqa: ANN401  (as `replace`)
    """Say who has the session when its run begins, and whom it goes back to."""
    _, past = made(session, **changes)
    if past.begin is None:
        return past.turn.agent, past.turn.before
    return past.begin.agent, past.turn.agent


def test_a_session_that_begins_with_a_plan_goes_back_to_the_agent_that_was_named(
    session: OpenSession,
) -> None:
    assert begins(session) == ("build", "build")
    assert begins(session, agent="reviewer") == ("reviewer", "build")
    assert begins(session, mode="plan") == ("plan", "build")
    assert begins(session, mode="plan", agent="reviewer") == ("plan", "reviewer")


def test_a_session_that_goes_on_keeps_its_agent_unless_this_run_names_one(
    session: OpenSession,
) -> None:
    planning = replace(session, records=(PLANNED,), own=(PLANNED,))
    assert begins(planning) == ("plan", "reviewer")
    assert begins(planning, agent="build", mode="plan") == ("plan", "reviewer")
    assert begins(planning, mode="auto-edit", mode_chosen=True) == ("reviewer", "plan")
    assert begins(planning, agent="build", agent_chosen=True) == ("build", "plan")
    back = PLANNED.model_copy(update={"agent": "build", "before": "plan", "max_mode": "yolo"})
    building = replace(session, records=(PLANNED, back), own=(PLANNED, back))
    assert begins(building, mode="auto-edit", mode_chosen=True) == ("build", "plan")
    assert begins(building, mode="plan") == ("build", "plan"), "a file's mode is for new sessions"
    assert begins(building, mode="plan", mode_chosen=True) == ("plan", "build")


def test_each_agent_is_offered_only_the_way_that_leads_somewhere(session: OpenSession) -> None:
    cautious = replace(REVIEWER, name="cautious", permission_mode="plan")
    roles, _ = made(session, definitions=(*BUILT_IN, REVIEWER, cautious))
    ways = {
        name: [tool.name for tool in role.tools if tool.name.startswith("plan_")]
        for name, role in roles.items()
    }
    assert ways == {
        "build": ["plan_enter"],
        "plan": ["plan_exit"],
        "explore": [],
        "reviewer": ["plan_enter"],
        "cautious": ["plan_exit"],
    }
