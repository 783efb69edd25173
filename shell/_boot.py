"""Installed as the top-level module `greenroom`: fixes the import path, then starts the shell.

A project may have folders named `shell` or `messages`. With `PYTHONPATH=.` or `python -m greenroom`
Python would import those instead of ours, so such entries go after the installed packages.
An installation contains a copy of this file: reinstall after changing it.
"""

import os
import sys


def _sort_path(path: list[str], pythonpath: str, cwd: str) -> list[str]:
    """Sort `path`: installed packages, then `PYTHONPATH`, then the current directory."""
    pythonpath_entries = {_resolve(entry) for entry in pythonpath.split(os.pathsep) if entry}

    def rank(entry: str) -> int:
        resolved = _resolve(entry)
        return 2 if resolved == cwd else int(resolved in pythonpath_entries)

    return sorted(path, key=rank)


def _resolve(entry: str) -> str:
    try:
        return os.path.realpath(entry)
    except OSError:  # the current directory is gone; the shell reports that later
        return entry


sys.path[:] = _sort_path(sys.path, os.environ.get("PYTHONPATH", ""), _resolve(os.curdir))

from shell.main import main  # noqa: E402  (only after the path is fixed)

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
