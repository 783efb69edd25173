"""The workspace files that `@` completes; slow, so it runs on a thread."""

import os
from itertools import islice
from pathlib import Path

from actors.tools.file_walk import FileWalk

MAX_FILES = 50_000


def list_files(root: Path) -> tuple[str, ...]:
    """List files relative to `root`, without those that a `.gitignore` excludes.

    Raises:
        OSError: the folder cannot be listed.
    """
    folder = Path(os.path.realpath(root))
    return tuple(islice(FileWalk(folder, folder).iter_files(), MAX_FILES))
