"""`/status`."""

from actors.sandbox.sandbox import Sandbox
from messages.content import Usage
from messages.turns import InstructionFile, PersistenceChanged, UsageChanged
from shell.commands.command import Command, ReplHost
from shell.view.mode_changes import get_effective_mode
from shell.view.number_format import format_count
from shell.view.status_notices import format_effort


def status(words: list[str], host: ReplHost) -> str:
    """Show session, model, mode, instruction files, current work and usage."""
    if words:
        return "usage: /status"
    state = host.state
    if not state.session:
        return "The agent has not started yet."
    session = state.session
    rows = (
        ("session", session.session_id),
        ("file", session.session_file),
        *_format_disk(state.persistence),
        ("agent", session.agent),
        ("model", session.model + (" (offline demo)" if session.is_scripted else "")),
        ("effort", format_effort(session.effort)),
        ("mode", get_effective_mode(session)),
        ("directory", session.cwd),
        ("sandbox", _format_sandbox(host.session_context.sandbox)),
        ("trusted", "yes" if session.workspace_trusted else "no"),
        *(("reads", _format_file(file)) for file in session.instruction_files),
        ("turn", "running" if state.turn else "none"),
        ("queued", str(len(state.queued))),
        ("approvals", str(len(state.approvals.parked))),
        ("context", _format_context(state.usage)),
        ("usage", _format_usage(state.usage)),
    )
    return "\n".join(f"{name:<10} {value}" for name, value in rows)


def _format_sandbox(sandbox: Sandbox | None) -> str:
    if sandbox is None:
        return "none"
    status = sandbox.status
    return f"{status.enforcement}. {status.reason}" if status.reason else status.enforcement


def _format_file(file: InstructionFile) -> str:
    note = ", truncated" if file.truncated else ""
    return f"{file.path} ({file.file_bytes:,} bytes{note})"


def _format_disk(disk: PersistenceChanged) -> tuple[tuple[str, str], ...]:
    if disk.state == "ok":
        return ()
    return (("disk", f"{disk.state}: {disk.detail}" if disk.detail else disk.state),)


def _format_context(usage: UsageChanged | None) -> str:
    if usage is None:
        return "empty"
    percent = 100 * usage.context_tokens / usage.context_window_tokens
    return f"{usage.context_tokens:,} of {usage.context_window_tokens:,} tokens ({percent:.0f} %)"


def _format_usage(usage: UsageChanged | None) -> str:
    total = usage.total_usage if usage else Usage()
    cached_tokens = total.cache_read_input_tokens
    input_tokens = total.input_tokens + total.cache_creation_input_tokens + cached_tokens
    requests = format_count(total.requests, "request")
    return (
        f"{input_tokens:,} input tokens ({cached_tokens:,} cached), "
        f"{total.output_tokens:,} output tokens, {requests}"
        + (f", cost {total.cost:,.2f}" if total.cost else "")
    )


STATUS = Command("status", status)
