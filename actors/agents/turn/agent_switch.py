"""From one primary agent to another in the same conversation: plan to build, and back."""

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
[The user has this session go on with the agent {agent}: look and plan, change nothing. What \
changes anything is denied but for the plan file, {file}, which {there}. Call plan_exit when the \
plan stands.]"""
SWITCH_TEXT = "[The user has this session go on with the agent {agent}.]"
SWITCH_TO_BUILD_TEXT = """\
[The user has this session go on with the agent {agent}: it may change files and run commands \
again, as the user allows. {plan}]"""


def on_plan_file_checked(step: Transition, message: PlanFileChecked) -> None:
    """Switch as the person wants."""
    problem = switch_agent(step, message.agent, plan_exists=message.plan_exists)
    if problem:
        step.publish(SwitchAgentFailed(agent=get_next_agent(step.state), detail=problem))


def switch_agent(step: Transition, agent: str, *, plan_exists: bool) -> str:
    """Want the switch on disk; until it is, no call begins. Says why there is none, if so."""
    turn = step.state
    now, target = get_next_agent(turn), agent or _back(turn)
    known = {each.name: each for each in turn.primary_agents}
    stays = not agent and known[now].max_mode != "plan"
    if target == now or stays:
        return f"{now} has the session already"
    if target not in known:
        return f"there is no agent {target}"
    record = _record(turn, known[target], plan_written=plan_exists)
    step.update(switch_count=turn.switch_count + 1)
    step.write(record)
    step.update(
        pending_switches=(*turn.pending_switches, PendingSwitch(step.state.last_append_id, record))
    )
    if is_stricter(known[target].max_mode, known[now].max_mode):
        step.emit(TightenProfile(target))
    return ""


def apply_synced_switches(step: Transition) -> bool:
    """Take the roles that are on disk, if there are any; calls may have waited for it."""
    took = False
    for each in step.state.pending_switches:
        if each.append_id > step.state.synced_append_id:
            break
        switched, took = each.switched, True
        step.update(
            agent=switched.agent,
            previous_agent=switched.previous_agent,
            pending_switches=step.state.pending_switches[1:],
        )
        step.emit(ApplyAgent(switched))
        step.publish(switched)
    return took


def publish_delayed_switches(step: Transition, detail: str) -> None:
    """Say that a switch waits for the disk; meanwhile the stricter of the two agents counts."""
    for each in step.state.pending_switches:
        told = f"the switch to {each.switched.agent} waits for the disk: {detail}"
        step.publish(SwitchAgentFailed(agent=step.state.agent, detail=told))


def is_switch_pending(turn: AgentState) -> bool:
    """Whether a switch is on its way to the disk, which has not refused it."""
    return any(each.append_id > turn.failed_append_id for each in turn.pending_switches)


def get_next_agent(turn: AgentState) -> str:
    """Name who has the session, or will once that is on disk."""
    return turn.pending_switches[-1].switched.agent if turn.pending_switches else turn.agent


def get_status_fields(turn: AgentState) -> dict[str, str | int | None]:
    """Say who has the session and at which turn, for those who are told of it anew."""
    return {
        "agent": turn.agent,
        "max_mode": get_max_mode(turn),
        "next_turn": get_next_turn_number(turn),
        "running_turn": None if turn.stage is TurnStage.IDLE else turn.turn_number,
    }


def get_max_mode(turn: AgentState) -> PermissionMode:
    """Say in which mode at the loosest this agent works now, and whoever it starts."""
    known: dict[str, PermissionMode] = {each.name: each.max_mode for each in turn.primary_agents}
    return find_strictest_mode(known.get(get_strictest_agent(turn), "yolo"), turn.max_mode)


def get_strictest_agent(turn: AgentState) -> str:
    """Name whom the permission engine goes by: while a switch is under way, the stricter one."""
    known = {each.name: each for each in turn.primary_agents}
    names = (turn.agent, *(each.switched.agent for each in turn.pending_switches))
    return min(names, key=lambda name: MODES.index(known[name].max_mode)) if known else turn.agent


def _back(turn: AgentState) -> str:
    return (
        turn.pending_switches[-1].switched.previous_agent
        if turn.pending_switches
        else turn.previous_agent
    )


def _record(turn: AgentState, to: PrimaryAgent, *, plan_written: bool) -> AgentSwitched:
    return AgentSwitched(
        id=f"{turn.agent_address}#switch-{turn.switch_count + 1}@{turn.id_suffix}",
        agent=to.name,
        previous_agent=get_next_agent(turn),
        text=format_switch_text(to, turn, plan_exists=plan_written),
        max_mode=to.max_mode,
    )


def format_switch_text(target: PrimaryAgent, turn: AgentState, *, plan_exists: bool) -> str:
    """Write what the model reads when `to` takes the session."""
    plan_file = turn.plan_file
    if target.max_mode == "plan":
        there = "is there already" if plan_exists else "does not exist yet"
        return SWITCH_TO_PLAN_TEXT.format(agent=target.name, file=plan_file, there=there)
    known: dict[str, PermissionMode] = {each.name: each.max_mode for each in turn.primary_agents}
    if known[get_next_agent(turn)] != "plan":
        return SWITCH_TEXT.format(agent=target.name)
    missing = f"No plan was written: {plan_file} does not exist."
    plan = f"The plan is in {plan_file}." if plan_exists else missing
    return SWITCH_TO_BUILD_TEXT.format(agent=target.name, plan=plan)
