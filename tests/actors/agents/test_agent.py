"""The agent as an actor: effects of the turn become messages and jobs, in order."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from random import Random

import pytest

from actors.agents.agent import Agent
from actors.agents.definition.definition import BUILD_AGENT, build_profile
from actors.agents.definition.prepared_agent import PreparedAgent
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.subagent_factory import DefaultSubagentFactory
from actors.agents.turn.agent_identity import AgentIdentity
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.compaction_state import CompactionSettings
from actors.agents.turn.limits import Limits, TimerState, UsageTotals
from actors.agents.turn.turn_state import TurnState
from actors.models.model_client import ModelClient, ModelError, ModelRequest, Reply, ReplyDelta
from actors.models.request_gate import RequestGates
from actors.paths.workspace import Workspace
from actors.runtime.system import ActorSystem
from actors.sandbox.policy import Confinement
from actors.tools.command_runner import CommandResult, OutputTarget
from actors.tools.tool import ToolContext
from actors.tools.toolbox import BUILT_IN_TOOLS
from actors.tools.write import WRITE
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY
from messages.approvals import (
    ApprovalDecided,
    ApprovalUnavailable,
    PatchApprovalRequest,
    QuestionRequest,
    WithdrawApprovals,
)
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import Append, Appended, RequestPrefix
from messages.model_limits import ModelLimitsFound
from messages.permissions import EvaluatePermission, PermissionDecision
from messages.policy import PermissionRequest
from messages.turns import (
    CancelTurn,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
    RequestInfo,
    SessionConfigured,
    StartTurn,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnStarted,
    UsageChanged,
)
from tests.actors.agents.turn.message_builders import NO_LIMITS, USAGE
from tests.probe import start_probe

pytestmark = pytest.mark.quick

CONFIGURED = SessionConfigured(
    session_id="s",
    agent="build",
    model="m",
    mode="default",
    cwd="/",
    is_scripted=True,
    next_turn=1,
)
WRITE_CALL = ToolUseBlock(id="c1", name="write", input={"path": "a.txt", "content": "hello\n"})


def make_reply(*content: TextBlock | ToolUseBlock) -> Reply:
    has_call = isinstance(content[-1], ToolUseBlock)
    return Reply(content, "tool_use" if has_call else "end_turn", USAGE, "m")


class RecordingModel:
    """A model with prepared replies; records its requests."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        self.requests.append(request)
        next_reply = self._replies.pop(0)
        yield ReplyDelta(text="so")
        yield next_reply

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, max_context_tokens=1_000, max_output_tokens=500)


class FailingModel(RecordingModel):
    """A model that streams a word and then calls `fail`, the first few times."""

    def __init__(self, fail: Callable[[], Awaitable[object]], times: int, *replies: Reply) -> None:
        super().__init__(*replies)
        self._fail = fail
        self._times = times

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        if len(self.requests) >= self._times:
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    yield event
            return
        self.requests.append(request)
        yield ReplyDelta(text="so")
        await self._fail()


def fail_overloaded(retry_after_s: float) -> Callable[[], Awaitable[object]]:
    async def fail() -> None:
        raise ModelError(
            reason="overloaded", detail="busy", is_retryable=True, retry_after_s=retry_after_s
        )

    return fail


class UnusedProcesses:
    async def run(
        self,
        command: str,
        cwd: Path,
        timeout_s: float,
        output: OutputTarget,
        sandbox: Confinement | None = None,
    ) -> CommandResult:
        raise NotImplementedError


