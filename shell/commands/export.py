"""`/export`."""

import os
from functools import partial
from pathlib import Path

from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_damaged_log
from shell.commands.command import Command, ReplHost
from shell.sessions.export_file import write_new_file


def export(words: list[str], host: ReplHost) -> str:
    """Write this session to a new Markdown file: `/export [FILE]`."""
    session = host.session_context.session_file
    if session is None:
        return "This session is not saved, so there is nothing to export."
    name = " ".join(words) or f"greenroom-{session.stem}.md"
    target = host.session_context.cwd / os.path.expanduser(name)  # noqa: PTH111  (never raises)
    host.run_in_thread(partial(_write, session, target), partial(_print_result, host))
    return ""


def _write(session: Path, target: Path) -> str:
    from shell.sessions.export_formats import session_to_markdown  # noqa: PLC0415  (only for this)

    try:
        text = session_to_markdown(read_damaged_log(session))
        write_new_file(target, text.encode("utf-8", "replace"))
    except FileExistsError:
        return f"{target} already exists. Choose another file: /export FILE"
    except OSError as error:
        return f"Could not write {target}: {error.strerror}"
    except LogError as error:
        return error.detail
    return f"The session was exported to {target}."


def _print_result(host: ReplHost, result: str | None) -> None:
    host.print_notice(
        result or "The session could not be exported. See greenroom.log for the reason."
    )


EXPORT = Command("export", export)
