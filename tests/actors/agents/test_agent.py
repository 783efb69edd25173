"""The agent as an actor: the turn's wishes become messages and works, in the order it named."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path

import pytest

from actors.agents.agent import Agent
from actors.agents.definition.definition import BUILD_AGENT, build_profile
from actors.agents.definition.prepared_agent import PreparedAgent
from actors.agents.effect_handlers.collaborators import AgentPorts, Collaborators
from actors.agents.subagent_factory import DefaultSubagentFactory
from actors.agents.turn.agent_state import AgentState, RestoredState
from actors.agents.turn.limits import Limits, TimerState, UsageTotals
from actors.models.model_client import ModelClient, ModelError, ModelRequest, Reply, ReplyDelta
from actors.paths.workspace import Workspace
from actors.runtime.system import ActorSystem
from actors.tools.command_runner import CommandResult
from actors.tools.tool import ToolContext
from actors.tools.toolbox import BUILT_IN_TOOLS
from actors.tools.write import WRITE
from messages.address import APPROVALS, CONSOLE, JOURNAL, PERMISSIONS, PRIMARY
from messages.approvals import ApprovalDecided, PatchApprovalRequest, WithdrawApprovals
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import Append, Appended
from messages.model_events import ModelLimitsFound
from messages.permissions import EvaluatePermission, PermissionDecision
from messages.policy import PermissionRequest
from messages.turns import (
    CancelTurn,
    ModelRetrying,
    PersistenceChanged,
    ReplyCompleted,
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

HELLO = SessionConfigured(
    session_id="s",
    agent="build",
    model="m",
    mode="default",
    cwd="/",
    is_scripted=True,
    next_turn=1,
)
WRITES = ToolUseBlock(id="c1", name="write", input={"path": "a.txt", "content": "hello\n"})


def reply(*content: TextBlock | ToolUseBlock) -> Reply:
    called = isinstance(content[-1], ToolUseBlock)
    return Reply(content, "tool_use" if called else "end_turn", USAGE, "m")


class RecordingModel:
    """A model with prepared replies; keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.asked: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        self.asked.append(request)
        next_reply = self._replies.pop(0)
        yield ReplyDelta(text="so")
        yield next_reply

    async def look_up_limits(self, model: str) -> ModelLimitsFound:
        return ModelLimitsFound(model=model, max_context_tokens=1_000, max_output_tokens=500)


class FailingModel(RecordingModel):
    """A model that says a word and then does what `then` does, the first few times."""

    def __init__(self, then: Callable[[], Awaitable[object]], times: int, *replies: Reply) -> None:
        super().__init__(*replies)
        self._then = then
        self._times = times

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ReplyDelta | Reply, None]:
        if len(self.asked) >= self._times:
            async with aclosing(super().stream(request)) as good:
                async for event in good:
                    yield event
            return
        self.asked.append(request)
        yield ReplyDelta(text="so")
        await self._then()


def busy(retry_after_s: float) -> Callable[[], Awaitable[object]]:
    async def fail() -> None:
        raise ModelError(
            reason="overloaded", detail="busy", is_retryable=True, retry_after_s=retry_after_s
        )

    return fail


class UnusedProcesses:
    async def run(self, command: str, cwd: Path, timeout_s: float, outputs: Path) -> CommandResult:
        raise NotImplementedError


