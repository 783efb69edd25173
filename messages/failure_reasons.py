"""The reasons why model requests and turns fail."""

from typing import Literal

ModelFailureReason = Literal[
    "unauthorized",
    "rejected",
    "context_too_long",
    "thinking_rejected",
    "compaction_rejected",
    "setting_rejected",
    "rate_limited",
    "usage_limit",
    "overloaded",
    "server_error",
    "unavailable",
    "gateway_error",
    "unreachable",
    "stream_interrupted",
    "protocol_error",
    "cancelled",
]
"""unauthorized: bad key · rejected: another 4xx · context_too_long: the conversation exceeds the
window · thinking_rejected: earlier thinking does not fit the conversation · compaction_rejected:
the compaction block at its start is not accepted, and is left out from now on · setting_rejected:
the server does not accept a setting, which is left out from now on · rate_limited, overloaded: try
later · usage_limit: the plan's or account's limit, which resets much later or needs a payment ·
server_error: the service failed · unavailable: it accepts no requests now · gateway_error: a proxy
answered or timed out · unreachable: no connection · stream_interrupted: the stream ended early ·
protocol_error: not the Messages API · cancelled: by us."""

LimitReason = Literal["max_turns", "token_budget", "time_limit", "spawn_budget"]
"""The user's limit that was reached: requests, tokens, seconds or subagents."""

MAX_RETRY_WAIT_S = 300.0
"""Longest delay before a retry; a request whose server asks for a longer one fails instead."""
MAX_DURATION_S = 31_536_000.0
"""One year, in seconds: the upper bound of every duration in a message."""
