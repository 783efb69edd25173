"""Full versions of the outputs that the screen shows truncated, for Ctrl-O. Pure."""

from dataclasses import dataclass

from shell.view import pager
from shell.view.pager import Page
from shell.view.styled_text import Fragment

MAX_FULL_OUTPUTS = 30
MAX_TOTAL_CHARS = 400_000
FULL_OUTPUT_TITLE = "Full outputs and reasoning, newest last"


@dataclass(frozen=True, slots=True)
class FullOutput:
    """One output in full."""

    title: str
    text: str


def with_full_output(outputs: tuple[FullOutput, ...], output: FullOutput) -> tuple[FullOutput, ...]:
    """Add an output; drop the oldest ones over the limits."""
    if not output.text.strip():
        return outputs
    newest = (*outputs, output)[-MAX_FULL_OUTPUTS:]
    while len(newest) > 1 and sum(len(output.text) for output in newest) > MAX_TOTAL_CHARS:
        newest = newest[1:]
    return newest


def create_full_output_page(outputs: tuple[FullOutput, ...]) -> Page | None:
    """Put all outputs on one page; None if there are none."""
    lines: list[Fragment] = []
    for output in outputs:
        lines.append(("strong", f"── {output.title}"))
        lines.extend(("plain", line) for line in output.text.rstrip("\n").split("\n"))
        lines.append(("plain", ""))
    return pager.create_page(FULL_OUTPUT_TITLE, lines) if lines else None
