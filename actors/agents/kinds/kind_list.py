"""All kinds of subagents that the program starts itself."""

from actors.agents.kinds.compact import COMPACT
from actors.agents.kinds.review import REVIEW

KIND_DEFINITIONS = (REVIEW, COMPACT)
"""Each is named after its kind; no model can start it, and no file can redefine it."""
