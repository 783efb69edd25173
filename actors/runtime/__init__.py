"""Actors as such; this package knows no agent.

`actor` is what features write, `life` what becomes of it, `cell` (on pykka) what runs that,
`lanes` its mailbox, `works` and `children` what it owns, `event_loop` the thread that all share,
`directory` who lives, `system` the edges. Nothing here prints: the program says where logs go.
"""

import logging

logging.getLogger("greenroom").addHandler(logging.NullHandler())
