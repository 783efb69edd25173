"""Runs the slowest imports on a thread, with garbage collection off until they are done."""

import gc
from importlib import import_module

GC_THRESHOLDS = (20_000, 20, 20)
"""Thresholds of `gc.set_threshold` for the three generations."""


def disable_gc() -> None:
    """Disable garbage collection: imports create no garbage, and it takes a fifth of the start."""
    gc.disable()


def enable_gc() -> None:
    """Enable garbage collection, except for objects that exist already, which are mostly imports.

    The thresholds are high because the messages and state of many running agents are no garbage.
    """
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()


def start_background_imports(*modules: str) -> None:
    """Start importing the SDK, then modules that are needed soon; call it last during the start.

    `modules` are further modules, whose import would delay their first use.
    """
    from threading import Thread  # noqa: PLC0415  (`--version` starts no thread)

    Thread(target=_import_modules, args=(modules,), name="greenroom-sdk", daemon=True).start()


def _import_modules(modules: tuple[str, ...]) -> None:
    from actors.bash.parse import load_parser  # noqa: PLC0415  (on this thread)
    from actors.models.anthropic_client import load_sdk  # noqa: PLC0415  (as above)

    try:
        load_sdk()
        load_parser()  # needed by the first command, soon after the first reply
        for module in modules:
            import_module(module)
    finally:
        enable_gc()
