"""The agent actor: it feeds messages to the turn's state machine and executes its effects."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import assert_never

from actors.agents.compaction.compactor import Compactor
from actors.agents.compaction.context_usage import measure_context
from actors.agents.compaction.ledger_facts import LedgerFacts
from actors.agents.compaction.prepare_compactor import make_summary_plan
from actors.agents.definition.prepared_agent import PreparedAgent
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.effect_handlers.context_jobs import ContextJobs
from actors.agents.effect_handlers.event_publisher import EventPublisher
from actors.agents.effect_handlers.model_jobs import (
    LimitsLookup,
    ModelRequestJob,
    RequestEvent,
    RetryDelay,
    TurnTimer,
)
from actors.agents.effect_handlers.model_prefixes import RequestPrefixes
from actors.agents.effect_handlers.pending_requests import PendingRequests, get_undelivered_outcome
from actors.agents.effect_handlers.subagent_supervisor import SubagentSupervisor
from actors.agents.effect_handlers.tool_jobs import (
    check_plan_file,
    plan_call,
    report_output,
    run_call,
    to_plan_file_missing,
    to_tool_failed,
)
from actors.agents.effect_handlers.workspace_jobs import make_workspace_job
from actors.agents.restore.restored_state import (
    find_last_turn_end,
    find_pending_switch,
    restore_after_crash,
)
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.approval_requests import (
    RequestContext,
    build_approval_request,
    build_limit_question,
)
from actors.agents.turn.compaction import build_usage_changed
from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.effects import (
    ApplyAgent,
    AskAboutLimit,
    CancelCall,
    CancelModelRequest,
    CheckRead,
    Effect,
    EvaluateAttachment,
    EvaluateCall,
    EvaluateReview,
    LookUpLimits,
    ModelEffect,
    PauseTimer,
    PlanCall,
    PrepareContext,
    PrepareReview,
    PublishEvent,
    ReadAttachments,
    RequestApproval,
    RetryWrites,
    RunCall,
    ScheduleRetry,
    SendModelRequest,
    StartCompactor,
    StartTimer,
    SwitchEffect,
    TakeSnapshot,
    TightenProfile,
    TimerEffect,
    WriteRecord,
)
from actors.agents.turn.limit_pause import build_child_message
from actors.agents.turn.self_messages import ToolFailed, ToolSucceeded
from actors.agents.turn.state_machine import TurnInput, TurnMessage, advance, resume_turn
from actors.agents.turn.subagent_tasks import ChildEvent, RelevantEvent
from actors.models.model_client import ModelRequest
from actors.models.optional_settings import choose_max_tokens
from actors.runtime.actor import Actor, JobId
from actors.sessions.append_timeout import AppendTimeout
from actors.sessions.journal_client import JournalClient, get_id_offset
from actors.tools.tool import AnyTool, ToolContext
from messages.address import Address, is_subagent
from messages.compaction import GetContextUsage
from messages.content import ToolUseBlock
from messages.journal import Appended, AppendFailed, ReadRecordsFailed, Record, RecordsRead
from messages.permissions import EvaluatePermission, RegisterAgent
from messages.policy import PermissionRequest, WorkspaceAccess
from messages.subagents import SubscribeToAgent, UnsubscribeFromAgent
from messages.supervision import PeerRestarted, Undelivered
from messages.tool_calls import FileDigest
from messages.turns import (
    CommandOutput,
    Delta,
    ReplyActivity,
    RequestInfo,
    SessionConfigured,
    SwitchAgent,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolInputDelta,
    TurnStarted,
    UpwardEvent,
)

ViewInput = SubscribeToAgent | UnsubscribeFromAgent | GetContextUsage
"""Who receives the agent's stream, and what the screen wants to know."""
PeerInput = PeerRestarted | Undelivered | RecordsRead | ReadRecordsFailed
"""What a restart or an actor that has ended means for the agent's own requests and records."""
AgentInbox = Delta | CommandOutput | UpwardEvent | ViewInput | PeerInput | SwitchAgent | TurnInput
"""Everything an agent receives, by conversation."""


