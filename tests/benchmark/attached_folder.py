"""Time to attach a folder that a prompt mentions."""

import asyncio
import tempfile
import time
from pathlib import Path

from actors.prompt_context.attachments import (
    PlannedAttachment,
    plan_attachments,
    read_attachments,
)
from actors.tools.tool import ToolContext
from tests.actors.tools.tool_caller import ToolCaller
from tests.benchmark.benchmark_row import BenchmarkRow

FILE_COUNT, LIMIT_MS = 1_000, 50.0


def attach_folder_ms() -> float:
    """Return the milliseconds to plan and read a folder, without the permission decision."""
    with tempfile.TemporaryDirectory() as name:
        caller = ToolCaller(Path(name).resolve())
        folder = caller.root / "src"
        folder.mkdir()
        for number in range(FILE_COUNT):
            (folder / f"file{number}.py").touch()
        return asyncio.run(_attach(caller.context))


async def _attach(context: ToolContext) -> float:
    started_s = time.perf_counter()
    items = await plan_attachments(("src",), context)
    planned = tuple(item for item in items if isinstance(item, PlannedAttachment))
    (attachment,) = await read_attachments(planned, context)
    duration_s = time.perf_counter() - started_s
    if attachment.summary != f"{FILE_COUNT:,} entries":
        raise RuntimeError(attachment.summary)
    return duration_s * 1e3


ROWS = (
    BenchmarkRow(
        "attach-folder",
        "`@folder` with 1,000 files attached to a prompt",
        "50 ms, fixed",
        1,
        attach_folder_ms,
        lambda: LIMIT_MS,
        unit="ms",
        is_fixed_limit=True,
    ),
)
