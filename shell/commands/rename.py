"""`/rename`."""

from functools import partial

from shell.commands.command import Command, ReplHost
from shell.sessions.session_names import MAX_NAME_CHARS, save_session_name
from shell.text.sanitize import sanitize_line


def rename(words: list[str], host: ReplHost) -> str:
    """Name this session, for the list of sessions: `/rename NAME`."""
    session = host.session_context.session_file
    name = " ".join(words)
    if not name or len(name) > MAX_NAME_CHARS:
        return f"usage: /rename NAME (at most {MAX_NAME_CHARS} characters)"
    if session is None:
        return "This session is not saved, so it cannot be named."

    def on_done(problem: str | None) -> None:
        failed = "an internal error" if problem is None else problem
        text = f"The name could not be saved: {failed}." if failed else f"Session name: {name}"
        host.print_notice(sanitize_line(text))

    host.run_in_thread(partial(save_session_name, session, name), on_done)
    return ""


RENAME = Command("rename", rename)
