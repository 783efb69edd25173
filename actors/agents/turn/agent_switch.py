"""Switching the primary agent within one conversation: plan to build, and back."""

from dataclasses import replace

from actors.agents.turn.agent_selection import AgentSelection, PendingSwitch, PrimaryAgent
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import ApplyAgent, TightenProfile
from actors.agents.turn.self_messages import PlanFileChecked
from actors.agents.turn.transition import Transition
from actors.agents.turn.turn_state import TurnStage
from actors.permissions.mode_order import is_stricter
from messages.turns import AgentSwitched, EffortChanged, ModelChanged, SwitchAgentFailed

SWITCH_TO_PLAN_TEXT = """\
[Plan mode is active: the user switched this session to the agent {agent}. Until a message says \
that plan mode has ended, explore and plan only, whatever other instructions say about making \
changes.

- The plan file, {file}, which {status}, is the only file you may change. All other writes are \
denied, and a command that is not read-only needs the user's approval each time. Do not look for a \
way around that.
- Read the relevant code and find everything that the change would affect, including its tests. \
For a broad search, start several explore subagents in one message.
- Ask the user when a decision is theirs.
- Write the plan to the plan file, in Markdown: the goal, what to change and where (`path:line`), \
the order of the steps, and which commands verify the result. Keep it short enough to read in a \
minute, and keep it up to date.
- When the plan is complete, summarize it in a few lines and call plan_exit. The user decides \
whether the work starts. If they decline, continue planning based on their feedback.]"""
"""The whole of plan mode's instructions: the system prompt does not change with the mode."""
SWITCH_TEXT = "[The user switched this session to the agent {agent}.]"
SWITCH_TO_BUILD_TEXT = """\
[Plan mode has ended: the user switched this session to the agent {agent}. Its instructions and \
limits no longer apply. {plan}]"""


def on_plan_file_checked(step: Transition, message: PlanFileChecked) -> None:
    """Switch to the agent the user chose, or report why not."""
    problem = switch_agent(step, message.agent, plan_exists=message.plan_exists)
    if problem:
        agent = step.state.selection.next_agent
        step.publish(SwitchAgentFailed(agent=agent, detail=problem))


def switch_agent(step: Transition, agent: str, *, plan_exists: bool) -> str:
    """Record a switch; no call starts until it is on disk.

    Returns why nothing is switched; empty if the switch was recorded.
    """
    selection = step.state.selection
    current, target = selection.next_agent, agent or selection.agent_to_return_to
    max_modes = selection.max_modes
    has_left_plan_mode = not agent and max_modes[current] != "plan"
    if target == current or has_left_plan_mode:
        return f"{current} is already the active agent"
    if target not in max_modes:
        return f"there is no agent named {target}"
    primary = PrimaryAgent(target, max_modes[target])
    switched = AgentSwitched(
        id=step.state.identity.build_switch_id(selection.switch_count + 1),
        agent=target,
        previous_agent=current,
        text=format_switch_text(primary, selection, plan_exists=plan_exists),
        max_mode=primary.max_mode,
    )
    step.write(switched)
    pending = PendingSwitch(step.state.persistence.last_append_id, switched)
    step.update(selection=selection.with_pending(pending))
    # What tightens takes effect at once, what loosens only when it is on disk.
    if is_stricter(primary.max_mode, max_modes[current]):
        step.emit(TightenProfile(target))
    return ""


def apply_synced_switches(step: Transition) -> bool:
    """Apply the switches that are on disk; return whether there were any."""
    has_switched = False
    for pending in step.state.selection.pending_switches:
        if pending.append_id > step.state.persistence.synced_append_id:
            break
        has_switched = True
        step.update(selection=step.state.selection.with_first_applied())
        step.emit(ApplyAgent(pending.switched))
        step.publish(pending.switched)
        model = step.state.model
        active = with_settings_of_active_agent(step.state)
        step.update(model=active.model, totals=active.totals)
        if active.model.name != model.name:
            step.publish(ModelChanged(model=active.model.name))
        if active.model.effort != model.effort:
            step.publish(EffortChanged(effort=active.model.effort))
    return has_switched


def with_settings_of_active_agent(state: AgentState) -> AgentState:
    """Return the state with model, effort and limits of the active agent, if it is a primary."""
    primary = state.selection.active_primary
    if primary is None:
        return state
    model, totals = state.model, replace(state.totals, limits=primary.limits)
    if primary.model and not model.is_fixed:
        model = replace(model, name=primary.model)
    if not model.effort_is_fixed:
        model = replace(model, effort=primary.effort)
    return replace(state, model=model, totals=totals)


def publish_delayed_switches(step: Transition, detail: str) -> None:
    """Report switches that cannot be saved yet; until then the stricter agent's rights apply."""
    selection = step.state.selection
    for pending in selection.pending_switches:
        problem = f"the switch to {pending.switched.agent} cannot be saved yet ({detail})"
        step.publish(SwitchAgentFailed(agent=selection.agent, detail=problem))


def is_switch_pending(state: AgentState) -> bool:
    """Return whether a switch is being written and has not failed."""
    return state.selection.is_switch_pending(state.persistence.failed_append_id)


def get_status_fields(state: AgentState) -> dict[str, str | int | tuple[int, ...] | None]:
    """Return the fields of `SessionConfigured` that change during a session."""
    turn = state.turn
    return {
        "agent": state.selection.agent,
        "model": state.model.name,
        "effort": state.model.effort,
        "max_mode": state.selection.get_max_mode(),
        "next_turn": state.prompts.next_number,
        "queued_prompts": state.prompts.list_user_turns(),
        "running_turn": None if turn.stage is TurnStage.IDLE else turn.number,
    }


def format_switch_text(
    target: PrimaryAgent, selection: AgentSelection, *, plan_exists: bool
) -> str:
    """Return what the model reads when `target` becomes the active agent."""
    plan_file = selection.plan_file
    if target.max_mode == "plan":
        status = "already exists" if plan_exists else "does not exist yet"
        return SWITCH_TO_PLAN_TEXT.format(agent=target.name, file=plan_file, status=status)
    if selection.max_modes[selection.next_agent] != "plan":
        return SWITCH_TEXT.format(agent=target.name)
    missing = f"No plan was written: {plan_file} does not exist."
    plan = f"The plan is in {plan_file}." if plan_exists else missing
    return SWITCH_TO_BUILD_TEXT.format(agent=target.name, plan=plan)
