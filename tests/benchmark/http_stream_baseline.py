"""Baseline for reading a stream: `http.client` and `json.loads`, nothing is kept."""

import http.client
import json
import os
import sys
from urllib.parse import urlsplit


def main(prompt: str) -> None:
    """Read one reply to its end."""
    url = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
    connection = http.client.HTTPConnection(url.hostname or "", url.port)
    body = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    connection.request("POST", "/v1/messages", json.dumps(body))
    for line in connection.getresponse():
        if line.startswith(b"data:"):
            json.loads(line[5:])


if __name__ == "__main__":
    main(sys.argv[1])
