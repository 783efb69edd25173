"""What fills the context window of a request. Pure."""

from actors.agents.compaction.summary_request import measure
from actors.agents.definition.system_prompts import INSTRUCTIONS_HEADER
from actors.agents.turn.agent_state import AgentState
from actors.agents.turn.context_window import CHARS_PER_TOKEN, get_usable_tokens
from actors.agents.turn.history_splice import LEDGER_HEADER, get_blocks
from actors.models.model_client import ModelRequest
from messages.compaction import ContextUsage


def measure_context(request: ModelRequest, state: AgentState) -> ContextUsage:
    """Return the parts of the agent's next request; they add up to the model's last count."""
    system, _, instructions = request.system.partition(INSTRUCTIONS_HEADER)
    ledger = sum(
        measure(block)
        for message in request.messages[:2]
        for block in get_blocks(message)
        if str(block.get("text", "")).startswith(LEDGER_HEADER)
    )
    part_bytes = {
        "system": measure(system),
        "instructions": measure(instructions) if instructions else 0,
        "tools": measure(request.tools),
        "ledger": ledger,
        "messages": measure(request.messages) - ledger,
    }
    total_bytes = sum(part_bytes.values())
    counted = state.totals.context_tokens
    per_byte = counted / total_bytes if counted else 1 / CHARS_PER_TOKEN
    limits, settings = state.model.limits, state.compaction.settings
    return ContextUsage(
        model=request.model,
        context_window_tokens=limits.max_context_tokens,
        compaction_tokens=int(settings.threshold * get_usable_tokens(limits)),
        parts={name: round(size * per_byte) for name, size in part_bytes.items()},
    )
