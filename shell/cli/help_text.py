"""What the model's `help` tool hands out: the same text that people are shown."""


def build_help_text() -> str:
    """Put the command line's help and the commands and keys of the screen together."""
    # A run without a screen loads them only for a model that asks.
    from shell.cli.arguments import format_command_line_help  # noqa: PLC0415
    from shell.commands.command_table import COMMANDS  # noqa: PLC0415
    from shell.commands.help import format_commands_and_keys  # noqa: PLC0415

    return f"{format_command_line_help()}\nOn the screen:\n{format_commands_and_keys(COMMANDS)}"
