"""The program's log: one private file, created with its first record."""

import logging
import os
from io import TextIOWrapper
from pathlib import Path

from actors.redaction.redaction import redact


class _PrivateFileHandler(logging.FileHandler):
    """Logs to a file that only its owner can read; never follows a link."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; errors are ignored, since the caller must not fail because of the log."""
        try:
            super().emit(record)
        except OSError:
            self.handleError(record)

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding="utf-8")


class _RedactingFormatter(logging.Formatter):
    """Removes secrets from records."""

    def __init__(self, format_string: str, secrets: tuple[bytes, ...]) -> None:
        super().__init__(format_string)
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Format a record and its traceback without secrets."""
        text = super().format(record).encode("utf-8", "surrogateescape")
        return redact(text, self._secrets).decode("utf-8", "replace")


def configure_logging(path: Path, secrets: tuple[bytes, ...], *, debug: bool) -> None:
    """Log to `path`, which is created with the first record."""
    logging.raiseExceptions = False  # a failing log must not write to the screen
    handler = _PrivateFileHandler(path, delay=True)
    handler.setFormatter(
        _RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", secrets)
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if debug:
        logging.getLogger("greenroom").setLevel(logging.DEBUG)
