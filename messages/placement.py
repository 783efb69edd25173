"""Where an agent runs."""

from typing import Literal

Placement = Literal["local", "process"]
"""local: in the program · process: with its subagents in a process of its own."""
