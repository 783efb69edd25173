"""Switching the primary agent within one conversation: plan to build, and back."""

from actors.agents.turn.agent_state import (
    AgentState,
    PendingSwitch,
    PrimaryAgent,
    TurnStage,
    get_next_turn_number,
)
from actors.agents.turn.effects import ApplyAgent, TightenProfile
from actors.agents.turn.self_messages import PlanFileChecked
from actors.agents.turn.transition import Transition
from actors.permissions.mode_order import MODES, find_strictest_mode, is_stricter
from messages.policy import PermissionMode
from messages.turns import AgentSwitched, SwitchAgentFailed

SWITCH_TO_PLAN_TEXT = """\
[The user switched this session to the agent {agent}: explore and plan, change nothing. All \
changes are denied except to the plan file, {file}, which {status}. Call plan_exit when the plan \
is complete.]"""
SWITCH_TEXT = "[The user switched this session to the agent {agent}.]"
SWITCH_TO_BUILD_TEXT = """\
[The user switched this session to the agent {agent}: you may change files and run commands \
again, as the user allows. {plan}]"""


def on_plan_file_checked(step: Transition, message: PlanFileChecked) -> None:
    """Switch to the agent the user chose, or report why not."""
    problem = switch_agent(step, message.agent, plan_exists=message.plan_exists)
    if problem:
        step.publish(SwitchAgentFailed(agent=get_next_agent(step.state), detail=problem))


def switch_agent(step: Transition, agent: str, *, plan_exists: bool) -> str:
    """Record a switch; no call starts until it is on disk.

    Returns why nothing is switched; empty if the switch was recorded.
    """
    turn = step.state
    current, target = get_next_agent(turn), agent or _get_agent_to_return_to(turn)
    agents = {primary.name: primary for primary in turn.primary_agents}
    has_left_plan_mode = not agent and agents[current].max_mode != "plan"
    if target == current or has_left_plan_mode:
        return f"{current} is already the active agent"
    if target not in agents:
        return f"there is no agent named {target}"
    switched = _build_agent_switched(turn, agents[target], plan_exists=plan_exists)
    step.update(switch_count=turn.switch_count + 1)
    step.write(switched)
    pending = PendingSwitch(step.state.last_append_id, switched)
    step.update(pending_switches=(*turn.pending_switches, pending))
    if is_stricter(agents[target].max_mode, agents[current].max_mode):
        step.emit(TightenProfile(target))
    return ""


def apply_synced_switches(step: Transition) -> bool:
    """Apply the switches that are on disk; return whether there were any."""
    has_switched = False
    for pending in step.state.pending_switches:
        if pending.append_id > step.state.synced_append_id:
            break
        switched, has_switched = pending.switched, True
        step.update(
            agent=switched.agent,
            previous_agent=switched.previous_agent,
            pending_switches=step.state.pending_switches[1:],
        )
        step.emit(ApplyAgent(switched))
        step.publish(switched)
    return has_switched


def publish_delayed_switches(step: Transition, detail: str) -> None:
    """Report switches that cannot be saved yet; until then the stricter agent's rights apply."""
    for pending in step.state.pending_switches:
        problem = f"the switch to {pending.switched.agent} cannot be saved yet ({detail})"
        step.publish(SwitchAgentFailed(agent=step.state.agent, detail=problem))


def is_switch_pending(turn: AgentState) -> bool:
    """Return whether a switch is being written and has not failed."""
    return any(pending.append_id > turn.failed_append_id for pending in turn.pending_switches)


def get_next_agent(turn: AgentState) -> str:
    """Return the active agent, or the one that is active once pending switches are on disk."""
    return turn.pending_switches[-1].switched.agent if turn.pending_switches else turn.agent


def get_status_fields(turn: AgentState) -> dict[str, str | int | None]:
    """Return the fields of `SessionConfigured` that change during a session."""
    return {
        "agent": turn.agent,
        "max_mode": get_max_mode(turn),
        "next_turn": get_next_turn_number(turn),
        "running_turn": None if turn.stage is TurnStage.IDLE else turn.turn_number,
    }


def get_max_mode(turn: AgentState) -> PermissionMode:
    """Return the loosest mode that this agent and the agents it starts may use now."""
    max_modes: dict[str, PermissionMode] = {
        primary.name: primary.max_mode for primary in turn.primary_agents
    }
    return find_strictest_mode(max_modes.get(get_strictest_agent(turn), "yolo"), turn.max_mode)


def get_strictest_agent(turn: AgentState) -> str:
    """Return the agent whose profile applies: the strictest while a switch is pending."""
    agents = {primary.name: primary for primary in turn.primary_agents}
    names = (turn.agent, *(pending.switched.agent for pending in turn.pending_switches))
    return min(names, key=lambda name: MODES.index(agents[name].max_mode)) if agents else turn.agent


def _get_agent_to_return_to(turn: AgentState) -> str:
    return (
        turn.pending_switches[-1].switched.previous_agent
        if turn.pending_switches
        else turn.previous_agent
    )


def _build_agent_switched(
    turn: AgentState, target: PrimaryAgent, *, plan_exists: bool
) -> AgentSwitched:
    return AgentSwitched(
        id=f"{turn.agent_address}#switch-{turn.switch_count + 1}@{turn.id_suffix}",
        agent=target.name,
        previous_agent=get_next_agent(turn),
        text=format_switch_text(target, turn, plan_exists=plan_exists),
        max_mode=target.max_mode,
    )


def format_switch_text(target: PrimaryAgent, turn: AgentState, *, plan_exists: bool) -> str:
    """Return what the model reads when `target` becomes the active agent."""
    plan_file = turn.plan_file
    if target.max_mode == "plan":
        status = "already exists" if plan_exists else "does not exist yet"
        return SWITCH_TO_PLAN_TEXT.format(agent=target.name, file=plan_file, status=status)
    max_modes = {primary.name: primary.max_mode for primary in turn.primary_agents}
    if max_modes[get_next_agent(turn)] != "plan":
        return SWITCH_TEXT.format(agent=target.name)
    missing = f"No plan was written: {plan_file} does not exist."
    plan = f"The plan is in {plan_file}." if plan_exists else missing
    return SWITCH_TO_BUILD_TEXT.format(agent=target.name, plan=plan)