class AgentEnvironment:
    """The actors an agent sends messages to, and its model."""

    def __init__(
        self, system: ActorSystem, folder: Path, model: ModelClient, limits: Limits = NO_LIMITS
    ) -> None:
        self.journal = start_probe(system, "journal")
        self.engine = start_probe(system, "permissions")
        self.broker = start_probe(system, "approvals")
        self.console = start_probe(system, "console")
        prepared = PreparedAgent(
            "build", "Be good.", BUILT_IN_TOOLS, BUILT_IN_TOOLS, build_profile(BUILD_AGENT)
        )
        collaborators = Collaborators(JOURNAL, PERMISSIONS, APPROVALS, CONSOLE, (CONSOLE,))
        workspace = Workspace(folder, folder)
        context = ToolContext(workspace, {}, UnusedProcesses(), folder / "outputs", str)
        read_only_tools = frozenset(tool.name for tool in BUILT_IN_TOOLS if tool.reads_only)
        state = AgentState(
            identity=AgentIdentity(PRIMARY, read_only_tools=read_only_tools),
            turn=TurnState(timer=TimerState(remaining_s=limits.seconds)),
            totals=UsageTotals(limits),
        )
        gates = RequestGates(Random(1))  # noqa: S311  (must be repeatable)
        subagent_factory = DefaultSubagentFactory(
            definitions=(),
            tools=BUILT_IN_TOOLS,
            instructions=(),
            model=model,
            gates=gates,
            tool_context=context,
            session_configured=CONFIGURED,
            limits=limits,
            compaction=CompactionSettings(),
            max_depth=0,
            run=1,
        )
        ports = AgentPorts(model, gates, context, subagent_factory)
        restored = RestoredState(state)
        agent = partial(Agent, (prepared,), collaborators, ports, restored, CONFIGURED)
        system.start(agent, "primary")
        self.console.expect(CONFIGURED)

    def prompt(self) -> None:
        self.console.tell(PRIMARY, StartTurn(turn=1, text="do it"))
        self.sync(TurnStarted)
        self.console.expect_kind(TurnStarted)
        self.console.expect(TextDelta(text="so"))

    def end_at_limit(self) -> None:
        """Answer the question about a limit as a run without a user does."""
        question = self.broker.expect_kind(QuestionRequest)
        reason = "there is no user"
        unavailable = ApprovalUnavailable(id=question.id, agent=PRIMARY, reason=reason)
        self.broker.tell(PRIMARY, unavailable)

    def sync(self, *types: type[object]) -> None:
        """Assert the types of the next group of records and confirm that it is on disk."""
        append = self.journal.expect_kind(Append)
        assert tuple(type(record) for record in append.records) == types
        self.journal.tell(PRIMARY, Appended(id=append.id))

    def decide(self, action: str) -> None:
        request = self.engine.expect_kind(EvaluatePermission)
        assert request.agent == PRIMARY
        assert request.requests == (PermissionRequest(permission=WRITE.name, target="a.txt"),)
        fields = {"id": request.id, "action": action, "reason": "a rule", "policy_version": 1}
        self.engine.tell(PRIMARY, PermissionDecision.model_validate(fields))

    def wait_for_approval_request(self) -> PatchApprovalRequest:
        """Bring the turn to its approval request."""
        self.prompt()
        self.sync(RequestPrefix, ReplyCompleted)
        self.console.expect_kind(ReplyCompleted)
        self.console.expect_kind(UsageChanged)
        self.decide("ask")
        return self.broker.expect_kind(PatchApprovalRequest)


def test_a_call_is_evaluated_approved_recorded_and_then_run(
    system: ActorSystem, tmp_path: Path
) -> None:
    model = RecordingModel(make_reply(WRITE_CALL), make_reply(TextBlock(text="done")))
    environment = AgentEnvironment(system, tmp_path, model)
    request = environment.wait_for_approval_request()
    assert (request.id, request.path) == ("/primary#1@1", str(tmp_path / "a.txt"))

    environment.broker.tell(PRIMARY, ApprovalDecided(id=request.id, agent=PRIMARY, decision="once"))
    environment.decide("ask")
    started = environment.journal.expect_kind(Append)
    assert [type(record) for record in started.records] == [ToolStarted]
    assert not (tmp_path / "a.txt").exists(), "the call ran before its start was on disk"
    environment.journal.tell(PRIMARY, Appended(id=started.id))

    environment.console.expect_kind(ToolStarted)
    assert environment.console.expect_kind(ToolEnded).status == "ok"
    assert (tmp_path / "a.txt").read_text() == "hello\n"
    environment.sync(ToolEnded)
    environment.console.expect(TextDelta(text="so"))
    environment.sync(ReplyCompleted, TurnCompleted)
    environment.console.expect_kind(ReplyCompleted)
    environment.console.expect_kind(UsageChanged)
    assert environment.console.expect_kind(TurnCompleted).text == "done"


def test_a_later_request_starts_with_the_earlier_messages(
    system: ActorSystem, tmp_path: Path
) -> None:
    model = RecordingModel(make_reply(WRITE_CALL), make_reply(TextBlock(text="done")))
    environment = AgentEnvironment(system, tmp_path, model)
    environment.prompt()
    environment.sync(RequestPrefix, ReplyCompleted)
    environment.decide("deny")
    environment.sync(ToolEnded)
    environment.sync(ReplyCompleted, TurnCompleted)

    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert (first.system, first.tools) == (second.system, second.tools)


