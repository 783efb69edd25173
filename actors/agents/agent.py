"""The agent: the turn's state machine with its hands; it decides nothing itself.

Long because it is one table, from what a turn wishes to what is done.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from actors.agents.asking import RequestContext, request_for
from actors.agents.below import SubagentSupervisor
from actors.agents.children import ChildEvent, RelevantEvent
from actors.agents.effects import (
    ApplyAgent,
    CancelModelRequest,
    CheckRead,
    ClockEffect,
    Effect,
    EvaluateCall,
    LookUpLimits,
    ModelEffect,
    PauseTimer,
    PlanCall,
    PublishEvent,
    RequestApproval,
    Restrict,
    RetryWrites,
    RoleEffect,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartTimer,
    StopCall,
    WriteRecord,
)
from actors.agents.exchange import LimitsLookup, ModelRequestJob, RetryDelay, TurnTimer
from actors.agents.history import History
from actors.agents.neighbours import Collaborators, Ports
from actors.agents.questions import PendingRequests, answer_to
from actors.agents.replies import measure_of, usage_of
from actors.agents.resume import again, last_end
from actors.agents.roles import PreparedAgent
from actors.agents.state import AgentState, RestoredState
from actors.agents.switching import still_to_begin, strictest_of
from actors.agents.turn import TurnInput, TurnMessage, advance, go_on
from actors.agents.voice import EventPublisher
from actors.agents.work import call_failed, plan_call, plan_there, plan_unknown, run_call
from actors.models.client import ModelRequest
from actors.runtime.actor import Actor, JobId
from actors.sessions.recorder import JournalClient, first_mark
from actors.tools.tool import AnyTool, ToolContext
from actors.tools.toolbox import schema
from messages.address import Address
from messages.content import ToolUseBlock
from messages.permissions import EvaluatePermission, RegisterAgent
from messages.rules import PermissionRequest
from messages.subagents import SubscribeToAgent, UnsubscribeFromAgent
from messages.supervision import PeerRestarted, Undelivered
from messages.tools import FileDigest, ToolFailed, ToolSucceeded
from messages.transcript import (
    Appended,
    AppendFailed,
    AppendTimeout,
    ReadRecordsFailed,
    Record,
    RecordsRead,
)
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
        roles: tuple[PreparedAgent, ...],
        posts: Collaborators,
        ports: Ports,
        past: RestoredState,
        introduction: SessionConfigured,
    ) -> None:
        """Take up `past`; an agent without one starts idle.

        It works by the one of its `roles` that its turn names.
        """
        self._roles = {role.name: role for role in roles}
        self._role = self._roles[past.turn.agent]
        self._posts = posts
        self._ports = ports
        self._past = past
        self._turn: AgentState = past.turn
        self._history = History()
        self._seen: dict[str, FileDigest] = {}
        self._model_work: JobId | None = None
        """The request under way, or the wait before it is sent again."""
        self._clock_work: JobId | None = None
        self._call_works: dict[str, JobId] = {}
        self._recorder = JournalClient(
            self, posts.journal, past.turn.life - 1, own=True, keeps=True
        )
        self._questions = PendingRequests(self)
        self._voice = EventPublisher(self, posts, introduction)
        self._below = SubagentSupervisor(self, posts, ports.nursery)

    def on_start(self) -> None:
        """Go on where the records stop; after a crash, they have to come first."""
        for peer in (self._posts.engine, self._posts.approvals, self._posts.reports):
            self.watch(peer)
        if self.incarnation > 1:
            self._below.begin_again()
        if not self._recorder.open(on_disk=self._past.on_disk):
            self._voice.introduce()
            self._take_up(self._past)

    def on_stop(self) -> None:
        """Try to leave behind all that was said."""
        self._recorder.last_try()

    def on_receive(self, message: AgentInbox) -> None:
        """Take one message."""
        if isinstance(message, UpwardEvent):
            self.forward(self._posts.reports, message)
            if isinstance(message, RelevantEvent):
                self._advance(ChildEvent(self.sender, message))
            return
        match message:
            case TextDelta() | ThinkingDelta() | ToolInputDelta():
                self._voice.stream(message, self._turn)
            case SwitchAgent():
                self._prepare(message)
            case SubscribeToAgent():
                self._voice.watched(self.sender, self._turn)
            case UnsubscribeFromAgent():
                self._voice.unwatched(self.sender)
            case PeerRestarted():
                self._peer_restarted(message.peer)
            case Undelivered():
                self._returned(message)
            case RecordsRead() | ReadRecordsFailed():
                self._remember(self._recorder.recalled(message))
            case _:
                self._advance(message)

    def _take_up(self, past: RestoredState) -> None:
        for record in past.records:
            self._history.add(record)
        if past.turn.account.context_tokens:
            self._voice.report(usage_of(past.turn))
        self._turn, effects = go_on(past)
        self._carry_out(effects)
        if past.errand is not None:
            self._advance(past.errand)
        if past.begin is not None:
            self._advance(past.begin)

    def _advance(self, message: TurnMessage) -> None:
        self._note(message)
        self._turn, effects = advance(self._turn, message)
        self._carry_out(effects)

    def _remember(self, records: tuple[Record, ...] | None) -> None:
        """Go on from what is on disk; after a crash, under ids that nobody has heard of."""
        if records is None:
            return
        life, crashed = self._recorder.life, self.incarnation > 1
        past = again(records, self._past, life, first_mark(life), crashed=crashed)
        past = replace(past, begin=still_to_begin(self._past, records))
        if crashed:
            self._voice.ended = last_end(records)
        self._turn = past.turn
        self._role = self._roles[past.turn.agent]
        self._register(self._role)
        self._voice.introduce_again(past.turn)
        self._take_up(past)

    def _peer_restarted(self, peer: Address) -> None:
        self._recorder.peer_restarted(peer)
        if peer == self._posts.engine:
            self._register(self._roles[strictest_of(self._turn)])
        self._questions.ask_again(peer, self._turn)
        self._below.peer_restarted(peer, self._turn.family)
        if peer == self._posts.reports:
            self._voice.introduce_again(self._turn)

    def _returned(self, returned: Undelivered) -> None:
        """Take what nobody will answer for answered: not written, denied, refused."""
        answer = self._recorder.returned(returned) or answer_to(returned)
        if answer is not None:
            self._advance(answer)

    def _note(self, message: TurnMessage) -> None:
        """Keep what is the actor's own: works that ended, files as they were seen."""
        if isinstance(message, ToolSucceeded):
            self._seen.update({state.path: state for state in message.output.observed_files})
        if isinstance(message, ToolSucceeded | ToolFailed):
            self._call_works.pop(message.call_id, None)
        if isinstance(message, Appended | AppendFailed | AppendTimeout):
            self._recorder.answered(message)

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        """Do what a step wants; all that it writes goes to the disk in one piece."""
        for effect in effects:
            self._do(effect)
        writes = [each for each in effects if isinstance(each, WriteRecord | RetryWrites)]
        if writes:
            records = (each.record for each in writes if isinstance(each, WriteRecord))
            self._recorder.write(*records, mark=writes[-1].mark)

    def _do(self, effect: Effect) -> None:  # noqa: C901, PLR0912  (a table: one line an effect)
        match effect:
            case WriteRecord(record=AgentSwitched()) | RetryWrites():
                pass  # the model reads of the one when it is on disk, and has read the other
            case WriteRecord():
                self._history.add(effect.record)
            case PublishEvent():
                self._voice.report(effect.event)
            case SendModelRequest() | CancelModelRequest() | ScheduleRetry() | LookUpLimits():
                self._converse(effect)
            case StartTimer() | PauseTimer():
                self._keep_time(effect)
            case Restrict() | ApplyAgent():
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
            case StopCall():
                self._stop_work(self._call_works.get(effect.call_id))
            case _:
                self._below.do(effect, self._turn.family)

    def _take(self, effect: RoleEffect) -> None:
        match effect:
            case Restrict():
                self._register(self._roles[effect.agent])
            case ApplyAgent():
                self._history.add(effect.switched)
                self._role = self._roles[effect.switched.agent]
                self._register(self._role)

    def _register(self, role: PreparedAgent) -> None:
        self.tell(self._posts.engine, RegisterAgent(agent=self.address, profile=role.profile))

    def _prepare(self, wanted: SwitchAgent) -> None:
        """Look first whether there is a plan: the model is told."""
        look = partial(plan_there, wanted.agent, self._ports.tools.plan_file)
        self.work(look, partial(plan_unknown, wanted.agent))

    def _converse(self, effect: ModelEffect) -> None:
        match effect:
            case SendModelRequest():
                self._ask_model(effect)
            case CancelModelRequest():
                self._stop_work(self._model_work)
            case ScheduleRetry():
                rest = RetryDelay(effect.request, effect.wait_s)
                self._model_work = self.work(rest.run, rest.cut_short)
            case LookUpLimits():
                measure = LimitsLookup(self._ports.model, effect.model)
                self.work(measure.run, measure.failed)

    def _keep_time(self, effect: ClockEffect) -> None:
        match effect:
            case StartTimer():
                countdown = TurnTimer(effect.turn, effect.left_s)
                self._clock_work = self.work(countdown.run, countdown.held)
            case PauseTimer():
                self._stop_work(self._clock_work)

    def _ask_model(self, effect: SendModelRequest) -> None:
        request = ModelRequest(
            model=self._turn.model,
            system=self._role.system_prompt,
            tools=tuple(schema(tool) for tool in self._role.tools),
            messages=tuple(self._history.messages),
            max_tokens=min(self._role.max_tokens, measure_of(self._turn).output_tokens),
            headers=dict(self._ports.headers),
        )
        say: Callable[[Delta], None] = self.inlet()
        exchange = ModelRequestJob(self._ports.model, request, effect.request, say)
        self._model_work = self.work(exchange.run, exchange.failed)

    def _plan(self, effect: PlanCall) -> None:
        use = self._use(effect.call_id)
        job = partial(plan_call, use, self._tools(), self._context())
        self._call_works[use.id] = self.work(job, partial(call_failed, use.id))

    def _query(self, query: str, requests: tuple[PermissionRequest, ...]) -> None:
        asked = EvaluatePermission(id=query, agent=self.address, requests=requests)
        self._questions.ask(self._posts.engine, asked, self._turn)

    def _run(self, effect: RunCall) -> None:
        use, context = self._use(effect.call_id), self._context()
        if effect.read_policy is not None:
            context = replace(context, read_policy=effect.read_policy)
        job = partial(run_call, use, effect.plan, self._tools(), context)
        self._call_works[use.id] = self.work(job, partial(call_failed, use.id))

    def _ask_person(self, effect: RequestApproval) -> None:
        asking = RequestContext(self.address, self._turn.number, self._ports.tools.workspace.cwd)
        request = request_for(effect, self._use(effect.call_id), asking)
        self._questions.ask(self._posts.approvals, request, self._turn)

    def _use(self, call_id: str) -> ToolUseBlock:
        return next(call.use for call in self._turn.calls if call.use.id == call_id)

    def _tools(self) -> dict[str, AnyTool]:
        return {tool.name: tool for tool in self._role.tools}

    def _context(self) -> ToolContext:
        tasks = self._turn.family.known()
        return replace(self._ports.tools, observed_files=dict(self._seen), tasks=tasks)

    def _stop_work(self, work: JobId | None) -> None:
        if work is not None:
            self.cancel(work)
