"""Installed as the top-level module `greenroom`: finds our own rooms, then starts the shell.

A project that is worked on may have folders called `shell` or `messages`. With `PYTHONPATH=.` or
`python -m greenroom` Python would look there first, so those entries go behind the installed ones.
Installs hold a copy of this file: reinstall after changing it.
"""

import os
import sys


def _installed_first(path: list[str], given: str, cwd: str) -> list[str]:
    """Sort `path`: what is installed, what `PYTHONPATH` gave, and the current folder last."""
    from_environment = {_place(entry) for entry in given.split(os.pathsep) if entry}

    def distance(entry: str) -> int:
        place = _place(entry)
        return 2 if place == cwd else int(place in from_environment)

    return sorted(path, key=distance)


def _place(entry: str) -> str:
    try:
        return os.path.realpath(entry)
    except OSError:  # the current folder is gone; the shell says so, once there is one
        return entry


sys.path[:] = _installed_first(sys.path, os.environ.get("PYTHONPATH", ""), _place(os.curdir))

from shell.main import main  # noqa: E402  (only after the path is right)

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
