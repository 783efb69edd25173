"""The limit for reading a stream: `http.client` and `json.loads`, nothing kept."""

import http.client
import json
import os
import sys
from urllib.parse import urlsplit


def main(prompt: str) -> None:
    """Read one reply to its end."""
    place = urlsplit(os.environ["ANTHROPIC_BASE_URL"])
    connection = http.client.HTTPConnection(place.hostname or "", place.port)
    asked = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    connection.request("POST", "/v1/messages", json.dumps(asked))
    for line in connection.getresponse():
        if line.startswith(b"data:"):
            json.loads(line[5:])


if __name__ == "__main__":
    main(sys.argv[1])
