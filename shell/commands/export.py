"""`/export`."""

import os
from functools import partial
from pathlib import Path

from actors.sessions.log import LogError
from actors.sessions.reading import concerning, read_log
from messages.address import PRIMARY
from shell.commands.command import Command, Shell

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def export(words: list[str], shell: Shell) -> str:
    """Write this session into a new Markdown file, `/export [FILE]`."""
    session = shell.place.session_file
    if session is None:
        return "This session is not kept, so there is nothing to export."
    name = " ".join(words) or f"greenroom-{session.stem}.md"
    target = shell.place.cwd / Path(name).expanduser()
    shell.later(partial(_written, session, target), partial(_tell, shell))
    return ""


def _written(session: Path, target: Path) -> str:
    from shell.transcript import markdown  # noqa: PLC0415  (only for this)

    try:
        text = markdown(concerning(read_log(session), PRIMARY))
        with os.fdopen(os.open(target, _NEW, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return f"{target} exists; name another file: /export FILE"
    except OSError as error:
        return f"{target} cannot be written: {error.strerror}"
    except LogError as error:
        return error.detail
    return f"The session so far is in {target}"


def _tell(shell: Shell, told: str | None) -> None:
    shell.remark(told or "The session could not be exported; greenroom.log says why.")


EXPORT = Command("export", export)
