"""The findings of a review as a list, and each one with its code."""

import os
from collections.abc import Callable
from pathlib import Path

from actors.agents.kinds.review_target import describe_target
from messages.reviews import LineRange, ReviewEnded, ReviewFinding
from shell.config.bounded_read import read_regular_file
from shell.view.pager import Page, create_page
from shell.view.picker import Picker, PickerItem, create_picker
from shell.view.review_text import format_finding
from shell.view.styled_text import Fragment

CONTEXT_LINES = 5
MAX_CODE_LINES = 200
MAX_FILE_BYTES = 10 * 1024 * 1024


def build_findings_picker(
    ended: ReviewEnded, root: str, show_code: Callable[[int], None]
) -> Picker:
    """List the findings, each with its explanation as a preview."""
    findings = ended.output.findings if ended.output else ()
    items = tuple(
        PickerItem(*format_finding(finding, root), preview=finding.body) for finding in findings
    )
    return create_picker(f"Review of {describe_target(ended.target)}", items, show_code)


def make_finding_page(finding: ReviewFinding, root: str) -> Page:
    """Return a page with the whole finding and the code that it names."""
    title, place = format_finding(finding, root)
    explanation = (("plain", line) for line in finding.body.splitlines())
    lines: list[Fragment] = [("dim", place), ("plain", ""), *explanation, ("plain", "")]
    return create_page(title, [*lines, *_read_code(finding, root)])


def _read_code(finding: ReviewFinding, root: str) -> list[Fragment]:
    location = finding.code_location
    if location is None:
        return [("dim", "The finding names no file.")]
    path = Path(root) / location.absolute_file_path
    try:
        data = read_regular_file(path, MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        return [("warn", f"The file cannot be read: {reason}")]
    code = data.decode("utf-8", "replace").splitlines()
    lines = location.line_range or LineRange(start=1, end=1)
    if lines.start > len(code):
        return [("warn", f"The file has only {len(code)} lines now.")]
    first = max(lines.start - CONTEXT_LINES, 1)
    last = min(lines.end + CONTEXT_LINES, len(code), first + MAX_CODE_LINES)
    return [
        _format_line(number, code[number - 1], is_named=lines.start <= number <= lines.end)
        for number in range(first, last + 1)
    ]


def _format_line(number: int, text: str, *, is_named: bool) -> Fragment:
    return ("strong" if is_named else "dim", f"{'▶' if is_named else ' '} {number:>5}  {text}")
