"""The ledger: what the model reads word for word after a compaction. Pure.

The program writes it, not the model, because summaries lose and invent facts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from actors.agents.compaction.ledger_facts import LedgerFacts, SubagentTaskFacts
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.context_window import CHARS_PER_TOKEN
from actors.agents.turn.conversation_history import DELIVERED_PROMPT
from actors.agents.turn.history_splice import Json, get_blocks
from actors.agents.turn.turn_state import CallStage
from actors.permissions.mode_order import find_strictest_mode
from messages.approvals import (
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
    QuestionRequest,
)
from messages.policy import PermissionMode, Policy, Rule
from messages.todos import Todo
from messages.turns import ToolEnded

MAX_GOAL_CHARS = 16_000
MIN_EXCERPT_CHARS = 200
"""A message of which less would fit is left out."""
MAX_COMMAND_OUTPUT_CHARS = 2_000
OMISSION = "\n[… {count:,} characters omitted …]\n"
_THIS_AGENT = "this agent"


def format_ledger(
    facts: LedgerFacts, state: AgentState, tail: Sequence[Json], max_message_tokens: int
) -> str:
    """Return the ledger, except for the permissions, which only the permission engine knows.

    The user's messages in `tail`, which the model still reads, are left out. Of the others, the
    newest that fit into the limit are included.
    """
    return _join_sections(
        ("Goal and user messages", _format_prompts(facts, tail, max_message_tokens)),
        ("To-do list", _format_todos(facts)),
        ("Agent and plan", _format_plan(facts, state)),
        ("Subagents and background work", _format_subagents(facts)),
        ("Waiting for the user's approval", _format_approvals(state)),
        ("Files changed", _format_files(facts)),
        ("Last command that failed", _format_command(facts.failing_command)),
    )


def add_permissions(ledger: str, policy: Policy, max_mode: PermissionMode) -> str:
    """Return the ledger with the session's mode and grants; the agent may be limited further."""
    mode = find_strictest_mode(policy.mode, max_mode)
    grants = [
        *_format_grants("this session", policy.grants),
        *_format_grants("this project", policy.project_grants),
    ]
    permissions = _join_sections(("Permissions", "\n".join([f"Mode: {mode}", *grants])))
    return f"{ledger}\n\n{permissions}"


def _join_sections(*sections: tuple[str, str]) -> str:
    return "\n\n".join(f"## {title}\n{text}" for title, text in sections if text)


def cut_middle(text: str, max_chars: int) -> str:
    """Return a text, without its middle if it is too long."""
    if len(text) <= max_chars:
        return text
    half = max(max_chars // 2, 1)
    return f"{text[:half]}{OMISSION.format(count=len(text) - 2 * half)}{text[-half:]}"


def _format_prompts(facts: LedgerFacts, tail: Sequence[Json], max_tokens: int) -> str:
    """Return the first message, which is the goal, and the newest others."""
    prompts = _drop_prompts_in_tail(facts.prompts, tail)
    if not prompts:
        return ""
    budget_chars = max_tokens * CHARS_PER_TOKEN
    first_turn, goal = prompts[0]
    goal = cut_middle(goal, min(MAX_GOAL_CHARS, budget_chars))
    budget_chars -= len(goal)
    newest: list[str] = []
    for turn, prompt in reversed(prompts[1:]):
        if budget_chars < MIN_EXCERPT_CHARS:
            omitted = len(prompts) - 1 - len(newest)
            newest.append(f"[Omitted here: {omitted}.]")
            break
        text = cut_middle(prompt, budget_chars)
        budget_chars -= len(text)
        newest.append(_wrap_prompt(turn, text))
    return "\n".join([_wrap_prompt(first_turn, goal), *reversed(newest)])


def _wrap_prompt(turn: int, text: str) -> str:
    return f'<user_message number="{turn}">\n{text}\n</user_message>'


def _drop_prompts_in_tail(prompts: dict[int, str], tail: Sequence[Json]) -> list[tuple[int, str]]:
    """Leave out the messages that still follow, the newest first: several may be equal."""
    in_tail = Counter(
        str(block["text"])
        for message in tail
        if message["role"] == "user"
        for block in get_blocks(message)
        if block["type"] == "text"
    )
    remaining: list[tuple[int, str]] = []
    for turn, prompt in reversed(prompts.items()):
        forms = (prompt, DELIVERED_PROMPT.format(prompt=prompt))
        text = next((form for form in forms if in_tail[form]), None)
        if text is None:
            remaining.append((turn, prompt))
        else:
            in_tail[text] -= 1
    return remaining[::-1]


def _format_todos(facts: LedgerFacts) -> str:
    """Return the items in their order, grouped by the message that they were created for."""
    lines: list[str] = []
    last_turn: int | None = None
    for todo in facts.todos:
        turn = facts.todo_turns[todo.content]
        if turn != last_turn:
            request = cut_middle(facts.prompts.get(turn, ""), MAX_COMMAND_OUTPUT_CHARS)
            lines.append(f"Created for user message {turn}: {request}")
        lines.append(_format_todo(todo))
        last_turn = turn
    return "\n".join(lines)


def _format_todo(todo: Todo) -> str:
    return f"- [{todo.status}] {todo.content}"


def _format_plan(facts: LedgerFacts, state: AgentState) -> str:
    """Return the active agent, and what the model was told when it became active."""
    lines = [f"Active agent: {state.selection.agent}"]
    if facts.last_switch is not None:
        lines.append(facts.last_switch.text)
    return "\n".join(lines)


def _format_subagents(facts: LedgerFacts) -> str:
    started = [facts for facts in facts.subagents.values() if _is_task(facts)]
    return "\n".join(_format_subagent(subagent) for subagent in started)


def _is_task(subagent: SubagentTaskFacts) -> bool:
    """Return whether the model knows about a subagent; a compaction is the program's own."""
    return subagent.started.subagent_source.kind != "compact"


def _format_subagent(subagent: SubagentTaskFacts) -> str:
    started, ended = subagent.started, subagent.ended
    place = " in the background" if started.is_background else ""
    status = f"running{place}" if ended is None else ended.status
    detail = f" ({ended.detail})" if ended and ended.detail else ""
    name = f"task_id {started.child.name}, type {started.agent_type}"
    return f"- {name}: {started.description} · {status}{detail}"


def _format_approvals(state: AgentState) -> str:
    own = (
        f"- {_THIS_AGENT}: {call.title}"
        for call in state.turn.calls
        if call.stage is CallStage.AWAITING_APPROVAL
    )
    below = map(_format_request, state.subagents.open_requests.values())
    return "\n".join((*own, *below))


def _format_request(request: AnyApprovalRequest) -> str:
    match request:
        case ExecApprovalRequest():
            subject = request.command
        case PatchApprovalRequest():
            subject = f"change {request.path}"
        case QuestionRequest():
            subject = " / ".join(question.text for question in request.questions)
    return f"- {request.agent.name}: {request.tool}: {subject}"


def _format_grants(scope: str, grants: Iterable[Rule]) -> Iterator[str]:
    for grant in grants:
        yield f"- The user allowed for {scope}: {grant.permission} {grant.pattern}"


def _format_files(facts: LedgerFacts) -> str:
    return "\n".join(
        f"- {path} (by {', '.join(author or _THIS_AGENT for author in authors)})"
        for path, authors in facts.changed_files.items()
    )


def _format_command(failed: ToolEnded | None) -> str:
    if failed is None:
        return ""
    return f"{failed.title}\n{cut_middle(failed.text, MAX_COMMAND_OUTPUT_CHARS)}"
