"""The actor runtime, built on pykka. It knows nothing about agents and prints nothing.

What a feature writes:

- `actor`: the `Actor` base class. Its subclass is a behavior, as in Akka or an OTP callback module.
- `supervision`: `Restart`, the restart policy of a child, and the budget that enforces it.

What runs a behavior:

- `cell`: one pykka actor per address. `LoopCell` runs on the event loop, `ThreadCell` on its own
  thread. A restart replaces the behavior and keeps the cell.
- `base_cell`, `lifecycle`, `mailbox_processor`: the layers that `Cell` inherits. They implement
  the context of a behavior, stopping and restarting, and the handling of one mailbox item.
- `mailbox`: a priority and a normal lane, and the runtime's own signals.
- `children`, `jobs`: what one cell owns.

What all cells share:

- `event_loop`: the asyncio loop and its thread. `daemon_executor` runs its blocking calls.
- `registry`: cells by address, dead letters, watchers. `runtime_port` is its protocol.
- `watchdog`: a thread that reports a blocked event loop.
- `system`: start, tell, ask and stop, from threads that run no actors. `reply_slot` serves `ask`.
"""

import logging

logging.getLogger("greenroom").addHandler(logging.NullHandler())
