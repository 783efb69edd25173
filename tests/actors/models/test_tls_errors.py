"""A server with an untrusted certificate, with the real SDK."""

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to create a certificate")
def test_an_untrusted_certificate_is_reported_as_an_insecure_connection(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run(
        [*command, "-keyout", key, "-out", certificate, "-days", "2"],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def on_connection(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        message = "the handshake must fail"
        raise AssertionError(message)

    async def send_request() -> None:
        server = await asyncio.start_server(on_connection, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        client = AnthropicClient(f"https://localhost:{port}", "key")
        async with server:
            request = ModelRequest("m", "", (), ({"role": "user", "content": "hi"},), 9)
            async for _ in client.stream(request):
                pass

    with pytest.raises(ModelError) as caught:
        asyncio.run(send_request())
    assert (caught.value.reason, caught.value.is_retryable) == ("unreachable", False)
    assert "no secure connection to https://localhost" in caught.value.detail
