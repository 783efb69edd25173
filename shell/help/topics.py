"""The help topics: one Markdown file each, next to this module."""

TOPICS = {
    "permissions": "modes, rules, grants, and what always needs your approval",
    "configuration": "`config.toml`, `AGENTS.md`, environment, trust",
    "agents": "subagents, and how to define your own agents",
    "sessions": "resume, fork, list and export",
    "recovery": "what happens when the model server, the disk or a component fails",
    "keys": "every key and slash command",
    "scripting": "headless runs, output formats, exit statuses",
}
"""Each topic with its one-line summary, in the order of the list."""


def read_topic(topic: str) -> str:
    """Return the text of a topic.

    Raises:
        LookupError: there is no such topic; the text names the ones that exist.
    """
    if topic not in TOPICS:
        message = f"there is no help topic {topic!r}; topics: {', '.join(TOPICS)}"
        raise LookupError(message)
    from importlib.resources import files  # noqa: PLC0415  (slow; the list does not need it)

    return files("shell.help").joinpath(f"{topic}.md").read_text("utf-8")


def list_topics() -> str:
    """List the topics, one per line."""
    width = max(len(topic) for topic in TOPICS)
    return "\n".join(f"{topic:<{width}}  {summary}" for topic, summary in TOPICS.items())
