"""The `compact` kind: summarizes the conversation of the agent that it belongs to.

It sends that agent's own request prefix, so that the model's cache applies; the definition only
describes it and gives it no rights.
"""

from actors.agents.definition.definition import Definition

COMPACT = Definition(
    name="compact",
    description="Summarizes a long conversation while it continues.",
    system_prompt="",
    mode="subagent",
    tools=(),
    read_only=True,
)
