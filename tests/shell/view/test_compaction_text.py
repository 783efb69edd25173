"""Text about compaction."""

import pytest

from messages.compaction import Compacted, CompactionFailed, ContextUsage
from shell.view.compaction_text import format_compaction, format_context_usage

pytestmark = pytest.mark.quick

COMPACTED = Compacted(
    number=1,
    trigger="automatic",
    method="local",
    message_count=9,
    summary="s",
    ledger="l",
    tokens_before=150_400,
    tokens_after=12_000,
)


def test_the_chart_shows_what_fills_the_window() -> None:
    usage = ContextUsage(
        model="claude-sonnet-5-5",
        context_window_tokens=200_000,
        compaction_tokens=111_000,
        parts={
            "system": 5_000,
            "instructions": 4_000,
            "tools": 6_000,
            "ledger": 900,
            "messages": 112_000,
        },
    )
    lines = format_context_usage(usage).splitlines()
    assert lines[0] == "claude-sonnet-5-5 · 200k window · 64% used · compacts at 56%"
    assert [line.split() for line in lines[1:]] == [
        ["system", "prompt", "▇", "5k"],
        ["instructions", "▇", "4k"],
        ["tools", "▇", "6k"],
        ["ledger", "900"],
        ["messages", "▇" * 18, "112k"],
        ["free", "░" * 12, "72k"],
    ]
    assert {len(line) for line in lines[1:]} == {55}


def test_a_window_that_is_too_full_has_no_negative_rest() -> None:
    usage = ContextUsage(
        model="m", context_window_tokens=100, compaction_tokens=50, parts={"messages": 900}
    )
    *_, messages, free = format_context_usage(usage).splitlines()
    assert messages.count("▇") == 32
    assert free.split() == ["free", "0"]


def test_a_compaction_is_reported_with_its_gain() -> None:
    text, _ = format_compaction(COMPACTED)
    assert text == "The conversation was compacted from about 150k to 12k tokens."
    without_summary = COMPACTED.model_copy(update={"method": "ledger"})
    assert format_compaction(without_summary)[0].endswith("No summary could be made.")
    failed = CompactionFailed(trigger="user", detail="It was not.")
    assert format_compaction(failed) == ("It was not.", "warn")
