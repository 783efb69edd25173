"""`greenroom help`: prints a help topic, or lists the topics."""

from shell.help.topics import list_topics, read_topic
from shell.process.stdout import write_stdout
from shell.startup.errors import StartError


def run_help_command(topic: str | None) -> int:
    """Print the topic, or the list of topics, and return the exit status.

    Raises:
        StartError: there is no such topic.
        OutputError: standard output cannot be written.
    """
    if topic is None:
        text = f"Topics:\n\n{list_topics()}\n\nPrint one with: greenroom help TOPIC\n"
    else:
        try:
            text = read_topic(topic)
        except LookupError as error:
            raise StartError(*error.args) from None
    write_stdout(text.encode())
    return 0
