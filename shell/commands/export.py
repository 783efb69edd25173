"""`/export`."""

import os
from functools import partial
from pathlib import Path

from actors.sessions.errors import LogError
from actors.sessions.log_reader import read_log, select_records_for
from messages.address import PRIMARY
from shell.commands.command import Command, ReplHost
from shell.sessions.export_file import write_new_file


def export(words: list[str], host: ReplHost) -> str:
    """Write this session into a new Markdown file, `/export [FILE]`."""
    session = host.session_context.session_file
    if session is None:
        return "This session is not kept, so there is nothing to export."
    name = " ".join(words) or f"greenroom-{session.stem}.md"
    target = host.session_context.cwd / os.path.expanduser(name)  # noqa: PTH111  (never raises)
    host.run_in_thread(partial(_written, session, target), partial(_tell, host))
    return ""


def _written(session: Path, target: Path) -> str:
    from shell.sessions.export_formats import records_to_markdown  # noqa: PLC0415  (only for this)

    try:
        text = records_to_markdown(select_records_for(read_log(session), PRIMARY))
        write_new_file(target, text.encode("utf-8", "replace"))
    except FileExistsError:
        return f"{target} exists; name another file: /export FILE"
    except OSError as error:
        return f"{target} cannot be written: {error.strerror}"
    except LogError as error:
        return error.detail
    return f"The session so far is in {target}"


def _tell(host: ReplHost, told: str | None) -> None:
    host.print_notice(told or "The session could not be exported; greenroom.log says why.")


EXPORT = Command("export", export)
