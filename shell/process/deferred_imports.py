"""The slowest imports, done beside everything else; no garbage is looked for meanwhile."""

import gc
from importlib import import_module

GC_THRESHOLDS = (20_000, 20, 20)
"""So many new objects, and so many looks, until the next look for garbage, and farther back."""


def disable_gc() -> None:
    """Look for no garbage: imports make none, and looking is a fifth of the start."""
    gc.disable()


def enable_gc() -> None:
    """Look for garbage from now on, but not again and again among what was imported.

    Nor all the time while many agents are at work, whose messages and state are none.
    """
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()


def start_background_imports(*modules: str) -> None:
    """Begin to load the SDK, and then what nobody waits for; it is the last of the start.

    `more` are modules that are wanted soon, and would hold up whoever wants them.
    """
    from threading import Thread  # noqa: PLC0415  (`--version` begins no thread)

    Thread(target=_load, args=(modules,), name="greenroom-sdk", daemon=True).start()


def _load(more: tuple[str, ...]) -> None:
    from actors.bash.parse import load_parser  # noqa: PLC0415  (on this thread)
    from actors.models.anthropic_client import load_sdk  # noqa: PLC0415  (as above)

    try:
        load_sdk()
        load_parser()
        for module in more:
            import_module(module)
    finally:
        enable_gc()
