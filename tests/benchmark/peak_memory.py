"""Run a program and write its peak memory in KiB to a file.

A new process starts with the memory of the one that started it, so the starter must be small.
"""

import resource
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    file, *words = sys.argv[1:]
    status = subprocess.call(words)
    Path(file).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
    sys.exit(status)
