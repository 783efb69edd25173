"""A model server in a process of its own, on which every subagent waits for its answer.

Arguments: how many the primary starts, how many each of those starts (0: none), and how long each
of the last waits, in seconds. It prints its port, and a line more when all of the last have asked.
"""

import asyncio
import json
import sys
from typing import Any

from actors.models.scripted_reply import ReplyPlan, ScriptedCall, generate_events
from actors.models.server_sent_events import encode_event

BACKLOG = 4_096


async def main(first_level_count: int, second_level_count: int, answer_s: float) -> None:
    """Serve until it is killed."""
    serve = SlowModelServer(first_level_count, second_level_count, answer_s).serve
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=BACKLOG)
    print_line(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


class SlowModelServer:
    """Answers by what it is asked, without a memory."""

    def __init__(self, first: int, second: int, answer_s: float) -> None:
        self._answer_s = answer_s
        self._awaited = first * (second or 1)
        self._bodies = {
            "leaf": encode_response(ReplyPlan(text="found it")),
            "done": encode_response(ReplyPlan(text="done")),
            "primary": encode_response(plan_tasks("chief" if second else "leaf", first)),
            "chief": encode_response(plan_tasks("leaf", second)),
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer on one connection until it is closed."""
        try:
            while asked := await read_request(reader):
                part = get_requester(asked)
                if part == "leaf":
                    self._awaited -= 1
                    if not self._awaited:
                        print_line("all have asked")
                    await asyncio.sleep(self._answer_s)
                writer.write(self._bodies[part])
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def print_line(line: str) -> None:
    """Tell whoever started it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def read_request(reader: asyncio.StreamReader) -> dict[str, Any]:
    """Read one request; empty: there is none more."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = [line.partition(b":") for line in head.lower().split(b"\r\n")]
    length = next(int(value) for name, _, value in fields if name == b"content-length")
    asked: dict[str, Any] = json.loads(await reader.readexactly(length))
    return asked


def get_requester(asked: dict[str, Any]) -> str:
    """Say who asks, and whether what it started has answered."""
    last: str | list[dict[str, Any]] = asked["messages"][-1]["content"]
    if isinstance(last, str):
        said = last
    elif last[0]["type"] == "tool_result":
        said = "done"
    else:
        said = last[-1]["text"]
    return said if said in ("chief", "leaf", "done") else "primary"


def plan_tasks(prompt: str, count: int) -> ReplyPlan:
    """Start so many at once."""
    arguments = {"description": prompt, "prompt": prompt, "subagent_type": "general"}
    return ReplyPlan(calls=tuple(ScriptedCall("task", dict(arguments)) for _ in range(count)))


def encode_response(plan: ReplyPlan) -> bytes:
    """Write a whole answer."""
    data = b"".join(
        encode_event(each) for each in generate_events(plan, {"model": "slow"}, "toolu")
    )
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
