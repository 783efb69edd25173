"""The limit for a whole run: a loop of the plain SDK with one tool, as its documentation has it.

Arguments: a file for its journal, then the prompt.
"""

import os
import subprocess
import sys
from typing import Any

import anthropic


def main(journal: str, prompt: str) -> None:
    """Ask, run what is called, write a line and sync it, until nothing is called."""
    client = anthropic.Anthropic()
    file = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    messages: list[Any] = [{"role": "user", "content": prompt}]
    tools: list[Any] = [{"name": "bash", "input_schema": {"type": "object"}}]
    while True:
        with client.messages.stream(
            model="scripted", max_tokens=1_000, messages=messages, tools=tools
        ) as stream:
            reply = stream.get_final_message()
        content = [block.model_dump(exclude_none=True) for block in reply.content]
        messages.append({"role": "assistant", "content": content})
        uses = [block for block in reply.content if block.type == "tool_use"]
        if not uses:
            return
        messages.append({"role": "user", "content": [_result(use, file) for use in uses]})


def _result(use: Any, journal: int) -> dict[str, Any]:  # noqa: ANN401  (the SDK's block)
    done = subprocess.run(
        ["bash", "-c", str(use.input["command"])], capture_output=True, text=True, check=False
    )
    os.write(journal, b"x" * 300 + b"\n")
    os.fdatasync(journal)
    return {"type": "tool_result", "tool_use_id": use.id, "content": done.stdout}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
