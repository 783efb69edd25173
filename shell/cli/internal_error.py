"""Logs an unexpected exception, which is a bug in Greenroom."""

import logging
from collections.abc import Mapping

from shell.process.state_folder import open_state_folder
from shell.startup.errors import StartError


def log_internal_error(exception: Exception, environment: Mapping[str, str]) -> str:
    """Write the exception to the log and return a line for the user."""
    message = f"internal error: {type(exception).__name__}: {exception}"
    try:
        open_state_folder(environment)  # the exception may come from before the log was set up
    except StartError as error:
        return f"{message}; it could not be logged: {error}"
    logging.getLogger("greenroom").error("internal error", exc_info=exception)
    return f"{message}; greenroom.log in the state folder has the details"