class AgentEnvironment:
    """Everyone an agent talks to, and the model that it talks to."""

    def __init__(
        self, system: ActorSystem, folder: Path, model: ModelClient, limits: Limits = NO_LIMITS
    ) -> None:
        self.journal = start_probe(system, "journal")
        self.engine = start_probe(system, "permissions")
        self.broker = start_probe(system, "approvals")
        self.console = start_probe(system, "console")
        role = PreparedAgent("build", "Be good.", BUILT_IN_TOOLS, build_profile(BUILD_AGENT))
        posts = Collaborators(JOURNAL, PERMISSIONS, APPROVALS, CONSOLE, (CONSOLE,))
        workspace = Workspace(folder, folder)
        tools = ToolContext(workspace, {}, UnusedProcesses(), folder / "outputs", str)
        reading = frozenset(tool.name for tool in BUILT_IN_TOOLS if tool.reads_only)
        account, clock = UsageTotals(limits), TimerState(remaining_s=limits.seconds)
        past = RestoredState(
            AgentState(agent_address=PRIMARY, read_only_tools=reading, totals=account, timer=clock)
        )
        nursery = DefaultSubagentFactory(
            (), BUILT_IN_TOOLS, (), model, tools, HELLO, limits, max_depth=0, run=1
        )
        make = partial(Agent, (role,), posts, AgentPorts(model, tools, nursery), past, HELLO)
        system.start(make, "primary")
        self.console.expect(HELLO)

    def prompt(self) -> None:
        self.console.tell(PRIMARY, StartTurn(turn=1, text="do it"))
        self.written(TurnStarted)
        self.console.expect_kind(TurnStarted)
        self.console.expect(TextDelta(text="so"))

    def written(self, *kinds: type[object]) -> None:
        """Check the kinds of records that come next, in one piece, and say they are on disk."""
        append = self.journal.expect_kind(Append)
        assert tuple(type(each) for each in append.records) == kinds
        self.journal.tell(PRIMARY, Appended(id=append.id))

    def verdict(self, action: str) -> None:
        query = self.engine.expect_kind(EvaluatePermission)
        assert query.agent == PRIMARY
        assert query.requests == (PermissionRequest(permission=WRITE.name, target="a.txt"),)
        said = {"id": query.id, "action": action, "reason": "a rule", "policy_version": 1}
        self.engine.tell(PRIMARY, PermissionDecision.model_validate(said))

    def asked(self) -> PatchApprovalRequest:
        """Go up to the question to a person."""
        self.prompt()
        self.written(ReplyCompleted)
        self.console.expect_kind(ReplyCompleted)
        self.console.expect_kind(UsageChanged)
        self.verdict("ask")
        return self.broker.expect_kind(PatchApprovalRequest)


def test_a_call_is_evaluated_approved_recorded_and_then_run(
    system: ActorSystem, tmp_path: Path
) -> None:
    model = RecordingModel(reply(WRITES), reply(TextBlock(text="done")))
    around = AgentEnvironment(system, tmp_path, model)
    request = around.asked()
    assert (request.id, request.path) == ("/primary#1@1", str(tmp_path / "a.txt"))

    around.broker.tell(PRIMARY, ApprovalDecided(id=request.id, agent=PRIMARY, decision="once"))
    around.verdict("ask")
    started = around.journal.expect_kind(Append)
    assert [type(each) for each in started.records] == [ToolStarted]
    assert not (tmp_path / "a.txt").exists(), "it ran before its start was on disk"
    around.journal.tell(PRIMARY, Appended(id=started.id))

    around.console.expect_kind(ToolStarted)
    assert around.console.expect_kind(ToolEnded).status == "ok"
    assert (tmp_path / "a.txt").read_text() == "hello\n"
    around.written(ToolEnded)
    around.console.expect(TextDelta(text="so"))
    around.written(ReplyCompleted, TurnCompleted)
    around.console.expect_kind(ReplyCompleted)
    around.console.expect_kind(UsageChanged)
    assert around.console.expect_kind(TurnCompleted).text == "done"


def test_a_later_request_starts_with_the_earlier_messages(
    system: ActorSystem, tmp_path: Path
) -> None:
    model = RecordingModel(reply(WRITES), reply(TextBlock(text="done")))
    around = AgentEnvironment(system, tmp_path, model)
    around.prompt()
    around.written(ReplyCompleted)
    around.verdict("deny")
    around.written(ToolEnded)
    around.written(ReplyCompleted, TurnCompleted)

    first, second = model.asked
    assert second.messages[: len(first.messages)] == first.messages
    assert (first.system, first.tools) == (second.system, second.tools)


