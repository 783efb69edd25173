"""`/status`."""

from messages.content import Usage
from messages.turns import InstructionFile, PersistenceChanged, UsageChanged
from shell.commands.command import Command, ReplHost
from shell.view.mode_changes import get_effective_mode
from shell.view.number_format import format_count


def status(words: list[str], host: ReplHost) -> str:
    """Show the session, model, mode, instruction files, what is going on and what was used."""
    if words:
        return "usage: /status"
    state = host.state
    if not state.session:
        return "The agent has not started yet."
    session = state.session
    told = (
        ("session", session.session_id),
        ("file", session.session_file),
        *_disk(state.persistence),
        ("agent", session.agent),
        ("model", session.model + (" (a script)" if session.is_scripted else "")),
        ("mode", get_effective_mode(session)),
        ("directory", session.cwd),
        ("trusted", "yes" if session.workspace_trusted else "no"),
        *(("reads", _told(each)) for each in session.instruction_files),
        ("turn", "running" if state.turn else "none"),
        ("queued", str(len(state.queued_prompts))),
        ("approvals", str(len(state.approvals.parked))),
        ("context", _context(state.usage)),
        ("used", _used(state.usage)),
    )
    return "\n".join(f"{name:<10} {value}" for name, value in told)


def _told(file: InstructionFile) -> str:
    cut = ", cut" if file.truncated else ""
    return f"{file.path} ({file.file_bytes:,} bytes{cut})"


def _disk(disk: PersistenceChanged) -> tuple[tuple[str, str], ...]:
    if disk.state == "well":
        return ()
    return (("disk", f"{disk.state}: {disk.detail}" if disk.detail else disk.state),)


def _context(usage: UsageChanged | None) -> str:
    if usage is None:
        return "nothing said yet"
    percent = 100 * usage.context_tokens / usage.context_window_tokens
    return f"{usage.context_tokens:,} of {usage.context_window_tokens:,} tokens ({percent:.0f} %)"


def _used(usage: UsageChanged | None) -> str:
    total = usage.total_usage if usage else Usage()
    read = total.input_tokens + total.cache_creation_input_tokens + total.cache_read_input_tokens
    cached = f"{total.cache_read_input_tokens:,} from the cache"
    asked = format_count(total.requests, "request")
    return f"{read:,} tokens read ({cached}), {total.output_tokens:,} written, {asked}"


STATUS = Command("status", status)
