"""The agent: the turn's state machine with its hands; it decides nothing itself.

Long because it is one table, from what a turn wishes to what is done.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from actors.agents.definition.prepared_agent import PreparedAgent
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.effect_handlers.event_publisher import EventPublisher
from actors.agents.effect_handlers.model_jobs import (
    LimitsLookup,
    ModelRequestJob,
    RetryDelay,
    TurnTimer,
)
from actors.agents.effect_handlers.pending_requests import PendingRequests, get_undelivered_outcome
from actors.agents.effect_handlers.subagent_supervisor import SubagentSupervisor
from actors.agents.effect_handlers.tool_jobs import (
    check_plan_file,
    plan_call,
    run_call,
    to_plan_file_missing,
    to_tool_failed,
)
from actors.agents.restore.restored_state import (
    find_last_turn_end,
    find_pending_switch,
    restore_after_crash,
)
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.agent_switch import get_strictest_agent
from actors.agents.turn.approval import RequestContext, build_approval_request
from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.effects import (
    ApplyAgent,
    CancelCall,
    CancelModelRequest,
    CheckRead,
    Effect,
    EvaluateCall,
    LookUpLimits,
    ModelEffect,
    PauseTimer,
    PlanCall,
    PublishEvent,
    RequestApproval,
    RetryWrites,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartTimer,
    SwitchEffect,
    TightenProfile,
    TimerEffect,
    WriteRecord,
)
from actors.agents.turn.model_replies import build_usage_changed, get_model_limits
from actors.agents.turn.self_messages import ToolFailed, ToolSucceeded
from actors.agents.turn.state_machine import TurnInput, TurnMessage, advance, resume_turn
from actors.agents.turn.subagent_tasks import ChildEvent, RelevantEvent
from actors.models.model_client import ModelRequest
from actors.runtime.actor import Actor, JobId
from actors.sessions.append_timeout import AppendTimeout
from actors.sessions.journal_client import JournalClient, get_id_offset
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.toolbox import build_schema
from messages.address import Address
from messages.content import ToolUseBlock
from messages.journal import Appended, AppendFailed, ReadRecordsFailed, Record, RecordsRead
from messages.permissions import EvaluatePermission, RegisterAgent
from messages.policy import PermissionRequest
from messages.subagents import SubscribeToAgent, UnsubscribeFromAgent
from messages.supervision import PeerRestarted, Undelivered
from messages.tool_calls import FileDigest
from messages.turns import (
    AgentSwitched,
    Delta,
    SessionConfigured,
    SwitchAgent,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    UpwardEvent,
)

AgentInbox = (
    TurnInput
    | SwitchAgent
    | UpwardEvent
    | TextDelta
    | ThinkingDelta
    | ToolInputDelta
    | SubscribeToAgent
    | UnsubscribeFromAgent
    | PeerRestarted
    | Undelivered
    | RecordsRead
    | ReadRecordsFailed
)


class Agent(Actor[AgentInbox]):
    """One conversation with a model and the work that comes of it."""

    def __init__(
        self,
        prepared_agents: tuple[PreparedAgent, ...],
        collaborators: Collaborators,
        ports: AgentPorts,
        restored: RestoredState,
        session_configured: SessionConfigured,
    ) -> None:
        """Take up `past`; an agent without one starts idle.

        It works by the one of its `roles` that its turn names.
        """
        self._roles = {role.name: role for role in prepared_agents}
        self._role = self._roles[restored.state.agent]
        self._posts = collaborators
        self._ports = ports
        self._past = restored
        self._turn: AgentState = restored.state
        self._history = ConversationHistory()
        self._seen: dict[str, FileDigest] = {}
        self._model_work: JobId | None = None
        """The request under way, or the wait before it is sent again."""
        self._clock_work: JobId | None = None
        self._call_works: dict[str, JobId] = {}
        self._recorder = JournalClient(
            self,
            collaborators.journal,
            restored.state.incarnation - 1,
            own_records_only=True,
            retries_failed=True,
        )
        self._questions = PendingRequests(self)
        self._voice = EventPublisher(self, collaborators, session_configured)
        self._below = SubagentSupervisor(self, collaborators, ports.subagent_factory)

    def on_start(self) -> None:
        """Go on where the records stop; after a crash, they have to come first."""
        for peer in (self._posts.permissions, self._posts.approvals, self._posts.events_to):
            self.watch(peer)
        if self.incarnation > 1:
            self._below.reset_after_crash()
        if not self._recorder.open(has_records=self._past.has_records):
            self._voice.publish_configured()
            self._take_up(self._past)

    def on_stop(self) -> None:
        """Try to leave behind all that was said."""
        self._recorder.retry_unsaved()

    def on_receive(self, message: AgentInbox) -> None:
        """Take one message."""
        if isinstance(message, UpwardEvent):
            self.forward(self._posts.events_to, message)
            if isinstance(message, RelevantEvent):
                self._advance(ChildEvent(self.sender, message))
            return
        match message:
            case TextDelta() | ThinkingDelta() | ToolInputDelta():
                self._voice.publish_delta(message, self._turn)
            case SwitchAgent():
                self._prepare(message)
            case SubscribeToAgent():
                self._voice.subscribe(self.sender, self._turn)
            case UnsubscribeFromAgent():
                self._voice.unsubscribe(self.sender)
            case PeerRestarted():
                self._peer_restarted(message.peer)
            case Undelivered():
                self._returned(message)
            case RecordsRead() | ReadRecordsFailed():
                self._remember(self._recorder.on_records_read(message))
            case _:
                self._advance(message)

    def _take_up(self, past: RestoredState) -> None:
        for record in past.records:
            self._history.add(record)
        if past.state.totals.context_tokens:
            self._voice.publish(build_usage_changed(past.state))
        self._turn, effects = resume_turn(past)
        self._carry_out(effects)
        if past.task is not None:
            self._advance(past.task)
        if past.pending_switch is not None:
            self._advance(past.pending_switch)

    def _advance(self, message: TurnMessage) -> None:
        self._note(message)
        self._turn, effects = advance(self._turn, message)
        self._carry_out(effects)

    def _remember(self, records: tuple[Record, ...] | None) -> None:
        """Go on from what is on disk; after a crash, under ids that nobody has heard of."""
        if records is None:
            return
        life, crashed = self._recorder.incarnation, self.incarnation > 1
        past = restore_after_crash(records, self._past, life, get_id_offset(life), crashed=crashed)
        past = replace(past, pending_switch=find_pending_switch(self._past, records))
        if crashed:
            self._voice.last_turn_end = find_last_turn_end(records)
        self._turn = past.state
        self._role = self._roles[past.state.agent]
        self._register(self._role)
        self._voice.republish_status(past.state)
        self._take_up(past)

    def _peer_restarted(self, peer: Address) -> None:
        self._recorder.on_peer_restarted(peer)
        if peer == self._posts.permissions:
            self._register(self._roles[get_strictest_agent(self._turn)])
        self._questions.resend(peer, self._turn)
        self._below.on_peer_restarted(peer, self._turn.subagents)
        if peer == self._posts.events_to:
            self._voice.republish_status(self._turn)

    def _returned(self, returned: Undelivered) -> None:
        """Take what nobody will answer for answered: not written, denied, refused."""
        answer = self._recorder.on_undelivered(returned) or get_undelivered_outcome(returned)
        if answer is not None:
            self._advance(answer)

    def _note(self, message: TurnMessage) -> None:
        """Keep what is the actor's own: works that ended, files as they were seen."""
        if isinstance(message, ToolSucceeded):
            self._seen.update({state.path: state for state in message.output.observed_files})
        if isinstance(message, ToolSucceeded | ToolFailed):
            self._call_works.pop(message.call_id, None)
        if isinstance(message, Appended | AppendFailed | AppendTimeout):
            self._recorder.on_append_answered(message)

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        """Do what a step wants; all that it writes goes to the disk in one piece."""
        for effect in effects:
            self._do(effect)
        writes = [each for each in effects if isinstance(each, WriteRecord | RetryWrites)]
        if writes:
            records = (each.record for each in writes if isinstance(each, WriteRecord))
            self._recorder.write(*records, append_id=writes[-1].append_id)

    def _do(self, effect: Effect) -> None:  # noqa: C901, PLR0912  (a table: one line an effect)
        match effect:
            case WriteRecord(record=AgentSwitched()) | RetryWrites():
                pass  # the model reads of the one when it is on disk, and has read the other
            case WriteRecord():
                self._history.add(effect.record)
            case PublishEvent():
                self._voice.publish(effect.event)
            case SendModelRequest() | CancelModelRequest() | ScheduleRetry() | LookUpLimits():
                self._converse(effect)
            case StartTimer() | PauseTimer():
                self._keep_time(effect)
            case TightenProfile() | ApplyAgent():
                self._take(effect)
            case PlanCall():
                self._plan(effect)
            case CheckRead():
                reading = PermissionRequest(permission="read", target=effect.target)
                self._query(effect.id, (reading,))
            case EvaluateCall():
                self._query(effect.id, effect.plan.requests)
            case RequestApproval():
                self._ask_person(effect)
            case RunCall():
                self._run(effect)
            case CancelCall():
                self._stop_work(self._call_works.get(effect.call_id))
            case _:
                self._below.handle(effect, self._turn.subagents)

    def _take(self, effect: SwitchEffect) -> None:
        match effect:
            case TightenProfile():
                self._register(self._roles[effect.agent])
            case ApplyAgent():
                self._history.add(effect.switched)
                self._role = self._roles[effect.switched.agent]
                self._register(self._role)

    def _register(self, role: PreparedAgent) -> None:
        self.tell(self._posts.permissions, RegisterAgent(agent=self.address, profile=role.profile))

    def _prepare(self, wanted: SwitchAgent) -> None:
        """Look first whether there is a plan: the model is told."""
        look = partial(check_plan_file, wanted.agent, self._ports.tool_context.plan_file)
        self.start_job(look, partial(to_plan_file_missing, wanted.agent))

    def _converse(self, effect: ModelEffect) -> None:
        match effect:
            case SendModelRequest():
                self._ask_model(effect)
            case CancelModelRequest():
                self._stop_work(self._model_work)
            case ScheduleRetry():
                rest = RetryDelay(effect.request_number, effect.delay_s)
                self._model_work = self.start_job(rest.run, rest.on_failure)
            case LookUpLimits():
                measure = LimitsLookup(self._ports.model, effect.model)
                self.start_job(measure.run, measure.on_failure)

    def _keep_time(self, effect: TimerEffect) -> None:
        match effect:
            case StartTimer():
                countdown = TurnTimer(effect.turn, effect.remaining_s)
                self._clock_work = self.start_job(countdown.run, countdown.on_failure)
            case PauseTimer():
                self._stop_work(self._clock_work)

    def _ask_model(self, effect: SendModelRequest) -> None:
        request = ModelRequest(
            model=self._turn.model,
            system=self._role.system_prompt,
            tools=tuple(build_schema(tool) for tool in self._role.tools),
            messages=tuple(self._history.messages),
            max_tokens=min(self._role.max_tokens, get_model_limits(self._turn).max_output_tokens),
            headers=dict(self._ports.headers),
        )
        say: Callable[[Delta], None] = self.message_sink()
        exchange = ModelRequestJob(self._ports.model, request, effect.request_number, say)
        self._model_work = self.start_job(exchange.run, exchange.on_failure)

    def _plan(self, effect: PlanCall) -> None:
        use = self._use(effect.call_id)
        job = partial(plan_call, use, self._tools(), self._context())
        self._call_works[use.id] = self.start_job(job, partial(to_tool_failed, use.id))

    def _query(self, query: str, requests: tuple[PermissionRequest, ...]) -> None:
        asked = EvaluatePermission(id=query, agent=self.address, requests=requests)
        self._questions.send(self._posts.permissions, asked, self._turn)

    def _run(self, effect: RunCall) -> None:
        use, context = self._use(effect.call_id), self._context()
        if effect.read_policy is not None:
            context = replace(context, read_policy=effect.read_policy)
        job = partial(run_call, use, effect.plan, self._tools(), context)
        self._call_works[use.id] = self.start_job(job, partial(to_tool_failed, use.id))

    def _ask_person(self, effect: RequestApproval) -> None:
        asking = RequestContext(
            self.address, self._turn.turn_number, self._ports.tool_context.workspace.cwd
        )
        request = build_approval_request(effect, self._use(effect.call_id), asking)
        self._questions.send(self._posts.approvals, request, self._turn)

    def _use(self, call_id: str) -> ToolUseBlock:
        return next(call.tool_use for call in self._turn.calls if call.tool_use.id == call_id)

    def _tools(self) -> dict[str, AnyTool]:
        return {tool.name: tool for tool in self._role.tools}

    def _context(self) -> ToolContext:
        tasks = self._turn.subagents.list_existing()
        return replace(
            self._ports.tool_context, observed_files=dict(self._seen), existing_subagents=tasks
        )

    def _stop_work(self, work: JobId | None) -> None:
        if work is not None:
            self.cancel_job(work)
