"""What the user reads about a compaction."""

from messages.compaction import Compacted, CompactionFailed
from shell.view.number_format import format_context_tokens


def format_compaction(event: Compacted | CompactionFailed) -> tuple[str, str]:
    """Return the notice about the end of a compaction, and its tone."""
    if isinstance(event, CompactionFailed):
        return f"The conversation was not compacted: {event.detail}", "warn"
    before, after = map(format_context_tokens, (event.tokens_before, event.tokens_after))
    missing = " No summary could be made." if event.method == "ledger" else ""
    return f"The conversation was compacted from about {before} to {after} tokens.{missing}", "dim"
