"""Baseline for a whole run: the plain SDK in a loop with one tool, as in its documentation.

Arguments: a journal file, then the prompt.
"""

import os
import subprocess
import sys
from typing import Any

import anthropic


def main(journal: str, prompt: str) -> None:
    """Send requests and run tool calls until there are none; sync one line per call."""
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
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return
        messages.append({"role": "user", "content": [_run_call(call, file) for call in calls]})


def _run_call(call: Any, journal: int) -> dict[str, Any]:  # noqa: ANN401  (the SDK's block)
    process = subprocess.run(
        ["bash", "-c", str(call.input["command"])], capture_output=True, text=True, check=False
    )
    os.write(journal, b"x" * 300 + b"\n")
    os.fdatasync(journal)
    return {"type": "tool_result", "tool_use_id": call.id, "content": process.stdout}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
