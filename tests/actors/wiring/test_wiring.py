"""What a session starts with, before any actor runs."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from actors.agents.definition.definition import BUILT_IN_DEFINITIONS, Definition
from actors.agents.definition.prepared_agent import PreparedAgent
from actors.agents.effect_handlers.model_prefixes import RequestPrefixes
from actors.agents.turn.agent_state import RestoredState
from actors.agents.turn.model_state import ModelState
from actors.agents.turn.self_messages import PlanFileChecked
from actors.models.default_script import make_default_reply
from actors.models.scripted_model import ScriptedModel
from actors.paths.workspace import Workspace
from actors.permissions.decide_call import decide_call
from actors.permissions.initial_policy import resolve_workspace_paths
from actors.wiring.session_setup import SessionHandle, SessionOptions, open_session
from actors.wiring.wiring import (
    SessionPorts,
    build_session_policy,
    choose_model,
    make_child_factories,
)
from messages.permissions import SessionSettings
from messages.policy import PermissionProfile, PermissionRequest, Rule
from messages.turns import AgentSwitched, EffortChanged, ModelChanged
from tests.probe import Probe

pytestmark = pytest.mark.quick


@pytest.fixture
def session(tmp_path: Path) -> SessionHandle:
    root = tmp_path / "work"
    root.mkdir()
    options = SessionOptions(
        project_state_folder=tmp_path / "state",
        workspace=Workspace(root=root, cwd=root),
        model_name="m",
        mode="yolo",
        is_scripted=True,
        protected_paths=(tmp_path / "state",),
        version="0",
    )
    opened = open_session(options, lambda: 0.0)
    opened.log.close()
    return opened


def decide_action(session: SessionHandle, permission: str, target: Path) -> str:
    request = PermissionRequest(permission=permission, target=str(target))
    workspace_paths = resolve_workspace_paths(session.options.workspace)
    chain = (PermissionProfile(agent="build"),)
    return decide_call(
        (request,), workspace_paths, build_session_policy(session), chain
    ).decision.action


def test_writing_our_own_files_asks_in_every_mode(session: SessionHandle) -> None:
    assert decide_action(session, "write", session.log.path) == "ask"
    assert decide_action(session, "write", session.log.path.parent.parent / "elsewhere") == "allow"


def test_the_model_can_read_saved_outputs_of_its_session(session: SessionHandle) -> None:
    outputs = session.options.output_folder(session.session_id)
    in_default_mode = replace(session, options=replace(session.options, mode="default"))

    assert decide_action(in_default_mode, "read", outputs / "1.txt") == "allow"
    assert (
        decide_action(in_default_mode, "read", outputs.parent / "of-another-session" / "1.txt")
        == "ask"
    )


def test_a_resumed_session_keeps_grants_and_mode_except_yolo(
    session: SessionHandle,
) -> None:
    grant = Rule(permission="edit", pattern="a.py", action="allow")
    resumed = replace(session, records=(SessionSettings(grants=(grant,), mode="auto-edit"),))

    assert build_session_policy(resumed).grants == (grant,)
    assert build_session_policy(resumed).mode == "auto-edit"
    yolo = replace(resumed, records=(SessionSettings(mode="yolo"),))
    assert build_session_policy(yolo).mode == "default"
    assert (
        build_session_policy(replace(session, records=(ModelChanged(model="m"),))).mode == "default"
    )
    named = replace(session.options, mode_is_explicit=True)
    assert session.options.mode == "yolo"
    assert build_session_policy(replace(yolo, options=named)).mode == "yolo", (
        "it was set for this run"
    )


def test_a_resumed_session_keeps_its_model_unless_overridden(
    session: SessionHandle,
) -> None:
    chosen = (ModelChanged(model="first"), ModelChanged(model="second"))
    real = replace(session.options, is_scripted=False)
    resumed = replace(session, options=real, primary_records=chosen)

    explicit = replace(real, model_is_explicit=True)
    fixed = replace(real, model_is_fixed=True)

    assert choose_model(replace(session, options=real)) == ModelState("m")
    assert choose_model(replace(session, options=fixed)) == ModelState("m", is_fixed=True)
    assert choose_model(resumed) == ModelState("second", is_fixed=True)
    assert choose_model(replace(resumed, options=explicit)) == ModelState("m", is_fixed=True)
    assert choose_model(replace(session, primary_records=chosen)).name == "m", (
        "the scripted model ignores it"
    )


def test_a_resumed_session_keeps_its_effort(session: SessionHandle) -> None:
    configured = replace(session.options, is_scripted=False, effort="high")
    new = replace(session, options=configured)
    chosen = (EffortChanged(effort="low"), EffortChanged(effort=None))
    assert choose_model(new) == ModelState("m", effort="high")
    for count, last in enumerate(chosen, 1):
        resumed = replace(new, primary_records=chosen[:count])
        assert choose_model(resumed) == ModelState("m", effort=last.effort, effort_is_fixed=True)


# The primary agent

REVIEWER = Definition(name="reviewer", system_prompt="Review.", mode="primary")
SWITCHED_TO_PLAN = AgentSwitched(
    id="s", agent="plan", previous_agent="reviewer", text="[plan]", max_mode="plan"
)


def make_primary(
    session: SessionHandle,
    **changes: Any,  # noqa: ANN401  (as `replace`)
) -> tuple[dict[str, PreparedAgent], RestoredState]:
    """Return the primary agents of a session with these options, and the restored state."""
    options = replace(
        session.options,
        **{"definitions": (*BUILT_IN_DEFINITIONS, REVIEWER), "mode": "default", **changes},
    )
    ports = SessionPorts(ScriptedModel(make_default_reply, 0.0))
    primary = make_child_factories(
        replace(session, options=options), ports, partial(Probe, SimpleQueue[Probe]())
    ).primary
    assert isinstance(primary, partial)
    agents, _, _, restored, _ = primary.args
    return {agent.name: agent for agent in agents}, restored


def find_starting_agent(session: SessionHandle, **changes: Any) -> tuple[str, str]:  # noqa: ANN401  (as `replace`)
    """Return the agent that a run starts with, and the agent to switch back to."""
    _, restored = make_primary(session, **changes)
    if restored.pending_switch is None:
        return restored.state.selection.agent, restored.state.selection.previous_agent
    return restored.pending_switch.agent, restored.state.selection.agent


def test_a_session_started_in_plan_mode_returns_to_the_agent(
    session: SessionHandle,
) -> None:
    assert find_starting_agent(session) == ("build", "build")
    assert find_starting_agent(session, agent="reviewer") == ("reviewer", "build")
    assert find_starting_agent(session, mode="plan") == ("plan", "build")
    assert find_starting_agent(session, mode="plan", agent="reviewer") == ("plan", "reviewer")


def test_every_start_in_plan_mode_tells_the_model(session: SessionHandle) -> None:
    for mode, agent in (("default", "plan"), ("plan", "build"), ("plan", "plan")):
        _, restored = make_primary(session, mode=mode, agent=agent)
        assert restored.pending_switch == PlanFileChecked(agent="plan", plan_exists=False)


def test_build_and_plan_send_the_same_prompt_and_tools(session: SessionHandle) -> None:
    agents, _ = make_primary(session)
    prefixes = [
        RequestPrefixes().choose(agents[name], "m", loop_prefix="") for name in ("build", "plan")
    ]
    assert prefixes[0] == prefixes[1]


def test_a_resumed_session_keeps_its_agent_unless_overridden(
    session: SessionHandle,
) -> None:
    planning = replace(session, records=(SWITCHED_TO_PLAN,), primary_records=(SWITCHED_TO_PLAN,))
    assert find_starting_agent(planning) == ("plan", "reviewer")
    assert find_starting_agent(planning, agent="build", mode="plan") == ("plan", "reviewer")
    assert find_starting_agent(planning, mode="auto-edit", mode_is_explicit=True) == (
        "reviewer",
        "plan",
    )
    assert find_starting_agent(planning, agent="build", agent_is_explicit=True) == ("build", "plan")
    back = SWITCHED_TO_PLAN.model_copy(
        update={"agent": "build", "previous_agent": "plan", "max_mode": "yolo"}
    )
    building = replace(
        session, records=(SWITCHED_TO_PLAN, back), primary_records=(SWITCHED_TO_PLAN, back)
    )
    assert find_starting_agent(building, mode="auto-edit", mode_is_explicit=True) == (
        "build",
        "plan",
    )
    assert find_starting_agent(building, mode="plan") == ("build", "plan"), (
        "the configured mode applies to new sessions"
    )
    assert find_starting_agent(building, mode="plan", mode_is_explicit=True) == ("plan", "build")


def test_each_agent_can_use_only_the_useful_plan_tool(session: SessionHandle) -> None:
    cautious = replace(REVIEWER, name="cautious", permission_mode="plan")
    agents, _ = make_primary(session, definitions=(*BUILT_IN_DEFINITIONS, REVIEWER, cautious))
    plan_tools = {
        name: [tool.name for tool in agent.tools if tool.name.startswith("plan_")]
        for name, agent in agents.items()
    }
    assert plan_tools == {
        "build": ["plan_enter"],
        "plan": ["plan_exit"],
        "explore": [],
        "reviewer": ["plan_enter"],
        "cautious": ["plan_exit"],
    }
    offered = {
        name: [tool.name for tool in agent.offered_tools if tool.name.startswith("plan_")]
        for name, agent in agents.items()
    }
    both = ["plan_enter", "plan_exit"]
    assert offered == {name: both if names else [] for name, names in plan_tools.items()}
