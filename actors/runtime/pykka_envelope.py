"""Unwraps pykka's envelopes: what other code may send to a cell through its `pykka.ActorRef`."""

from typing import Any, get_args

from pykka import messages as pykka_messages

from actors.runtime.cell import Cell
from actors.runtime.event_loop_actor import PykkaEnvelope
from actors.runtime.mailbox import MailboxItem, StopCell
from messages.address import Address

ITEM_TYPES = frozenset(get_args(MailboxItem))


class NotACellMessageError(TypeError):
    """Something that pykka can send, but that no cell handles; raised in the sender."""

    def __init__(self, address: Address, *, is_ask: bool) -> None:
        """Describe what to use instead."""
        if is_ask:
            problem = "replies with messages, not to `ask` or `proxy`; use ActorSystem.ask"
        else:
            problem = "receives only mailbox items; use ActorSystem.tell"
        super().__init__(f"{address} {problem}")


def unwrap_envelope(envelope: PykkaEnvelope, cell: Cell) -> MailboxItem:
    """Take the item for a cell out of pykka's envelope; convert pykka's own stop to `StopCell`.

    A handler returns nothing, so `ActorRef.ask` and `proxy` could only wait forever. Their
    caller gets the exception instead.

    Raises:
        NotACellMessageError: it is not an item, so no handler would understand it.
    """
    message: Any = envelope.message
    reply_to = envelope.reply_to
    if type(message) in ITEM_TYPES and reply_to is None:
        item: MailboxItem = message
        return item
    stop = pykka_messages._ActorStop  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  (`ActorRef.stop` sends it)
    if not isinstance(message, stop):
        raise NotACellMessageError(cell.address, is_ask=reply_to is not None)
    if reply_to is not None:
        reply_to.set(None)  # pykka's `ActorRef.stop` waits for it
    return StopCell(cell.get_default_deadline_s(), high_priority=not cell.drains_before_stop)
