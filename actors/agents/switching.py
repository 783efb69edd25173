"""From one primary agent to another in the same conversation: plan to build, and back."""

from dataclasses import replace

from actors.agents.effects import ApplyAgent, Restrict
from actors.agents.state import (
    AgentState,
    PendingSwitch,
    PrimaryAgent,
    RestoredState,
    TurnStage,
    next_prompt,
)
from actors.agents.step import Transition
from actors.permissions.modes import MODES, is_stricter, strictest_mode
from messages.rules import PermissionMode
from messages.transcript import Record
from messages.turns import AgentSwitched, PlanFileChecked, SwitchAgentFailed

PLANNING = """\
[The user has this session go on with the agent {agent}: look and plan, change nothing. What \
changes anything is denied but for the plan file, {file}, which {there}. Call plan_exit when the \
plan stands.]"""
TAKING = "[The user has this session go on with the agent {agent}.]"
WORKING = """\
[The user has this session go on with the agent {agent}: it may change files and run commands \
again, as the user allows. {plan}]"""


def prepared(step: Transition, message: PlanFileChecked) -> None:
    """Switch as the person wants."""
    problem = switch(step, message.agent, plan_written=message.plan_written)
    if problem:
        step.report(SwitchAgentFailed(agent=current(step.turn), detail=problem))


def switch(step: Transition, agent: str, *, plan_written: bool) -> str:
    """Want the switch on disk; until it is, no call begins. Says why there is none, if so."""
    turn = step.turn
    now, target = current(turn), agent or _back(turn)
    known = {each.name: each for each in turn.primaries}
    stays = not agent and known[now].max_mode != "plan"
    if target == now or stays:
        return f"{now} has the session already"
    if target not in known:
        return f"there is no agent {target}"
    record = _record(turn, known[target], plan_written=plan_written)
    step.set(switches=turn.switches + 1)
    step.write(record)
    step.set(switching=(*turn.switching, PendingSwitch(step.turn.written, record)))
    if is_stricter(known[target].max_mode, known[now].max_mode):
        step.do(Restrict(target))
    return ""


def recorded(step: Transition) -> bool:
    """Take the roles that are on disk, if there are any; calls may have waited for it."""
    took = False
    for each in step.turn.switching:
        if each.mark > step.turn.synced:
            break
        switched, took = each.switched, True
        step.set(agent=switched.agent, before=switched.before, switching=step.turn.switching[1:])
        step.do(ApplyAgent(switched))
        step.report(switched)
    return took


def refused(step: Transition, detail: str) -> None:
    """Say that a switch waits for the disk; meanwhile the stricter of the two agents counts."""
    for each in step.turn.switching:
        told = f"the switch to {each.switched.agent} waits for the disk: {detail}"
        step.report(SwitchAgentFailed(agent=step.turn.agent, detail=told))


def awaited(turn: AgentState) -> bool:
    """Whether a switch is on its way to the disk, which has not refused it."""
    return any(each.mark > turn.refused for each in turn.switching)


def switched_back(turn: AgentState, switches: list[AgentSwitched]) -> AgentState:
    """Say who has the session after an earlier run; one that there is no more has it no more."""
    known = {each.name for each in turn.primaries}
    if not switches or switches[-1].agent not in known:
        return turn
    last = switches[-1]
    return replace(turn, agent=last.agent, before=last.before)


def still_to_begin(past: RestoredState, records: tuple[Record, ...]) -> PlanFileChecked | None:
    """Say what of a run's first switch is to be done after a crash: all of it, or nothing."""
    before = sum(isinstance(each, AgentSwitched) for each in past.records)
    now = sum(isinstance(each, AgentSwitched) for each in records)
    return past.begin if now == before else None


def current(turn: AgentState) -> str:
    """Name who has the session, or will once that is on disk."""
    return turn.switching[-1].switched.agent if turn.switching else turn.agent


def standing(turn: AgentState) -> dict[str, str | int | None]:
    """Say who has the session and at which turn, for those who are told of it anew."""
    return {
        "agent": turn.agent,
        "max_mode": ceiling_of(turn),
        "next_turn": next_prompt(turn),
        "running_turn": None if turn.stage is TurnStage.IDLE else turn.number,
    }


def ceiling_of(turn: AgentState) -> PermissionMode:
    """Say in which mode at the loosest this agent works now, and whoever it starts."""
    known: dict[str, PermissionMode] = {each.name: each.max_mode for each in turn.primaries}
    return strictest_mode(known.get(strictest_of(turn), "yolo"), turn.max_mode)


def strictest_of(turn: AgentState) -> str:
    """Name whom the permission engine goes by: while a switch is under way, the stricter one."""
    known = {each.name: each for each in turn.primaries}
    names = (turn.agent, *(each.switched.agent for each in turn.switching))
    return min(names, key=lambda name: MODES.index(known[name].max_mode)) if known else turn.agent


def _back(turn: AgentState) -> str:
    return turn.switching[-1].switched.before if turn.switching else turn.before


def _record(turn: AgentState, to: PrimaryAgent, *, plan_written: bool) -> AgentSwitched:
    return AgentSwitched(
        id=f"{turn.asker}#switch-{turn.switches + 1}@{turn.era}",
        agent=to.name,
        before=current(turn),
        text=text_for(to, turn, plan_written=plan_written),
        max_mode=to.max_mode,
    )


def text_for(to: PrimaryAgent, turn: AgentState, *, plan_written: bool) -> str:
    """Write what the model reads when `to` takes the session."""
    plan_file = turn.plan_file
    if to.max_mode == "plan":
        there = "is there already" if plan_written else "does not exist yet"
        return PLANNING.format(agent=to.name, file=plan_file, there=there)
    known: dict[str, PermissionMode] = {each.name: each.max_mode for each in turn.primaries}
    if known[current(turn)] != "plan":
        return TAKING.format(agent=to.name)
    missing = f"No plan was written: {plan_file} does not exist."
    plan = f"The plan is in {plan_file}." if plan_written else missing
    return WORKING.format(agent=to.name, plan=plan)