def test_a_cancel_withdraws_the_request_and_ends_the_turn(
    system: ActorSystem, tmp_path: Path
) -> None:
    around = AgentEnvironment(system, tmp_path, RecordingModel(reply(WRITES)))
    request = around.asked()
    around.console.tell(PRIMARY, CancelTurn(turn=1))

    around.broker.expect(WithdrawApprovals(under=PRIMARY))
    around.broker.tell(PRIMARY, ApprovalDecided(id=request.id, agent=PRIMARY, decision="once"))
    around.written(ToolEnded, TurnInterrupted)
    assert around.console.expect_kind(ToolEnded).status == "cancelled"
    around.console.expect(TurnInterrupted(turn=1, usage=USAGE))
    around.engine.expect_nothing_more()
    assert not (tmp_path / "a.txt").exists()


def test_a_failed_request_is_sent_again_after_a_delay(system: ActorSystem, tmp_path: Path) -> None:
    model = FailingModel(busy(0.001), 2, reply(TextBlock(text="done")))
    around = AgentEnvironment(system, tmp_path, model)
    around.prompt()
    for attempt in (1, 2):
        told = around.console.expect_kind(ModelRetrying)
        assert (told.attempt, told.wait_s, told.partial_text) == (attempt, 0.001, "so")
        around.written(ModelRetrying)
        around.console.expect(TextDelta(text="so"))
    around.written(ReplyCompleted, TurnCompleted)

    first, second, third = model.asked
    assert first == second == third


def test_a_cancel_ends_a_long_retry_delay_at_once(system: ActorSystem, tmp_path: Path) -> None:
    around = AgentEnvironment(system, tmp_path, FailingModel(busy(3600), 1))
    around.prompt()
    assert around.console.expect_kind(ModelRetrying).wait_s == 60
    around.written(ModelRetrying)
    around.console.tell(PRIMARY, CancelTurn(turn=1))
    around.written(TurnInterrupted)
    assert around.console.expect_kind(TurnInterrupted).partial_text == "so"


def test_the_time_limit_closes_the_stream_and_keeps_the_text(
    system: ActorSystem, tmp_path: Path
) -> None:
    silence = FailingModel(asyncio.Event().wait, 1)
    around = AgentEnvironment(system, tmp_path, silence, Limits(seconds=0.05))
    around.prompt()
    around.written(TurnFailed)
    ended = around.console.expect_kind(TurnFailed)
    assert (ended.reason, ended.partial_text) == ("time_limit", "so")


def test_usage_of_failed_subagent_requests_counts_for_the_parent(
    system: ActorSystem, tmp_path: Path
) -> None:
    around = AgentEnvironment(system, tmp_path, RecordingModel(), Limits(tokens=10))
    retrying = ModelRetrying(
        turn=1,
        attempt=1,
        max_attempts=3,
        wait_s=1,
        reason="overloaded",
        detail="",
        usage=Usage(input_tokens=11),
    )
    around.console.tell(PRIMARY, retrying)
    around.console.expect(retrying)
    around.console.tell(PRIMARY, StartTurn(turn=1, text="do it"))
    around.written(TurnStarted)
    around.written(TurnFailed)
    around.console.expect_kind(TurnStarted)
    assert around.console.expect_kind(TurnFailed).reason == "token_budget"


def test_a_failed_write_of_a_subagent_is_reported_up(system: ActorSystem, tmp_path: Path) -> None:
    around = AgentEnvironment(system, tmp_path, RecordingModel())
    failing = PersistenceChanged(state="failing", detail="disk full")
    around.console.tell(PRIMARY, failing)
    around.console.expect(failing)
    around.console.tell(PRIMARY, StartTurn(turn=1, text="do it"))
    around.console.expect_kind(TurnStarted)
    around.written(TurnStarted)
    around.console.expect(PersistenceChanged(state="well"))
