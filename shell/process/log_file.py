"""Where what the program logs goes: one private file, made when there is something to say."""

import logging
import os
from io import TextIOWrapper
from pathlib import Path

from actors.redaction.redaction import redact


class _PrivateLog(logging.FileHandler):
    """A log file that only its owner may read, and that no link leads elsewhere."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or nothing: what logs must not fail because the log does."""
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8")


class _Discreet(logging.Formatter):
    """Writes a record without the keys that it may quote."""

    def __init__(self, form: str, secrets: tuple[bytes, ...]) -> None:
        super().__init__(form)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Write it, its traceback included."""
        text = super().format(record).encode("utf-8", "surrogateescape")
        return redact(text, self._secrets).decode("utf-8", "replace")


def configure_logging(path: Path, secrets: tuple[bytes, ...], *, debug: bool) -> None:
    """Send what the program logs to a file that is made when there is something to say."""
    logging.raiseExceptions = False  # a log that cannot be written must not draw on the screen
    handler = _PrivateLog(path, delay=True)
    handler.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s", secrets))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if debug:
        logging.getLogger("greenroom").setLevel(logging.DEBUG)
