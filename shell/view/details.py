"""What is shown shortened is kept whole for a while, for Ctrl-O. Pure."""

from dataclasses import dataclass

from shell.view import pager
from shell.view.ink import Fragment
from shell.view.pager import Page

MOST_KEPT = 30
MOST_CHARS = 400_000
TITLE = "Details: outputs and reasoning, the newest last"


@dataclass(frozen=True, slots=True)
class Detail:
    """One thing in full."""

    title: str
    text: str


def kept(details: tuple[Detail, ...], detail: Detail) -> tuple[Detail, ...]:
    """Add one; the oldest leave when there are too many, or too much of them."""
    if not detail.text.strip():
        return details
    last = (*details, detail)[-MOST_KEPT:]
    while len(last) > 1 and sum(len(each.text) for each in last) > MOST_CHARS:
        last = last[1:]
    return last


def page_of(details: tuple[Detail, ...]) -> Page | None:
    """Put all of them on one page; None when there are none."""
    lines: list[Fragment] = []
    for detail in details:
        lines.append(("strong", f"── {detail.title}"))
        lines.extend(("plain", line) for line in detail.text.rstrip("\n").split("\n"))
        lines.append(("plain", ""))
    return pager.page_of(TITLE, lines) if lines else None
