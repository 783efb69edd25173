"""Reads the reply of a review: one bad finding, or a wrong field, never loses the rest."""

import json
import math
import re
from collections.abc import Iterator
from typing import cast, get_args

from messages.reviews import (
    CodeLocation,
    Correctness,
    LineRange,
    Priority,
    ReviewFinding,
    ReviewOutput,
)

MAX_FINDINGS = 200
"""More findings than a review has; the others of a reply are dropped."""
MAX_TITLE_CHARS = 200
MAX_LINE = 10_000_000
_OUTPUT_START = re.compile(r'\{\s*"(?:findings|overall_\w+)"\s*:')
_PRIORITY = re.compile(r"\s*P?([0-3])(?:\.0+)?\s*", re.IGNORECASE)
_TITLE_PRIORITY = re.compile(r"\s*\[P([0-3])\]\s*", re.IGNORECASE)
_NO_PRIORITY = 4
_Fields = dict[str, object]


def parse_review_output(text: str) -> ReviewOutput | None:
    """Return what the JSON of a reply says; None: it has none, so its text is the explanation."""
    outputs = map(_read_output, _iter_json_values(text))
    return next((output for output in outputs if output is not None), None)


def build_plain_output(text: str) -> ReviewOutput:
    """Return the output of a reply without JSON."""
    return ReviewOutput(overall_explanation=_clean(text))


def sort_findings(findings: list[ReviewFinding]) -> tuple[ReviewFinding, ...]:
    """Order findings worst first; equal ones stay in their order."""
    return tuple(sorted(findings, key=_get_rank))


def get_plain_title(finding: ReviewFinding) -> str:
    """Return a finding's title without its priority."""
    return _TITLE_PRIORITY.sub("", finding.title, count=1) or finding.title


def has_finding_at(output: ReviewOutput, priority: int) -> bool:
    """Return whether a finding is at least this bad; one without a priority is only P3."""
    priorities = (finding.priority for finding in output.findings)
    return any((3 if found is None else found) <= priority for found in priorities)


def _iter_json_values(text: str) -> Iterator[object]:
    """Yield the values that the reply may be: all of it, its braces, the start of an object."""
    first, last = text.find("{"), text.rfind("}")
    match = _OUTPUT_START.search(text)
    candidates = (text.strip(), text[first : last + 1] if first >= 0 else "")
    decoder = json.JSONDecoder(strict=False)
    for candidate in candidates:
        try:
            yield decoder.decode(candidate)
        except (ValueError, RecursionError):
            continue
    if match:  # text with braces of its own before or after the object
        try:
            yield decoder.raw_decode(text, match.start())[0]
        except (ValueError, RecursionError):
            return


def _list_entries(findings: object) -> list[object]:
    """Return the findings, which may also be one finding or an object of findings."""
    if isinstance(findings, list):
        return cast("list[object]", findings)
    if isinstance(findings, dict) and "title" not in findings:
        return list(cast("_Fields", findings).values())
    return [findings]


def _read_output(value: object) -> ReviewOutput | None:
    """Read the object of a reply, or a list of findings; None: it is something else."""
    if isinstance(value, list):
        return _read_fields({"findings": cast("list[object]", value)})
    if not isinstance(value, dict):
        return None
    fields = cast("_Fields", value)
    if not any(name in fields for name in ReviewOutput.model_fields):
        if not {"title", "body"}.intersection(fields):
            return None
        return _read_fields({"findings": [fields]})  # one finding alone
    return _read_fields(fields)


def _read_fields(fields: _Fields) -> ReviewOutput:
    read = map(_read_finding, _list_entries(fields.get("findings")))
    findings = [finding for finding in read if finding is not None]
    correctness = _get_text(fields, "overall_correctness").strip().lower()
    return ReviewOutput(
        findings=sort_findings(findings)[:MAX_FINDINGS],
        overall_correctness=_read_correctness(correctness),
        overall_explanation=_get_text(fields, "overall_explanation"),
        overall_confidence_score=_read_score(fields.get("overall_confidence_score")),
    )


def _read_correctness(text: str) -> Correctness | None:
    for value in cast("tuple[Correctness, ...]", get_args(Correctness)):
        if text.rstrip(".") in (value, value.removeprefix("patch is ")):
            return value
    return None


def _read_finding(value: object) -> ReviewFinding | None:
    """Read one finding; None: it says nothing."""
    if isinstance(value, str):
        value = {"body": value}
    if not isinstance(value, dict):
        return None
    fields = cast("_Fields", value)
    title, body = _get_text(fields, "title").strip(), _get_text(fields, "body")
    title = title or body.strip().partition("\n")[0]
    if not title:
        return None
    in_title = _TITLE_PRIORITY.match(title)
    priority = _PRIORITY.fullmatch(_to_text(fields.get("priority")))
    found = priority or in_title
    return ReviewFinding(
        title=" ".join(title.split())[:MAX_TITLE_CHARS],
        body=body,
        confidence_score=_read_score(fields.get("confidence_score")),
        priority=cast("Priority", int(found[1])) if found else None,
        code_location=_read_location(fields.get("code_location")),
    )


def _read_location(value: object) -> CodeLocation | None:
    fields = cast("_Fields", value) if isinstance(value, dict) else {}
    path = _get_text(fields, "absolute_file_path").strip()
    if not path:
        return None
    lines = fields.get("line_range")
    bounds = cast("_Fields", lines) if isinstance(lines, dict) else {}
    start = _read_line(bounds.get("start")) or _read_line(bounds.get("end"))
    end = _read_line(bounds.get("end")) or start
    if start is None or end is None:
        return CodeLocation(absolute_file_path=path)
    line_range = LineRange(start=min(start, end), end=max(start, end))
    return CodeLocation(absolute_file_path=path, line_range=line_range)


def _read_line(value: object) -> int | None:
    number = _read_number(value)
    return int(number) if number is not None and 1 <= number <= MAX_LINE else None


def _read_score(value: object) -> float | None:
    number = _read_number(value)
    return number if number is not None and 0 <= number <= 1 else None


def _read_number(value: object) -> float | None:
    """Read a number, also one written as text; a truth value is none."""
    try:
        number = math.nan if isinstance(value, bool) else float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _get_rank(finding: ReviewFinding) -> tuple[int, float]:
    priority = _NO_PRIORITY if finding.priority is None else finding.priority
    return priority, -(finding.confidence_score or 0)


def _get_text(fields: _Fields, name: str) -> str:
    value = fields.get(name)
    return _clean(value) if isinstance(value, str) else ""


def _to_text(value: object) -> str:
    is_scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    # A number may have more digits than Python converts to text.
    is_short = not isinstance(value, int) or abs(value) < MAX_LINE
    return str(value) if is_scalar and is_short else ""


def _clean(text: str) -> str:
    """Replace half surrogate pairs, which cannot be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()