class Agent(Actor[AgentInbox]):
    """One conversation with a model and everything it does; the turn decides, the agent acts."""

    def __init__(
        self,
        prepared_agents: tuple[PreparedAgent, ...],
        collaborators: Collaborators,
        ports: AgentPorts,
        restored: RestoredState,
        session_configured: SessionConfigured,
    ) -> None:
        """Continue from `restored`, as the one of `prepared_agents` that its state names."""
        self._prepared_agents = {prepared.name: prepared for prepared in prepared_agents}
        self._active_agent = self._prepared_agents[restored.state.selection.agent]
        self._collaborators = collaborators
        self._ports = ports
        self._restored = restored
        self._state: AgentState = restored.state
        self._history = ConversationHistory()
        self._ledger_facts = LedgerFacts()
        self._prefixes = RequestPrefixes()
        self._context_jobs = ContextJobs(ports.environment)
        self._observed_files: dict[str, FileDigest] = {}
        self._model_job: JobId | None = None
        """The running request, or the delay before its retry."""
        self._timer_job: JobId | None = None
        self._call_jobs: dict[str, JobId] = {}
        self._journal_client = JournalClient(
            self,
            collaborators.journal,
            restored.state.identity.incarnation - 1,
            own_records_only=True,
            retries_failed=True,
        )
        self._pending_requests = PendingRequests(self)
        self._publisher = EventPublisher(self, collaborators, session_configured)
        self._subagents = SubagentSupervisor(self, collaborators, ports.subagent_factory)

    def on_start(self) -> None:
        """Continue where the records end; after a crash, they are read first."""
        peers = self._collaborators
        for peer in (peers.permissions, peers.approvals, peers.events_to):
            self.watch(peer)
        if self.incarnation > 1:
            self._subagents.reset_after_crash()
        if not self._journal_client.open(has_records=self._restored.has_records):
            self._publisher.publish_configured()
            self._resume(self._restored)

    def on_stop(self) -> None:
        """Try once more to write the records that could not be written."""
        self._journal_client.retry_unsaved()

    def on_receive(self, message: AgentInbox) -> None:
        """Handle one message."""
        if isinstance(message, UpwardEvent):
            self._on_child_event(message)
            return
        match message:
            case TextDelta() | ThinkingDelta() | ToolInputDelta() | ReplyActivity():
                self._publisher.publish_delta(message, self._state.turn)
            case CommandOutput():
                self._publisher.publish_output(message)
            case SubscribeToAgent() | UnsubscribeFromAgent() | GetContextUsage():
                self._handle_view(message)
            case PeerRestarted() | Undelivered() | RecordsRead() | ReadRecordsFailed():
                self._handle_peer(message)
            case SwitchAgent():
                self._check_plan_file(message)
            case _:
                self._advance(message)

    def _on_child_event(self, event: UpwardEvent) -> None:
        """Forward an event of the subtree, or of the own request's job, to the parent.

        Some events of a child also affect the turn.
        """
        self.forward(self._collaborators.events_to, event)
        self._ledger_facts.add_subagent_event(event, self.sender.removeprefix(f"{self.address}/"))
        if isinstance(event, RelevantEvent):
            self._advance(ChildEvent(self.sender, event))

    def _handle_view(self, message: ViewInput) -> None:
        match message:
            case SubscribeToAgent():
                self._publisher.subscribe(self.sender, self._state)
            case UnsubscribeFromAgent():
                self._publisher.unsubscribe(self.sender)
            case GetContextUsage():
                request, _ = self._build_request()
                self.tell(self.sender, measure_context(request, self._state))
            case _:
                assert_never(message)

    def _handle_peer(self, message: PeerInput) -> None:
        match message:
            case PeerRestarted():
                self._on_peer_restarted(message.peer)
            case Undelivered():
                self._on_undelivered(message)
            case RecordsRead() | ReadRecordsFailed():
                self._restore(self._journal_client.on_records_read(message))
            case _:
                assert_never(message)

    def _resume(self, restored: RestoredState) -> None:
        for record in restored.records:
            self._add_to_history(record)
            self._prefixes.add_recorded(record)
        state = restored.state
        if state.totals.context_tokens:
            self._publisher.publish(build_usage_changed(state.totals, state.model))
        self._state, effects = resume_turn(restored)
        self._carry_out(effects)
        if restored.task is not None:
            self._advance(restored.task)
        if restored.pending_switch is not None:
            self._advance(restored.pending_switch)

    def _advance(self, message: TurnMessage) -> None:
        self._update_own_state(message)
        self._state, effects = advance(self._state, message)
        self._carry_out(effects)

    def _add_to_history(self, record: Record) -> None:
        """Add a record to the conversation, and the files that the agent has seen in it."""
        self._history.add(record)
        self._ledger_facts.add(record)
        match record:
            case ToolEnded():
                self._on_observed(record.observed_files)
            case TurnStarted():
                for attachment in record.attachments:
                    self._on_observed(attachment.observed_files)
            case _:
                pass

    def _on_observed(self, files: tuple[FileDigest, ...]) -> None:
        self._observed_files.update({file.path: file for file in files})

    def _restore(self, records: tuple[Record, ...] | None) -> None:
        """Continue from the records on disk; after a crash, under new request ids."""
        if records is None:
            return
        incarnation, crashed = self._journal_client.incarnation, self.incarnation > 1
        append_id = get_id_offset(incarnation)
        restored = restore_after_crash(
            records, self._restored, incarnation, append_id, crashed=crashed
        )
        pending_switch = find_pending_switch(self._restored, records)
        restored = replace(restored, pending_switch=pending_switch)
        if crashed:
            self._publisher.last_turn_end = find_last_turn_end(records)
        self._state = restored.state
        self._active_agent = self._prepared_agents[restored.state.selection.agent]
        self._register(self._active_agent)
        self._publisher.republish_status(restored.state)
        self._resume(restored)

    def _on_peer_restarted(self, peer: Address) -> None:
        self._journal_client.on_peer_restarted(peer)
        if peer == self._collaborators.permissions:
            self._register(self._prepared_agents[self._state.selection.strictest_agent])
        self._pending_requests.resend(peer, self._state.awaited_ids)
        limit = build_child_message(self._state)
        self._subagents.on_peer_restarted(peer, self._state.subagents, limit)
        if peer == self._collaborators.events_to:
            self._publisher.republish_status(self._state)

    def _on_undelivered(self, undelivered: Undelivered) -> None:
        """Treat a request that will not be answered as failed, denied or unavailable."""
        append_failed = self._journal_client.on_undelivered(undelivered)
        outcome = append_failed or get_undelivered_outcome(undelivered)
        if outcome is not None:
            self._advance(outcome)

    def _update_own_state(self, message: TurnMessage) -> None:
        """Update what the actor itself tracks: running jobs, open appends."""
        if isinstance(message, ToolSucceeded | ToolFailed):
            self._call_jobs.pop(message.call_id, None)
        if isinstance(message, Appended | AppendFailed | AppendTimeout):
            self._journal_client.on_append_answered(message)

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        """Execute the effects of one transition; all its records are written as one group."""
        for effect in effects:
            self._execute(effect)
        writes = [effect for effect in effects if isinstance(effect, WriteRecord | RetryWrites)]
        if writes:
            records = (write.record for write in writes if isinstance(write, WriteRecord))
            records_with_prefixes = self._prefixes.add_unrecorded(records)
            self._journal_client.write(*records_with_prefixes, append_id=writes[-1].append_id)

    def _execute(self, effect: Effect) -> None:  # noqa: C901, PLR0912  (a table: one line per effect)
        match effect:
            case WriteRecord():
                self._add_to_history(effect.record)
            case RetryWrites():
                pass  # these records are in the history already
            case PublishEvent():
                self._publisher.publish(effect.event)
                self._context_jobs.on_event(effect.event)
            case PrepareContext() | ReadAttachments():
                context_job = self._context_jobs.create(effect, self._build_tool_context())
                self.start_job(context_job.run, context_job.on_failure)
            case EvaluateAttachment() | EvaluateCall():
                plan = effect.plan
                self._evaluate(effect.id, plan.requests, plan.workspace_access)
            case SendModelRequest() | CancelModelRequest() | ScheduleRetry() | LookUpLimits():
                self._execute_model_effect(effect)
            case StartTimer() | PauseTimer():
                self._execute_timer_effect(effect)
            case TightenProfile() | ApplyAgent():
                self._execute_switch_effect(effect)
            case PlanCall():
                self._plan_call(effect)
            case CheckRead():
                request = PermissionRequest(permission="read", target=effect.target)
                self._evaluate(effect.id, (request,))
            case EvaluateReview():
                # Like grep in the whole workspace: the answer has the rules for each file.
                self._evaluate(effect.id, (PermissionRequest(permission="grep", target="."),))
            case PrepareReview() | TakeSnapshot():
                self.start_job(*make_workspace_job(effect, self._ports))
            case RequestApproval():
                self._request_approval(effect)
            case AskAboutLimit():
                self._ask_about_limit(effect)
            case RunCall():
                self._run_call(effect)
            case CancelCall():
                self._cancel_job(self._call_jobs.get(effect.call_id))
            case StartCompactor():
                self._start_compactor(effect)
            case _:
                agent = self._active_agent
                chain = (agent.profile, *agent.ancestors)
                self._subagents.handle(effect, self._state.subagents, chain)

    def _execute_switch_effect(self, effect: SwitchEffect) -> None:
        match effect:
            case TightenProfile():
                self._register(self._prepared_agents[effect.agent])
            case ApplyAgent():
                self._active_agent = self._prepared_agents[effect.switched.agent]
                self._register(self._active_agent)

    def _register(self, prepared: PreparedAgent) -> None:
        """Register the primary agent's profile; a subagent's parent registers it."""
        if is_subagent(self.address):
            return
        register = RegisterAgent(agent=self.address, profile=prepared.profile)
        self.tell(self._collaborators.permissions, register)

    def _check_plan_file(self, message: SwitchAgent) -> None:
        """Check whether a plan exists before the switch; the switch message names it."""
        job = partial(check_plan_file, message.agent, self._ports.tool_context.plan_file)
        self.start_job(job, partial(to_plan_file_missing, message.agent))

    def _execute_model_effect(self, effect: ModelEffect) -> None:
        match effect:
            case SendModelRequest():
                self._send_model_request(effect)
            case CancelModelRequest():
                self._cancel_job(self._model_job)
            case ScheduleRetry():
                delay = RetryDelay(effect.request_number, effect.delay_s)
                self._model_job = self.start_job(delay.run, delay.on_failure)
            case LookUpLimits():
                lookup = LimitsLookup(self._ports.model, effect.model)
                self.start_job(lookup.run, lookup.on_failure)

    def _execute_timer_effect(self, effect: TimerEffect) -> None:
        match effect:
            case StartTimer():
                timer = TurnTimer(effect.turn, effect.remaining_s)
                self._timer_job = self.start_job(timer.run, timer.on_failure)
            case PauseTimer():
                self._cancel_job(self._timer_job)

    def _send_model_request(self, effect: SendModelRequest) -> None:
        request, prefix = self._build_request()
        info = RequestInfo(
            number=effect.request_number,
            prefix=prefix,
            max_tokens=request.max_tokens,
            effort=request.effort,
        )
        on_event: Callable[[RequestEvent], None] = self.message_sink()
        gate = self._ports.gates.get(request.model)
        job = ModelRequestJob(self._ports.model, request, info, gate, on_event)
        self._model_job = self.start_job(job.run, job.on_failure)

    def _build_request(self, model_name: str = "") -> tuple[ModelRequest, str]:
        """Return the next request, perhaps for another model, and the id of its prefix."""
        model = self._state.model
        name = model_name or model.name
        prefix = self._prefixes.choose(self._active_agent, name, self._history.loop_prefix)
        max_tokens = choose_max_tokens(name, model.effort)
        request = ModelRequest(
            model=prefix.model,
            system=prefix.system,
            tools=prefix.tools,
            messages=self._history.build_messages(prefix.id),
            max_tokens=min(max_tokens, model.limits.max_output_tokens),
            effort=model.effort,
            headers=dict(self._ports.headers),
        )
        return request, prefix.id

    def _start_compactor(self, effect: StartCompactor) -> None:
        request, prefix = self._build_request(self._state.compaction.settings.model)
        facts, messages = self._ledger_facts, self._history.messages
        plan = make_summary_plan(effect, request, prefix, self._state, facts, conversation=messages)
        gate = self._ports.gates.get(request.model)
        permissions = self._collaborators.permissions
        factory = partial(Compactor, plan, self._ports.model, gate, permissions)
        self.start(factory, effect.child.name)

    def _plan_call(self, effect: PlanCall) -> None:
        tool_use = self._get_tool_use(effect.call_id)
        job = partial(plan_call, tool_use, self._get_tools(), self._build_tool_context())
        self._call_jobs[tool_use.id] = self.start_job(job, partial(to_tool_failed, tool_use.id))

    def _evaluate(
        self,
        decision_id: str,
        requests: tuple[PermissionRequest, ...],
        workspace_access: WorkspaceAccess = "read-only",
    ) -> None:
        request = EvaluatePermission(
            id=decision_id,
            agent=self.address,
            requests=requests,
            workspace_access=workspace_access,
        )
        self._pending_requests.send(
            self._collaborators.permissions, request, self._state.awaited_ids
        )

    def _run_call(self, effect: RunCall) -> None:
        tool_use, context = self._get_tool_use(effect.call_id), self._build_tool_context()
        if effect.read_policy is not None:
            context = replace(context, read_policy=effect.read_policy)
        if effect.sandbox is not None:
            context = replace(context, sandbox=effect.sandbox)
        if self._publisher.is_watched:
            context = replace(context, on_output=report_output(self.message_sink(), effect.call_id))
        job = partial(run_call, tool_use, effect.plan, self._get_tools(), context)
        self._call_jobs[tool_use.id] = self.start_job(job, partial(to_tool_failed, tool_use.id))

    def _request_approval(self, effect: RequestApproval) -> None:
        cwd = self._ports.tool_context.workspace.cwd
        context = RequestContext(self.address, self._state.turn.number, cwd)
        request = build_approval_request(effect, self._get_tool_use(effect.call_id), context)
        self._pending_requests.send(self._collaborators.approvals, request, self._state.awaited_ids)

    def _ask_about_limit(self, effect: AskAboutLimit) -> None:
        cwd = self._ports.tool_context.workspace.cwd
        context = RequestContext(self.address, self._state.turn.number, cwd)
        request = build_limit_question(effect, context)
        self._pending_requests.send(self._collaborators.approvals, request, self._state.awaited_ids)

    def _get_tool_use(self, call_id: str) -> ToolUseBlock:
        return next(call.tool_use for call in self._state.turn.calls if call.tool_use.id == call_id)

    def _get_tools(self) -> dict[str, AnyTool]:
        return {tool.name: tool for tool in self._active_agent.tools}

    def _build_tool_context(self) -> ToolContext:
        return replace(
            self._ports.tool_context,
            observed_files=dict(self._observed_files),  # a job must not see later changes
            spawn_options=self._active_agent.spawn_options,
            existing_subagents=self._state.subagents.list_existing(),
        )

    def _cancel_job(self, job: JobId | None) -> None:
        if job is not None:
            self.cancel_job(job)
