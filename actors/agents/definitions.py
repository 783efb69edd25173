"""What an agent is, as data: one behaviour serves them all."""

from dataclasses import dataclass

from actors.tools.tool import AnyTool


@dataclass(frozen=True, slots=True)
class Definition:
    """Who an agent is and what it may use."""

    name: str
    system_prompt: str
    tools: tuple[AnyTool, ...]
    model: str
    max_tokens: int = 32_000
    """Longest reply that is asked for, in tokens; a model may give less."""
