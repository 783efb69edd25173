"""What the user reads about a compaction."""

from messages.compaction import Compacted, CompactionFailed, ContextUsage
from shell.view.number_format import format_context_tokens

BAR_CELLS = 32
"""Length of the bars of a whole context window."""
_LABELS = {"system": "system prompt"}


def format_compaction(event: Compacted | CompactionFailed) -> tuple[str, str]:
    """Return the notice about the end of a compaction, and its tone."""
    if isinstance(event, CompactionFailed):
        return event.detail, "warn"
    before, after = map(format_context_tokens, (event.tokens_before, event.tokens_after))
    missing = " No summary could be made." if event.method == "ledger" else ""
    return f"The conversation was compacted from about {before} to {after} tokens.{missing}", "dim"


def format_context_usage(usage: ContextUsage) -> str:
    """Return a bar chart of what fills the context window."""
    window = usage.context_window_tokens
    used = sum(usage.parts.values())
    free = max(window - used, 0)
    title = (
        f"{usage.model} · {format_context_tokens(window)} window · {100 * used / window:.0f}% used "
        f"· compacts at {100 * usage.compaction_tokens / window:.0f}%"
    )
    rows = [
        _format_bar(_LABELS.get(name, name), "▇", tokens, window)
        for name, tokens in usage.parts.items()
    ]
    return "\n".join([title, *rows, _format_bar("free", "░", free, window)])


def _format_bar(label: str, mark: str, tokens: int, window: int) -> str:
    bar = mark * min(round(BAR_CELLS * tokens / window), BAR_CELLS)
    return f"{label:<14} {bar:<{BAR_CELLS}} {format_context_tokens(tokens):>7}"
