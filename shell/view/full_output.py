"""What is shown shortened is kept whole for a while, for Ctrl-O. Pure."""

from dataclasses import dataclass

from shell.view import pager
from shell.view.pager import Page
from shell.view.styled_text import Fragment

MAX_FULL_OUTPUTS = 30
MAX_TOTAL_CHARS = 400_000
FULL_OUTPUT_TITLE = "Details: outputs and reasoning, the newest last"


@dataclass(frozen=True, slots=True)
class FullOutput:
    """One thing in full."""

    title: str
    text: str


def with_full_output(outputs: tuple[FullOutput, ...], output: FullOutput) -> tuple[FullOutput, ...]:
    """Add one; the oldest leave when there are too many, or too much of them."""
    if not output.text.strip():
        return outputs
    last = (*outputs, output)[-MAX_FULL_OUTPUTS:]
    while len(last) > 1 and sum(len(each.text) for each in last) > MAX_TOTAL_CHARS:
        last = last[1:]
    return last


def create_full_output_page(outputs: tuple[FullOutput, ...]) -> Page | None:
    """Put all of them on one page; None when there are none."""
    lines: list[Fragment] = []
    for detail in outputs:
        lines.append(("strong", f"── {detail.title}"))
        lines.extend(("plain", line) for line in detail.text.rstrip("\n").split("\n"))
        lines.append(("plain", ""))
    return pager.create_page(FULL_OUTPUT_TITLE, lines) if lines else None
