"""What the model's `help` tool hands out: the same text that people are shown."""


def manual() -> str:
    """Put the command line's help and the commands and keys of the screen together."""
    # A run without a screen loads them only for a model that asks.
    from shell.arguments import help_text  # noqa: PLC0415
    from shell.commands.help import listed  # noqa: PLC0415
    from shell.commands.table import COMMANDS  # noqa: PLC0415

    return f"{help_text()}\nOn the screen:\n{listed(COMMANDS)}"
