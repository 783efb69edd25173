"""A workspace in memory, and two simple tools over it: one that only looks, one that changes."""

import asyncio
import difflib
import hashlib
from random import Random
from typing import Protocol

from pydantic import Field

from actors.tools.await_helpers import run_to_completion
from actors.tools.bash import BASH
from actors.tools.tool import (
    AnyTool,
    Arguments,
    TargetChangedError,
    Tool,
    ToolContext,
    ToolError,
    UnreadFileError,
)
from messages.policy import PermissionRequest
from messages.tool_calls import CallPlan, FileDigest, Patch, ToolOutput

LOOK_TOOL, CHANGE_TOOL = "look", "change"
FILE_NAMES = ("a.txt", "b.txt", "c.txt", ".env", ".git/config")


class EffectObserver(Protocol):
    """Told of every effect that a tool has on the world, when it has it."""

    def __call__(self, tag: str, what: str, shown: str) -> None:
        """Hear of one; `tag` stands in the call's arguments, `shown` is exactly what was done."""
        ...


class LookArguments(Arguments):
    """What the model sends."""

    tag: str
    path: str = Field(min_length=1)


class ChangeArguments(Arguments):
    """What the model sends."""

    tag: str
    path: str = Field(min_length=1)
    text: str


class InMemoryWorkspace:
    """Files by their path below the workspace; somebody else may change one between two steps."""

    def __init__(self, random: Random, on_effect: EffectObserver) -> None:
        self._random = random
        self._happened = on_effect
        self._texts: dict[str, str] = {"a.txt": "one\n"}
        self.is_armed = False

    @property
    def tools(self) -> tuple[AnyTool, ...]:
        """The tools that work on it, and the real `bash`."""
        look: AnyTool = Tool(
            name=LOOK_TOOL,
            description="Look at a file.",
            arguments=LookArguments,
            category="read",
            default_action="allow",
            reads_only=True,
            plan=self._plan_look,
            run=self._look,
        )
        change: AnyTool = Tool(
            name=CHANGE_TOOL,
            description="Write a file.",
            arguments=ChangeArguments,
            category="change",
            default_action="ask",
            reads_only=False,
            plan=self._plan_change,
            run=self._change,
        )
        return look, change, BASH

    async def _plan_look(self, arguments: LookArguments, context: ToolContext) -> CallPlan:
        await self._pause(arguments.path)
        self._state(arguments.path, context)
        request = PermissionRequest(permission="read", target=arguments.path)
        return CallPlan(title=f"look {arguments.path}", requests=(request,))

    async def _look(
        self, arguments: LookArguments, plan: CallPlan, context: ToolContext
    ) -> ToolOutput:
        await self._pause(arguments.path)
        text = await asyncio.to_thread(self._texts.get, plan.requests[0].target)
        if text is None:
            message = f"{arguments.path}: no such file"
            raise ToolError(message)
        self._happened(arguments.tag, "looks", plan.title)
        return ToolOutput(text=text, observed_files=(self._state(arguments.path, context),))

    async def _plan_change(self, arguments: ChangeArguments, context: ToolContext) -> CallPlan:
        await self._pause(arguments.path)
        before = self._state(arguments.path, context)
        unseen = before.digest and before.path not in context.observed_files
        peeked = arguments.path if unseen else ""
        old = self._texts.get(arguments.path, "")
        if old == arguments.text:
            problem = f"{arguments.path} has exactly this content already"
            if not peeked:
                raise ToolError(problem)
            raise UnreadFileError(
                problem, CallPlan(title="", requests=(), unread_file=peeked, rejection=problem)
            )
        diff = "\n".join(difflib.unified_diff(old.split(), arguments.text.split(), lineterm=""))
        return CallPlan(
            title=f"change {arguments.path}",
            requests=(PermissionRequest(permission="write", target=arguments.path),),
            patch=Patch(path=before.path, original=before, new_text=arguments.text, diff=diff),
            unread_file=peeked,
        )

    async def _change(
        self, arguments: ChangeArguments, plan: CallPlan, context: ToolContext
    ) -> ToolOutput:
        await self._pause(arguments.path, meddling=0.4)
        return await run_to_completion(asyncio.to_thread(self._apply, arguments, plan, context))

    def _apply(
        self, arguments: ChangeArguments, plan: CallPlan, context: ToolContext
    ) -> ToolOutput:
        if plan.patch is None or self._state(arguments.path, context) != plan.patch.original:
            message = f"{arguments.path} has changed"
            raise TargetChangedError(message)
        self._texts[plan.requests[0].target] = plan.patch.new_text
        self._happened(arguments.tag, "changes", plan.patch.diff)
        return ToolOutput(text="changed", observed_files=(self._state(arguments.path, context),))

    def _state(self, path: str, context: ToolContext) -> FileDigest:
        text = self._texts.get(path)
        digest = hashlib.sha256(text.encode()).hexdigest() if text is not None else ""
        return FileDigest(path=str(context.workspace.root / path), digest=digest)

    async def _pause(self, path: str, meddling: float = 0.12) -> None:
        """Take a while, in which somebody else may be at work on the same file, or fail."""
        await asyncio.sleep(self._random.choice((0.0, 0.01, 0.3)))
        if self.is_armed and self._random.random() < meddling:
            self._texts[path] = f"{self._random.randrange(100)}\n"
        if self.is_armed and self._random.random() < 0.02:
            message = "planted in a tool"
            raise RuntimeError(message)
