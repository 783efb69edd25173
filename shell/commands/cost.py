"""`/cost`."""

from messages.content import Usage
from shell.commands.command import Command, ReplHost
from shell.view.number_format import format_count

_NO_PRICES = "unknown; set [prices] in config.toml to see it"


def cost(words: list[str], host: ReplHost) -> str:
    """Show the session's tokens, how many came from the cache, and their price."""
    if words:
        return "usage: /cost"
    usage = host.state.usage
    return _format_cost(usage.total_usage if usage else Usage())


def _format_cost(total: Usage) -> str:
    cached_tokens = total.cache_read_input_tokens
    input_tokens = total.input_tokens + total.cache_creation_input_tokens + cached_tokens
    share = f" ({100 * cached_tokens / input_tokens:.0f} % of input)" if input_tokens else ""
    rows = (
        ("requests", format_count(total.requests, "request")),
        ("input", format_count(input_tokens, "token")),
        ("cached", format_count(cached_tokens, "token") + share),
        ("output", format_count(total.output_tokens, "token")),
        ("cost", f"{total.cost:,.2f}" if total.cost else _NO_PRICES),
    )
    return "\n".join(f"{name:<10} {value}" for name, value in rows)


COST = Command("cost", cost)
