"""Jobs that prepare a prompt: they read its environment and its attachments."""

import asyncio
from dataclasses import dataclass, field

from actors.agents.turn.effects import PrepareContext, ReadAttachments
from actors.agents.turn.self_messages import AttachmentsRead, ContextPrepared
from actors.prompt_context.attachments import (
    PlannedAttachment,
    build_unattached,
    plan_attachments,
    plan_listing,
    read_attachments,
)
from actors.prompt_context.environment import EnvironmentReader
from actors.prompt_context.environment_text import Environment
from actors.runtime.actor import JobFailure
from actors.tools.tool import ToolContext
from messages.base import Message
from messages.turns import TurnEnded

FAILED = "it could not be read because of a bug in Greenroom: {detail}"


@dataclass(frozen=True, slots=True)
class ContextPreparation:
    """Reads the environment and plans the attachments of one prompt."""

    effect: PrepareContext
    reader: EnvironmentReader
    tool_context: ToolContext
    since_s: float
    """When the last turn ended."""

    async def run(self) -> ContextPrepared:
        """Read both at the same time."""
        environment, listing, attachments = await asyncio.gather(
            self._read_environment(),
            self._plan_listing(),
            plan_attachments(self.effect.mentions, self.tool_context),
        )
        return ContextPrepared(
            turn=self.effect.turn,
            environment=environment,
            listing=listing,
            attachments=attachments,
        )

    def on_failure(self, failure: JobFailure) -> ContextPrepared:
        """Return the outcome of a job that raised: the prompt is sent without its context."""
        problem = FAILED.format(detail=failure.detail)
        attachments = tuple(build_unattached(mention, problem) for mention in self.effect.mentions)
        return ContextPrepared(turn=self.effect.turn, attachments=attachments)

    async def _read_environment(self) -> Environment | None:
        scope, known, model = self.effect.scope, self.effect.known, self.effect.model
        if scope == "none":
            return None
        if known is not None:
            return await self.reader.describe_changes(known, model, self.since_s)
        return await self.reader.describe(scope, model)

    async def _plan_listing(self) -> PlannedAttachment | None:
        return await plan_listing(self.tool_context) if self.effect.scope == "all" else None


@dataclass(frozen=True, slots=True)
class AttachmentReading:
    """Reads the attachments that are allowed."""

    effect: ReadAttachments
    tool_context: ToolContext

    async def run(self) -> AttachmentsRead:
        """Read one after the other."""
        attachments = await read_attachments(self.effect.planned, self.tool_context)
        return AttachmentsRead(turn=self.effect.turn, attachments=attachments)

    def on_failure(self, failure: JobFailure) -> AttachmentsRead:
        """Return the outcome of a job that raised: nothing is attached."""
        problem = FAILED.format(detail=failure.detail)
        attachments = tuple(
            build_unattached(planned.mention, problem) for planned in self.effect.planned
        )
        return AttachmentsRead(turn=self.effect.turn, attachments=attachments)


@dataclass
class ContextJobs:
    """Creates these jobs for one agent."""

    reader: EnvironmentReader | None
    """None: prompts are sent as they are."""
    last_turn_end_s: float = field(default=0.0, init=False)

    def on_event(self, event: Message) -> None:
        """Note when a turn ends; what changes afterwards was not changed by it."""
        if self.reader is not None and isinstance(event, TurnEnded):
            self.last_turn_end_s = self.reader.get_time_s()

    def create(
        self, effect: PrepareContext | ReadAttachments, tool_context: ToolContext
    ) -> ContextPreparation | AttachmentReading:
        """Return the job of an effect."""
        if isinstance(effect, ReadAttachments):
            return AttachmentReading(effect, tool_context)
        if self.reader is None:
            message = "a prompt is prepared only with an environment reader"
            raise RuntimeError(message)
        return ContextPreparation(effect, self.reader, tool_context, self.last_turn_end_s)
