"""What a session begins with, before any actor runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from actors.permissions.beginning import ground_of
from actors.permissions.deciding import decide_call
from actors.session import OpenSession, SessionOptions, model_of, open_session, policy_of
from actors.tools.workspace import Workspace
from messages.permissions import Config
from messages.rules import PermissionRequest, Profile, Rule
from messages.turns import ModelChanged

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
        rehearsal=True,
        protected=(tmp_path / "state",),
        version="0",
    )
    opened = open_session(options, lambda: 0.0)
    opened.log.close()
    return opened


def action(session: OpenSession, permission: str, target: Path) -> str:
    request = PermissionRequest(permission=permission, target=str(target))
    ground = ground_of(session.options.workspace)
    chain = (Profile(agent="build"),)
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
    resumed = replace(session, records=(Config(grants=(grant,), mode="auto-edit"),))

    assert policy_of(resumed).grants == (grant,)
    assert policy_of(resumed).mode == "auto-edit"
    yolo = replace(resumed, records=(Config(mode="yolo"),))
    assert policy_of(yolo).mode == "default"
    assert policy_of(replace(session, records=(ModelChanged(model="m"),))).mode == "default"
    named = replace(session.options, mode_chosen=True)
    assert session.options.mode == "yolo"
    assert policy_of(replace(yolo, options=named)).mode == "yolo", "it was named for this run"


def test_a_model_chosen_in_a_session_stays_unless_this_run_names_one(session: OpenSession) -> None:
    chosen = (ModelChanged(model="first"), ModelChanged(model="second"))
    real = replace(session.options, rehearsal=False)
    resumed = replace(session, options=real, own=chosen)

    assert model_of(replace(session, options=real)) == "m"
    assert model_of(resumed) == "second"
    assert model_of(replace(resumed, options=replace(real, model_chosen=True))) == "m"
    assert model_of(replace(session, own=chosen)) == "m", "a script is no model"
