"""What git would leave out of a folder: the rules of its `.gitignore` files.

Source: gitignore(5). The file nearest to a path has the first word, and what lies in an ignored
folder cannot be taken back.
"""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # 20 ms, for searches alone
    from pathspec import GitIgnoreSpec

_RULES = ".gitignore"
MAX_RULES_BYTES = 256 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one folder."""

    folder: str
    """Relative to where the walk's paths begin, with a `/` at its end; empty: that place itself."""
    spec: "GitIgnoreSpec"

    def say(self, path: str) -> bool | None:
        """Whether `path` is left out; None: these rules do not speak of it."""
        return self.spec.check_file(path.removeprefix(self.folder)).include


def rules_in(folder: int, prefix: str) -> tuple[Rules, ...]:
    """Read the rules of the folder with descriptor `folder`; none where there is no plain file."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (20 ms, for searches alone)

    lines = _lines(folder)
    if not lines:
        return ()
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        spec = GitIgnoreSpec.from_lines(line for line in lines if _is_sound(line))
    return (Rules(prefix, spec),)


def is_ignored(path: str, rules: Sequence[Rules]) -> bool:
    """Whether `path` (folders end in `/`) is left out; `rules` from the outermost inwards."""
    said = (each.say(path) for each in reversed(rules))
    return next((word for word in said if word is not None), False)


def _is_sound(line: str) -> bool:
    """Whether a line says something; git passes over one that does not."""
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  (as above)

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _lines(folder: int) -> list[str]:
    try:
        file = os.open(_RULES, _READ, dir_fd=folder)
    except OSError:  # none, a link, or not ours to read: then nothing is left out by it
        return []
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return []
        return os.read(file, MAX_RULES_BYTES).decode("utf-8", "surrogateescape").splitlines()
    finally:
        os.close(file)
