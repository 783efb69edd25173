"""Text of the model's `help` tool, which is the same that users see."""


def build_help_text() -> str:
    """Return the help of the command line, then the commands and keys of the REPL."""
    # A headless run imports these only when the model asks for help.
    from shell.cli.arguments import format_command_line_help  # noqa: PLC0415
    from shell.commands.command_table import COMMANDS  # noqa: PLC0415
    from shell.commands.help import format_commands_and_keys  # noqa: PLC0415

    return f"{format_command_line_help()}\nIn the REPL:\n{format_commands_and_keys(COMMANDS)}"
