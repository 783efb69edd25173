"""What the subagent that compacts a conversation starts with."""

from collections.abc import Sequence
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
from actors.agents.turn.history_splice import Json, find_cut
from actors.models.model_client import SUBAGENT_HEADER, ModelRequest
from actors.models.remote_compaction import has_compaction_block


def make_summary_plan(  # noqa: PLR0913  (all that the agent knows)
    effect: StartCompactor,
    request: ModelRequest,
    prefix: str,
    state: AgentState,
    facts: LedgerFacts,
    *,
    conversation: Sequence[Json],
) -> SummaryPlan:
    """Return the plan of a compaction; `request` is the agent's next one, of this prefix.

    In `conversation`, a summary replaces the request's compaction block.
    """
    cut = find_cut(request.messages)
    settings = state.compaction.settings
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
        # Another model's block is of no use, and no server summarizes what is already too long.
        tries_remote=settings.remote and not settings.model and effect.trigger != "overflow",
        plain_head=tuple(conversation[:cut]) if has_compaction_block(request) else (),
    )
