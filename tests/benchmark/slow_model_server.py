"""A model server in its own process; every subagent at the last level waits for its reply.

That wait, a sleep of the server, is the load that the benchmark measures.

Arguments: the number of subagents that the primary starts, the number that each of those starts
(0: none), and the seconds that each subagent at the last level waits. It prints its port, and one
more line when all of the last level have sent a request.
"""

import asyncio
import json
import sys
from typing import Any

from actors.models.scripted_reply import ReplyPlan, ScriptedCall, generate_events
from actors.models.server_sent_events import encode_event

BACKLOG = 4_096


async def main(first_level_count: int, second_level_count: int, reply_delay_s: float) -> None:
    """Serve until the process is killed."""
    serve = SlowModelServer(first_level_count, second_level_count, reply_delay_s).serve
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=BACKLOG)
    print_line(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


class SlowModelServer:
    """Chooses each response by the request's last message."""

    def __init__(
        self, first_level_count: int, second_level_count: int, reply_delay_s: float
    ) -> None:
        self._reply_delay_s = reply_delay_s
        self._remaining_requests = first_level_count * (second_level_count or 1)
        second_level = "coordinator" if second_level_count else "leaf"
        self._responses = {
            "leaf": encode_response(ReplyPlan(text="found it")),
            "done": encode_response(ReplyPlan(text="done")),
            "primary": encode_response(plan_tasks(second_level, first_level_count)),
            "coordinator": encode_response(plan_tasks("leaf", second_level_count)),
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Respond on one connection until it is closed."""
        try:
            while request := await read_request(reader):
                role = find_role(request)
                if role == "leaf":
                    self._remaining_requests -= 1
                    if not self._remaining_requests:
                        print_line("all requests were received")
                    await asyncio.sleep(self._reply_delay_s)
                writer.write(self._responses[role])
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def print_line(line: str) -> None:
    """Print a line for the process that started this one."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def read_request(reader: asyncio.StreamReader) -> dict[str, Any]:
    """Return the body of the next request."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = [line.partition(b":") for line in head.lower().split(b"\r\n")]
    length = next(int(value) for name, _, value in fields if name == b"content-length")
    request: dict[str, Any] = json.loads(await reader.readexactly(length))
    return request


def find_role(request: dict[str, Any]) -> str:
    """Return which agent sent a request, or `done` if it has the results of its subagents."""
    content: str | list[dict[str, Any]] = request["messages"][-1]["content"]
    if isinstance(content, str):
        text = content
    elif content[0]["type"] == "tool_result":
        text = "done"
    else:
        text = content[-1]["text"]
    return text if text in ("coordinator", "leaf", "done") else "primary"


def plan_tasks(prompt: str, count: int) -> ReplyPlan:
    """Return a reply that starts this many subagents in parallel."""
    arguments = {"description": prompt, "prompt": prompt, "subagent_type": "general"}
    return ReplyPlan(calls=tuple(ScriptedCall("task", dict(arguments)) for _ in range(count)))


def encode_response(plan: ReplyPlan) -> bytes:
    """Return a whole HTTP response."""
    data = b"".join(
        encode_event(event) for event in generate_events(plan, {"model": "slow"}, "toolu")
    )
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
