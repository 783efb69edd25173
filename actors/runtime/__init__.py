"""Actors as such; this package knows no agent.

`actor` is what features write, `cell` (on pykka) what runs them, `lanes` their mailboxes,
`event_loop` the thread they share, `system` the directory and the edges.
"""
