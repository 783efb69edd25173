"""Settings of the environment that stand between us and the server, over the real SDK."""

import asyncio
from importlib.util import find_spec

import pytest

from actors.models.anthropic_client import AnthropicClient
from actors.models.model_client import ModelError, ModelRequest

pytestmark = pytest.mark.quick

SERVER = "https://model.invalid"
VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def send_request() -> None:
    model = AnthropicClient(SERVER, "key")
    request = ModelRequest("m", "", (), ({"role": "user", "content": "hi"},), 9)
    try:
        async for _ in model.stream(request):
            pass
    finally:
        await model.close()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HTTPS_PROXY", "ftp://proxy.invalid", "Unknown scheme for proxy"),
        pytest.param(
            "all_proxy",
            "socks5://127.0.0.1:9",
            "SOCKS",
            marks=pytest.mark.skipif(find_spec("socksio") is not None, reason="it can be used"),
        ),
        ("SSL_CERT_FILE", "/", "Is a directory"),
    ],
)
def test_one_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ModelError) as caught:
        asyncio.run(send_request())
    assert caught.value.detail.startswith(f"cannot use {SERVER}: ")
    assert said in caught.value.detail
    assert caught.value.detail.endswith(f"; check ANTHROPIC_BASE_URL, {variable.upper()}")


def test_a_proxy_that_does_not_lead_there_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async def ask_by_proxy() -> None:
        proxy = await asyncio.start_server(refuse, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret@127.0.0.1:{port}")
        async with proxy:
            await send_request()

    with pytest.raises(ModelError) as caught:
        asyncio.run(ask_by_proxy())
    assert (caught.value.reason, caught.value.is_retryable) == ("unreachable", False)
    assert caught.value.detail == (
        f"the proxy does not lead to {SERVER}: 407 Who are you; check ANTHROPIC_BASE_URL, "
        "HTTPS_PROXY"
    )