def test_a_cancel_withdraws_the_request_and_ends_the_turn(
    system: ActorSystem, tmp_path: Path
) -> None:
    environment = AgentEnvironment(system, tmp_path, RecordingModel(make_reply(WRITE_CALL)))
    request = environment.wait_for_approval_request()
    environment.console.tell(PRIMARY, CancelTurn(turn=1))

    environment.broker.expect(WithdrawApprovals(under=PRIMARY))
    environment.broker.tell(PRIMARY, ApprovalDecided(id=request.id, agent=PRIMARY, decision="once"))
    environment.sync(ToolEnded, TurnInterrupted)
    assert environment.console.expect_kind(ToolEnded).status == "cancelled"
    environment.console.expect(TurnInterrupted(turn=1, usage=USAGE))
    environment.engine.expect_nothing_more()
    assert not (tmp_path / "a.txt").exists()


def test_a_failed_request_is_sent_again_after_a_delay(system: ActorSystem, tmp_path: Path) -> None:
    model = FailingModel(fail_overloaded(0.001), 2, make_reply(TextBlock(text="done")))
    environment = AgentEnvironment(system, tmp_path, model)
    environment.prompt()
    for attempt, types in ((1, (RequestPrefix, ModelRetrying)), (2, (ModelRetrying,))):
        retrying = environment.console.expect_kind(ModelRetrying)
        assert (retrying.attempt, retrying.wait_s, retrying.partial_text) == (attempt, 0.001, "so")
        environment.sync(*types)
        environment.console.expect(TextDelta(text="so"))
    environment.sync(ReplyCompleted, TurnCompleted)

    first, second, third = model.requests
    assert first == second == third


def test_a_cancel_ends_a_long_retry_delay_at_once(system: ActorSystem, tmp_path: Path) -> None:
    environment = AgentEnvironment(system, tmp_path, FailingModel(fail_overloaded(3600), 1))
    environment.prompt()
    assert environment.console.expect_kind(ModelRetrying).wait_s == 300
    environment.sync(RequestPrefix, ModelRetrying)
    environment.console.tell(PRIMARY, CancelTurn(turn=1))
    environment.sync(TurnInterrupted)
    assert environment.console.expect_kind(TurnInterrupted).partial_text == "so"


def test_the_time_limit_closes_the_stream_and_keeps_the_text(
    system: ActorSystem, tmp_path: Path
) -> None:
    silent_model = FailingModel(asyncio.Event().wait, 1)
    environment = AgentEnvironment(system, tmp_path, silent_model, Limits(seconds=0.05))
    environment.prompt()
    environment.end_at_limit()
    environment.sync(RequestPrefix, TurnFailed)
    failed = environment.console.expect_kind(TurnFailed)
    assert (failed.reason, failed.partial_text) == ("time_limit", "so")


FAILED_USAGE = Usage(input_tokens=11)


@pytest.mark.parametrize(
    "failure",
    [
        ModelRetrying(
            turn=1,
            attempt=1,
            max_attempts=3,
            wait_s=1,
            reason="overloaded",
            detail="",
            usage=FAILED_USAGE,
        ),
        TurnFailed(
            turn=1, reason="protocol_error", detail="", request=RequestInfo(usage=FAILED_USAGE)
        ),
        TurnInterrupted(turn=1, request=RequestInfo(usage=FAILED_USAGE)),
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_usage_of_failed_subagent_requests_counts_for_the_parent(
    system: ActorSystem, tmp_path: Path, failure: ModelRetrying | TurnFailed | TurnInterrupted
) -> None:
    environment = AgentEnvironment(system, tmp_path, RecordingModel(), Limits(tokens=10))
    environment.console.tell(PRIMARY, failure)
    environment.console.expect(failure)
    environment.console.tell(PRIMARY, StartTurn(turn=1, text="do it"))
    environment.end_at_limit()
    environment.sync(TurnStarted)
    environment.sync(TurnFailed)
    environment.console.expect_kind(TurnStarted)
    assert environment.console.expect_kind(TurnFailed).reason == "token_budget"


def test_a_failed_write_of_a_subagent_is_reported_up(system: ActorSystem, tmp_path: Path) -> None:
    environment = AgentEnvironment(system, tmp_path, RecordingModel())
    failing = PersistenceChanged(state="failing", detail="disk full")
    environment.console.tell(PRIMARY, failing)
    environment.console.expect(failing)
    environment.console.tell(PRIMARY, StartTurn(turn=1, text="do it"))
    environment.console.expect_kind(TurnStarted)
    environment.sync(TurnStarted)
    environment.console.expect(PersistenceChanged(state="ok"))
