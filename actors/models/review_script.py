"""What the default script answers to a review, so that it can be tried without an API key."""

import json
import re
from typing import cast

from actors.models.scripted_model_input import (
    RequestBody,
    get_first_prompt,
    get_latest_tool_results,
)
from actors.models.scripted_reply import ReplyPlan, ScriptedCall

EXPLANATION = "A script wrote this review, not a model. It shows only what a review looks like."
_CHANGED_FILE = re.compile(r"^(?:[AM?]|[RC]  .* →)  ?(.+)$", re.MULTILINE)
_REPOSITORY = re.compile(r"^Compared with .* Repository: (.+)$", re.MULTILINE)


def is_review(request: RequestBody) -> bool:
    """Return whether the request is that of a review: its prompt describes the answer."""
    blocks = request.get("system")
    texts = [str(block) for block in cast("list[object]", blocks)] if blocks else []
    return any('"overall_correctness"' in text for text in texts)


def make_review_reply(request: RequestBody) -> ReplyPlan:
    """Read the first changed file, then report one finding in it."""
    prompt = get_first_prompt(request)
    changed_file, root = _CHANGED_FILE.search(prompt), _REPOSITORY.search(prompt)
    if changed_file is None or root is None:
        return ReplyPlan(text=_format_review([]))
    path = f"{root[1]}/{changed_file[1]}"
    if not get_latest_tool_results(request):
        return ReplyPlan(calls=(ScriptedCall("read", {"path": path}),))
    finding: dict[str, object] = {
        "title": "[P3] Let a model review this file",
        "body": "A script cannot review code. Set `ANTHROPIC_API_KEY` to use a real model.",
        "confidence_score": 1.0,
        "priority": 3,
        "code_location": {"absolute_file_path": path, "line_range": {"start": 1, "end": 1}},
    }
    return ReplyPlan(text=_format_review([finding]))


def _format_review(findings: list[dict[str, object]]) -> str:
    review = {
        "findings": findings,
        "overall_correctness": "patch is correct",
        "overall_explanation": EXPLANATION,
        "overall_confidence_score": 0.0,
    }
    return json.dumps(review)
