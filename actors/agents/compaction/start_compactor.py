"""What the subagent that compacts a conversation starts with."""

from dataclasses import replace

from actors.agents.compaction.ledger import format_ledger
from actors.agents.compaction.ledger_facts import LedgerFacts
from actors.agents.compaction.summary_plan import (
    MAX_LEDGER_MESSAGE_TOKENS,
    SummaryPlan,
    limit_tokens,
    measure_request,
)
from actors.agents.kinds.compact import COMPACT
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.effects import StartCompactor
from actors.agents.turn.history_splice import find_cut
from actors.models.model_client import SUBAGENT_HEADER, ModelRequest


def make_summary_plan(
    effect: StartCompactor,
    request: ModelRequest,
    prefix: str,
    state: AgentState,
    facts: LedgerFacts,
) -> SummaryPlan:
    """Return the plan of a compaction; `request` is the agent's next one, of this prefix."""
    cut = find_cut(request.messages)
    limit = limit_tokens(MAX_LEDGER_MESSAGE_TOKENS, effect.usable_tokens)
    return SummaryPlan(
        number=effect.number,
        trigger=effect.trigger,
        request=replace(request, headers={**request.headers, SUBAGENT_HEADER: COMPACT.name}),
        message_count=cut,
        sizes=measure_request(request, cut),
        context_tokens=effect.context_tokens,
        usable_tokens=effect.usable_tokens,
        ledger=format_ledger(facts, state, request.messages[cut:], limit),
        max_mode=state.selection.get_max_mode(),
        prefix=prefix,
        must_succeed=effect.must_succeed,
        instructions=effect.instructions,
    )
