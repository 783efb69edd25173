"""A `ModelClient` that adds what each request costs, at prices that the user has configured."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from actors.models.model_client import ModelClient, ModelRequest, Reply, ReplyDelta
from messages.content import Usage
from messages.model_limits import ModelLimitsFound

_TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of one model for a million tokens of each kind, in any currency."""

    input: float
    output: float
    cache_read: float
    cache_write: float


@dataclass(frozen=True, slots=True)
class PricedClient:
    """Passes requests to another client; requests to a model without a price have no cost."""

    client: ModelClient
    prices: Mapping[str, Prices]
    """By model, as it is requested."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ReplyDelta | Reply]:
        """Stream a reply; see `ModelClient`."""
        prices = self.prices.get(request.model)
        async for item in self.client.stream(request):
            if prices is not None and item.usage is not None:
                yield replace(item, usage=add_cost(item.usage, prices))
            else:
                yield item

    async def look_up_limits(self, model: str) -> ModelLimitsFound | None:
        """Look up a model's limits; see `ModelClient`."""
        return await self.client.look_up_limits(model)


def add_cost(usage: Usage, prices: Prices) -> Usage:
    """Return the usage of one request with its cost."""
    cost = (
        usage.input_tokens * prices.input
        + usage.output_tokens * prices.output
        + usage.cache_read_input_tokens * prices.cache_read
        + usage.cache_creation_input_tokens * prices.cache_write
    ) / _TOKENS_PER_PRICE
    return usage.model_copy(update={"cost": cost})
