"""Time to replace the earlier messages of a very long conversation."""

import time

from actors.agents.compaction.ledger import format_ledger
from actors.agents.compaction.ledger_facts import LedgerFacts
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.conversation_history import ConversationHistory
from actors.agents.turn.history_splice import find_cut
from messages.compaction import Compacted
from messages.content import TextBlock, ToolUseBlock, Usage
from messages.journal import Record
from messages.turns import ReplyCompleted, ToolEnded, TurnStarted
from tests.benchmark.benchmark_row import BenchmarkRow

MESSAGE_COUNT = 14_000
SPLICE_LIMIT_MS = 100.0
_TURN_MESSAGES = 4
_RESULT_TEXT = "a line of the result\n" * 40


def splice_ms() -> float:
    """Return the milliseconds to choose the cut, write the ledger and replace the messages."""
    history, facts = ConversationHistory(), LedgerFacts()
    for turn in range(1, MESSAGE_COUNT // _TURN_MESSAGES + 1):
        for record in _make_turn(turn):
            history.add(record)
            facts.add(record)
    assert len(history.messages) >= MESSAGE_COUNT
    started_s = time.perf_counter()
    messages = history.build_messages("p")
    cut = find_cut(messages)
    ledger = format_ledger(facts, AgentState(), messages[cut:], 20_000)
    compacted = Compacted(
        number=1,
        trigger="automatic",
        method="local",
        message_count=cut,
        summary="s",
        ledger=ledger,
        tokens_before=2,
        tokens_after=1,
    )
    history.add(compacted)
    elapsed_s = time.perf_counter() - started_s
    assert len(history.messages) <= _TURN_MESSAGES
    return elapsed_s * 1e3


def _make_turn(turn: int) -> tuple[Record, ...]:
    call_id = f"c{turn}"
    call = ToolUseBlock(id=call_id, name="read", input={"path": f"src/file_{turn}.py"})
    replies = (call,), (TextBlock(text=f"Answer {turn}."),)
    calling, answering = (
        ReplyCompleted(
            turn=turn, content=content, stop_reason="tool_use", usage=Usage(requests=1), model="m"
        )
        for content in replies
    )
    ended = ToolEnded(
        turn=turn, call_id=call_id, tool="read", title="read", status="ok", text=_RESULT_TEXT
    )
    return TurnStarted(turn=turn, prompt=f"Prompt {turn}."), calling, ended, answering


ROWS = (
    BenchmarkRow(
        "compaction-splice",
        f"{MESSAGE_COUNT:,} messages replaced by a summary and a ledger",
        f"{SPLICE_LIMIT_MS:g} ms, fixed",
        1,
        splice_ms,
        lambda: SPLICE_LIMIT_MS,
        "ms",
        rounds=3,
        is_fixed_limit=True,
    ),
)
