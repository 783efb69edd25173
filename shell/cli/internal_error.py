"""A fault of ours that nothing else took: the person gets a line, whoever mends it the rest."""

import logging
from collections.abc import Mapping

from shell.cli.arguments import StartError
from shell.process.state_folder import open_state_folder


def log_internal_error(exception: Exception, environment: Mapping[str, str]) -> str:
    """Put all of a fault into the log, and say so in a line."""
    told = f"a fault of Greenroom: {type(exception).__name__}: {exception}"
    try:
        open_state_folder(environment)  # it may have come before there was a log
    except StartError as error:
        return f"{told}; nothing more of it is kept, since {error}"
    logging.getLogger("greenroom").error("a fault of Greenroom", exc_info=exception)
    return f"{told}; all of it is in the state folder's greenroom.log"
