"""A workspace in memory with two simple tools: `look` reads a file, `change` writes one."""

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
from messages.policy import PermissionRequest, ToolDeclaration
from messages.tool_calls import CallPlan, FileDigest, Patch, ToolOutput

LOOK_TOOL, CHANGE_TOOL = "look", "change"
FILE_NAMES = ("a.txt", "b.txt", "c.txt", ".env", ".git/config")


class EffectObserver(Protocol):
    """Is called for each effect of a tool, at the moment it happens."""

    def __call__(self, tag: str, effect: str, details: str) -> None:
        """Observe one effect.

        `tag` comes from the call's arguments; `details` is exactly what was done: a command, a diff
        or a title.
        """
        ...


class LookArguments(Arguments):
    """Arguments of `look`."""

    tag: str
    path: str = Field(min_length=1)


class ChangeArguments(Arguments):
    """Arguments of `change`."""

    tag: str
    path: str = Field(min_length=1)
    text: str


class InMemoryWorkspace:
    """Files by relative path; while armed, another program may change one between two steps."""

    def __init__(self, random: Random, on_effect: EffectObserver) -> None:
        self._random = random
        self._on_effect = on_effect
        self._texts: dict[str, str] = {"a.txt": "one\n"}
        self.is_armed = False

    @property
    def tools(self) -> tuple[AnyTool, ...]:
        """The tools for these files, and the real `bash`."""
        look: AnyTool = Tool(
            ToolDeclaration(
                name=LOOK_TOOL, category="read", default_action="allow", reads_only=True
            ),
            description="Look at a file.",
            arguments=LookArguments,
            plan=self._plan_look,
            run=self._look,
        )
        change: AnyTool = Tool(
            ToolDeclaration(
                name=CHANGE_TOOL, category="change", default_action="ask", reads_only=False
            ),
            description="Write a file.",
            arguments=ChangeArguments,
            plan=self._plan_change,
            run=self._change,
        )
        return look, change, BASH

    async def _plan_look(self, arguments: LookArguments, context: ToolContext) -> CallPlan:
        await self._pause(arguments.path)
        self._get_digest(arguments.path, context)
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
        self._on_effect(arguments.tag, "looks", plan.title)
        return ToolOutput(text=text, observed_files=(self._get_digest(arguments.path, context),))

    async def _plan_change(self, arguments: ChangeArguments, context: ToolContext) -> CallPlan:
        await self._pause(arguments.path)
        original = self._get_digest(arguments.path, context)
        is_unread = original.digest and original.path not in context.observed_files
        unread_file = arguments.path if is_unread else ""
        old_text = self._texts.get(arguments.path, "")
        if old_text == arguments.text:
            problem = f"{arguments.path} has exactly this content already"
            if not unread_file:
                raise ToolError(problem)
            raise UnreadFileError(
                problem,
                CallPlan(title="", requests=(), unread_file=unread_file, rejection=problem),
            )
        diff = difflib.unified_diff(old_text.split(), arguments.text.split(), lineterm="")
        return CallPlan(
            title=f"change {arguments.path}",
            requests=(PermissionRequest(permission="write", target=arguments.path),),
            patch=Patch(
                path=original.path,
                original=original,
                new_text=arguments.text,
                diff="\n".join(diff),
            ),
            unread_file=unread_file,
        )

    async def _change(
        self, arguments: ChangeArguments, plan: CallPlan, context: ToolContext
    ) -> ToolOutput:
        await self._pause(arguments.path, outside_change_chance=0.4)
        return await run_to_completion(asyncio.to_thread(self._apply, arguments, plan, context))

    def _apply(
        self, arguments: ChangeArguments, plan: CallPlan, context: ToolContext
    ) -> ToolOutput:
        if plan.patch is None or self._get_digest(arguments.path, context) != plan.patch.original:
            message = f"{arguments.path} has changed"
            raise TargetChangedError(message)
        self._texts[plan.requests[0].target] = plan.patch.new_text
        self._on_effect(arguments.tag, "changes", plan.patch.diff)
        digest = self._get_digest(arguments.path, context)
        return ToolOutput(text="changed", observed_files=(digest,))

    def _get_digest(self, path: str, context: ToolContext) -> FileDigest:
        text = self._texts.get(path)
        digest = hashlib.sha256(text.encode()).hexdigest() if text is not None else ""
        return FileDigest(path=str(context.workspace.root / path), digest=digest)

    async def _pause(self, path: str, outside_change_chance: float = 0.12) -> None:
        """Wait; while armed, another program may then have changed the file, or the tool may raise.

        The wait takes virtual time of the simulated loop.
        """
        await asyncio.sleep(self._random.choice((0.0, 0.01, 0.3)))
        if self.is_armed and self._random.random() < outside_change_chance:
            self._texts[path] = f"{self._random.randrange(100)}\n"
        if self.is_armed and self._random.random() < 0.02:
            message = "injected in a tool"
            raise RuntimeError(message)
