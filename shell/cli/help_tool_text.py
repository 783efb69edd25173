"""The text of the model's `help` tool, the same text that the user can read."""


def build_help_text(topic: str | None = None) -> str:
    """Return a help topic; without one, the command line, slash commands, keys and topics.

    Raises:
        LookupError: there is no such topic; the text names the ones that exist.
    """
    # A headless run needs these only if the model asks.
    from shell.help.topics import list_topics, read_topic  # noqa: PLC0415

    if topic is not None:
        return read_topic(topic)
    from shell.cli.arguments import format_command_line_help  # noqa: PLC0415
    from shell.commands.command_table import COMMANDS  # noqa: PLC0415
    from shell.commands.help import format_commands_and_keys  # noqa: PLC0415

    return (
        f"{format_command_line_help()}\n"
        f"Commands and keys in the REPL:\n\n{format_commands_and_keys(COMMANDS)}\n\n"
        f"Help topics:\n\n{list_topics()}\n"
    )
