"""How much effort the model puts into a reply."""

from typing import Literal, get_args

Effort = Literal["low", "medium", "high", "xhigh", "max"]
"""The levels of the Messages API, from the fewest tokens to the most; not every model has all."""
EFFORT_LEVELS: tuple[Effort, ...] = get_args(Effort)
