"""Sample events of agents and the broker, with defaults for what a test ignores."""

from messages.address import Address
from messages.approvals import (
    ApprovalDecision,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
    ShowApproval,
)
from messages.content import TextBlock, Usage
from messages.policy import PermissionRequest, Rule
from messages.subagents import SubagentEnded, SubagentStarted
from messages.turns import (
    AgentEvent,
    ReplyCompleted,
    SessionConfigured,
    TextDelta,
    ToolEnded,
    ToolStarted,
    ToolStatus,
    TurnCompleted,
    TurnInterrupted,
    TurnStarted,
)
from messages.user_questions import UserQuestion

EXPLORER = Address("/primary/explore-2")
HOSTILE_TEXT = "a\x1b[2J\x1b]52;c;aGk=\x07b\u202ec\x9bd\re"
SANITIZED_TEXT = "a^[[2J^[]52;c;aGk=^Gb<U+202E>c<U+009B>d^Me"


def session_configured(**changes: object) -> SessionConfigured:
    fields: dict[str, object] = {
        "session_id": "s1",
        "agent": "primary",
        "model": "claude-opus-5-5",
        "mode": "default",
        "cwd": "/home/x/project",
        "is_scripted": False,
        "next_turn": 1,
    }
    return SessionConfigured.model_validate(fields | changes)


def reply_completed(text: str, *, turn: int = 1, output_tokens: int = 100) -> ReplyCompleted:
    return ReplyCompleted(
        turn=turn,
        content=(TextBlock(text=text),),
        stop_reason="end_turn",
        usage=Usage(output_tokens=output_tokens, requests=1),
        model="claude-opus-5-5",
    )


def tool_started(title: str = "bash git status") -> ToolStarted:
    return ToolStarted(turn=1, call_id="c1", tool="bash", title=title)


def tool_ended(
    text: str = "clean", *, status: ToolStatus = "ok", title: str = "bash git status"
) -> ToolEnded:
    return ToolEnded(turn=1, call_id="c1", tool="bash", title=title, status=status, text=text)


def turn_completed(turn: int = 1) -> TurnCompleted:
    return TurnCompleted(turn=turn, text="", stop_reason="end_turn", usage=Usage())


def complete_turn(text: str) -> tuple[AgentEvent, ...]:
    started = TurnStarted(turn=1, prompt="hello")
    return (started, TextDelta(text=text), reply_completed(text), turn_completed())


def turn_interrupted(turn: int = 1) -> TurnInterrupted:
    return TurnInterrupted(turn=turn)


def exec_approval(
    command: str = "git push",
    *,
    number: int = 1,
    available_decisions: tuple[ApprovalDecision, ...] = ("once", "session", "no"),
    description: str = "",
    pattern: str = "git push",
) -> ShowApproval:
    request = ExecApprovalRequest(
        id=f"/primary/explore-2#{number}@1",
        agent=EXPLORER,
        turn=1,
        call_id=f"c{number}",
        tool="bash",
        cwd="/home/x/project",
        reason="default: bash asks",
        requests=(PermissionRequest(permission="bash", target=command),),
        available_decisions=available_decisions,
        grants=(Rule(permission="bash", pattern=pattern, action="allow"),),
        description=description,
        command=command,
    )
    return ShowApproval(request=request, parked_count=number)


def exec_approval_of(agent: Address, command: str = "git push") -> ShowApproval:
    message = exec_approval(command)
    changes = {"id": f"{agent}#1@1", "agent": agent}
    return message.model_copy(update={"request": message.request.model_copy(update=changes)})


def patch_approval(diff: str, *, path: str = "/home/x/project/app.py") -> ShowApproval:
    request = PatchApprovalRequest(
        id="/primary#9@1",
        agent=Address("/primary"),
        turn=1,
        call_id="c9",
        tool="edit",
        cwd="/home/x/project",
        reason="default: edit asks",
        requests=(PermissionRequest(permission="edit", target="app.py"),),
        available_decisions=("once", "no"),
        path=path,
        diff=diff,
    )
    return ShowApproval(request=request, parked_count=1)


def question_approval(*questions: UserQuestion, number: int = 1) -> ShowApproval:
    request = QuestionRequest(
        id=f"/primary/explore-2#q{number}@1",
        agent=EXPLORER,
        turn=1,
        call_id=f"q{number}",
        tool="question",
        cwd="/home/x/project",
        reason="a question",
        requests=(PermissionRequest(permission="question", target="*"),),
        available_decisions=("once", "no"),
        questions=questions,
    )
    return ShowApproval(request=request, parked_count=number)


def subagent_started(child: Address, *, one_shot: bool = True) -> SubagentStarted:
    return SubagentStarted(
        child=child,
        parent=child.parent,
        agent_type="general",
        depth=1,
        task_number=1,
        turn=1,
        call_id="t1",
        description="look about",
        one_shot=one_shot,
    )


def subagent_ended(child: Address) -> SubagentEnded:
    return SubagentEnded(child=child, task_number=1, turn=1, status="completed")
