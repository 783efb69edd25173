"""`/status`."""

from messages.turns import InstructionFile
from shell.commands.command import Command, Shell


def status(words: list[str], shell: Shell) -> str:
    """Show the session, the model, the mode, instruction files and what is going on."""
    if words:
        return "usage: /status"
    state = shell.state
    if not state.session:
        return "The agent has not started yet."
    session = state.session
    told = (
        ("session", session.session_id),
        ("agent", session.agent),
        ("model", session.model + (" (a script)" if session.rehearsal else "")),
        ("mode", session.mode),
        ("directory", session.cwd),
        ("trusted", "yes" if session.trusted else "no"),
        *(("reads", _told(each)) for each in session.instructions),
        ("turn", "running" if state.turn else "none"),
        ("queued", str(len(state.queue))),
        ("approvals", str(len(state.requests.parked))),
    )
    return "\n".join(f"{name:<10} {value}" for name, value in told)


def _told(file: InstructionFile) -> str:
    cut = ", cut" if file.cut else ""
    return f"{file.path} ({file.file_bytes:,} bytes{cut})"


STATUS = Command("status", status)
