"""Actors as such; this package knows no agent.

`actor` is what features write. `household` is what one owns (`works`, `children`), `life` what
becomes of it, `way_out` how it ends or begins again as `supervision` allows; `cell` (on pykka)
runs that, `lanes` are its mailbox. `event_loop` is the thread that all share, `watchdog` looks
whether it turns, `directory` knows who lives, `system` is the edges. Nothing here prints.
"""

import logging

logging.getLogger("greenroom").addHandler(logging.NullHandler())
