"""Questions from the model to the user."""

from messages.base import Value


class Choice(Value):
    """One of the answers offered."""

    label: str
    description: str = ""


class UserQuestion(Value):
    """One question; the user can always answer in their own words instead."""

    text: str
    header: str = ""
    """A short label of one or two words."""
    choices: tuple[Choice, ...] = ()
    allow_multiple: bool = False
    """The user can select more than one choice."""
