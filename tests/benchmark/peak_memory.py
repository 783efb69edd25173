"""Run a program, and write its largest memory in KiB into a file.

A process counts as its own what whoever started it had in memory then; this one has little.
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
