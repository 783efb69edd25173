"""A server whose certificate nobody vouches for, over the real SDK."""

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_that_nobody_vouches_for_is_told_as_such(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run(
        [*made, "-keyout", key, "-out", certificate, "-days", "2"], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def connected(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        message = "the handshake must fail"
        raise AssertionError(message)

    async def once() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        model = AnthropicClient(f"https://localhost:{port}", "key")
        async with server:
            request = ModelRequest("m", "", (), ({"role": "user", "content": "hi"},), 9)
            async for _ in model.stream(request):
                pass

    with pytest.raises(ModelError) as failed:
        asyncio.run(once())
    assert (failed.value.reason, failed.value.is_retryable) == ("unreachable", False)
    assert "no safe connection to https://localhost" in failed.value.detail
