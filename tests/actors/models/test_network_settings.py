"""Proxy and certificate variables, with the real SDK."""

import asyncio
from importlib.util import find_spec

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest

pytestmark = pytest.mark.quick

SERVER = "https://model.invalid"
VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _unset_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def send_request() -> None:
    client = AnthropicClient(SERVER, "key")
    request = ModelRequest("m", "", (), ({"role": "user", "content": "hi"},), 9)
    try:
        async for _ in client.stream(request):
            pass
    finally:
        await client.close()


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("HTTPS_PROXY", "ftp://proxy.invalid", "Unknown scheme for proxy"),
        pytest.param(
            "all_proxy",
            "socks5://127.0.0.1:9",
            "SOCKS",
            marks=pytest.mark.skipif(
                find_spec("socksio") is not None, reason="SOCKS proxies work here"
            ),
        ),
        ("SSL_CERT_FILE", "/", "Is a directory"),
    ],
)
def test_an_unusable_network_variable_is_named_in_the_error(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, text: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ModelError) as caught:
        asyncio.run(send_request())
    assert caught.value.detail.startswith(f"cannot set up a connection to {SERVER} (")
    assert text in caught.value.detail
    assert caught.value.detail.endswith(f"; check ANTHROPIC_BASE_URL, {variable.upper()}")


def test_a_proxy_that_rejects_us_is_named_as_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async def send_through_proxy() -> None:
        proxy = await asyncio.start_server(refuse, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret@127.0.0.1:{port}")
        async with proxy:
            await send_request()

    with pytest.raises(ModelError) as caught:
        asyncio.run(send_through_proxy())
    assert (caught.value.reason, caught.value.is_retryable) == ("unreachable", False)
    assert caught.value.detail == (
        f"the proxy cannot reach {SERVER} (407 Who are you); check ANTHROPIC_BASE_URL, HTTPS_PROXY"
    )
