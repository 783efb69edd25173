"""Whom an agent talks to, and what it reaches of the world."""

from dataclasses import dataclass

from actors.models.client import ModelClient
from actors.tools.tool import ToolContext
from messages.address import Address


@dataclass(frozen=True, slots=True)
class Posts:
    """Whom an agent talks to."""

    journal: Address
    engine: Address
    approvals: Address
    """Where its requests go: the parent; for the primary, the broker."""
    reports: Address
    """Where its events go: the parent; for the primary, the console."""


@dataclass(frozen=True, slots=True)
class Ports:
    """What an agent reaches of the world."""

    model: ModelClient
    tools: ToolContext
    """With nothing seen yet."""
