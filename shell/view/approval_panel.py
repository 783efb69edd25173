"""The approval prompt: fixed rows around the whole command or diff, which scrolls between them.

This module wraps every row to the window's width, so no drawn row is cut off. Each of
our rows starts with our own text, and a continued row starts with a mark. A path or description,
however long, therefore cannot imitate one of our rows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from actors.permissions.rule_evaluation import NOT_ALLOWED_REASON
from messages.approvals import (
    AnyApprovalRequest,
    ExecApprovalRequest,
    PatchApprovalRequest,
)
from messages.policy import Rule
from shell.text.sanitize import sanitize_line_strict, sanitize_strict
from shell.view import arming
from shell.view.approval_answers import AnswerList
from shell.view.arming import Arming
from shell.view.diff_rows import render_diff_rows
from shell.view.styled_text import (
    AGENT_CHAIN_SEPARATOR,
    Fragment,
    Row,
    measure_width,
    wrap,
    wrap_words,
)

MORE_ANSWERS_HINT = " · more answers in a larger window"
MIN_BODY_ROWS = 3
"""Rows of the command or diff that must fit; with fewer, nothing can be allowed."""
CONTINUATION_MARK = "↪ "
"""Starts every row that continues one of the fixed rows."""
_CURSOR, _NO_CURSOR = "❯ ", "  "  # noqa: RUF001  (an arrow)
"""Starts the row of an answer: whether Enter gives it."""
_MIN_WORD_WRAP_COLUMNS = 20
MAX_DESCRIPTION_CHARS = 200
"""Limit for the model's description of its call, so that it cannot push the call off the screen."""
REJECTION_HINT: Fragment = ("strong", "Enter sends No with this reason · Esc goes back")
_GAP = " " * 5
WINDOW_TOO_SMALL = "Enlarge the window to answer · n No · Esc Decide later"

CallApprovalRequest = ExecApprovalRequest | PatchApprovalRequest
"""A request to allow a call; a user question is answered with text instead."""


@dataclass(frozen=True, slots=True)
class PromptPanel:
    """The prompt at one width: `header` and `options` never scroll away, `body` scrolls."""

    header: tuple[Row, ...]
    body: tuple[Row, ...]
    options: tuple[Row, ...]
    hidden_keys: str = ""
    """Keys of answers that are left out."""

    @property
    def fixed_row_count(self) -> int:
        """Rows that are always shown, including the hint."""
        return len(self.header) + len(self.options) + 1

    def has_room_in(self, rows: int) -> bool:
        """Return whether everything that the user needs to answer fits into `rows`."""
        return rows >= self.fixed_row_count + min(MIN_BODY_ROWS, len(self.body))


def build_approval_panel(
    request: CallApprovalRequest, count: int, width: int, answers: AnswerList
) -> PromptPanel:
    """Lay out a request as the first of `count`, with these answers."""
    return PromptPanel(
        header=tuple(_render_header(request, count, width)),
        body=_render_body(request, width),
        options=tuple(_render_options(request, width, answers)),
        hidden_keys=answers.hidden_keys,
    )


def get_approval_hint(
    request: CallApprovalRequest, arming_state: Arming, *, has_draft: bool
) -> Fragment:
    """Return the line that explains what the keys do now."""
    if not arming.can_reject(arming_state):
        return ("dim", "You have a draft; press Ctrl-Y to answer" if has_draft else "One moment")
    if not arming.can_allow(arming_state) and set(request.available_decisions) - {"no"}:
        return ("warn", "Scroll to the end before you allow it: PgDn")
    return ("strong", "Press a key to answer")


def format_requester(request: AnyApprovalRequest) -> str:
    """Return the requesting agent as a chain that starts at the primary agent."""
    return AGENT_CHAIN_SEPARATOR.join(request.agent.segments)


def _render_header(request: CallApprovalRequest, count: int, width: int) -> list[Row]:
    title = f"{format_requester(request)} {_describe_wish(request)}{format_count_of(count)}"
    if isinstance(request, PatchApprovalRequest):
        location = f"file {sanitize_line_strict(request.path, is_code=True)}"
    else:
        location = f"in {sanitize_line_strict(request.cwd, is_code=True)}"
    rows = wrap_row(title, "title", width) + wrap_row(location, "plain", width)
    if not _is_stock_reason(request):
        reason = sanitize_line_strict(request.reason)
        rows += wrap_row_words(f"asks because {reason}", "dim", width)
    if request.description:
        description = _truncate_description(sanitize_line_strict(request.description))
        rows += wrap_row_words(f"the agent says: {description}", "dim", width)
    return rows


def _is_stock_reason(request: CallApprovalRequest) -> bool:
    """Return whether the reason says no more than the prompt itself."""
    writes = isinstance(request, PatchApprovalRequest) and request.reason.startswith("it writes to")
    return writes or request.reason == NOT_ALLOWED_REASON


def _describe_wish(request: CallApprovalRequest) -> str:
    if isinstance(request, PatchApprovalRequest):
        return "wants to change a file"
    if request.tool == "bash":
        return "wants to run a command"
    return f"wants to use {sanitize_line_strict(request.tool)}"


def format_count_of(count: int) -> str:
    """Return the position of the first of `count` requests; empty if it is the only one."""
    return f" · 1 of {count}" if count > 1 else ""


def _truncate_description(text: str) -> str:
    more = len(text) - MAX_DESCRIPTION_CHARS
    return f"{text[:MAX_DESCRIPTION_CHARS]}… (+{more} characters)" if more > 0 else text


def wrap_row(text: str, tone: str, width: int) -> list[Row]:
    """Render one of our rows; every further row starts with the continuation mark."""
    first = wrap(text, width)[0]
    more = wrap(text[len(first) :], width - len(CONTINUATION_MARK)) if first != text else []
    return _mark_continuations([first, *more], tone)


def wrap_row_words(text: str, tone: str, width: int) -> list[Row]:
    """Render one of our rows like `wrap_row`, but break between words where there is room."""
    if measure_width(text) <= width or width < _MIN_WORD_WRAP_COLUMNS:
        return wrap_row(text, tone, width)
    return _mark_continuations(wrap_words(text, width - len(CONTINUATION_MARK)), tone)


def _mark_continuations(lines: Sequence[str], tone: str) -> list[Row]:
    first, *more = lines
    return [((tone, first),), *((("warn", CONTINUATION_MARK), (tone, line)) for line in more)]


def _render_body(request: CallApprovalRequest, width: int) -> tuple[Row, ...]:
    if isinstance(request, ExecApprovalRequest):
        return _render_command(request.command, width)
    return _render_diff(request.diff.removesuffix("\n"), width)


@lru_cache(maxsize=8)
def _render_command(text: str, width: int) -> tuple[Row, ...]:
    """Lay out the whole command; cached, since each frame asks for it several times."""
    lines = sanitize_strict(text, is_code=True).split("\n")
    return tuple(row for line in lines for row in render_barred(line, "strong", width))


@lru_cache(maxsize=8)
def _render_diff(diff: str, width: int) -> tuple[Row, ...]:
    """Lay out the whole diff; cached for the same reason."""
    return tuple(render_diff_rows(sanitize_strict(diff), width))


def get_diff_tone(line: str) -> str:
    """Return the tone of a line of a diff."""
    if line.startswith(("+++", "---")):
        return "strong"
    return {"+": "good", "-": "bad", "@": "hunk"}.get(line[:1], "plain")


def render_barred(line: str, tone: str, width: int) -> list[Row]:
    """Render a line after a bar, so it cannot imitate our rows; `┆` marks continued rows."""
    return _add_bar(wrap(line, width - 2), tone)


def render_barred_words(line: str, tone: str, width: int) -> list[Row]:
    """Render a line like `render_barred`, but break between words."""
    return _add_bar(wrap_words(line, width - 2), tone)


def _add_bar(lines: Sequence[str], tone: str) -> list[Row]:
    first, *more = lines
    first_row: Row = (("warn", "│ "), (tone, first))
    return [first_row, *((("warn", "┆ "), (tone, line)) for line in more)]


def _render_options(request: CallApprovalRequest, width: int, answers: AnswerList) -> list[Row]:
    grants = format_grants(request.grants)
    labels = {
        "y": "Yes, once",
        "a": f"Yes, and don't ask again this session for {grants}",
        "p": "Yes, for this project",
        "e": "Yes, and accept edits from now on",
    }
    offered = [(key, f"{key}  {label}") for key, label in labels.items() if key in answers.keys]
    if "A" in answers.keys:
        broader = format_grants(request.broader_grants)
        at = next((at for at, (key, _) in enumerate(offered) if key == "e"), len(offered))
        label = f"A, P  Same as a and p, for all commands matching {broader}"
        offered.insert(at, ("AP", label))
    rows = [row for keys, line in offered for row in _render_answer(keys, line, width, answers)]
    no = ("n  No", "Tab  No, and say why") if "n" in answers.keys else ()
    first, *more = join_side_by_side((*no, "Esc  Decide later"), width - len(_CURSOR))
    rows += _render_answer("n" if no else "", first, width, answers)
    return [*rows, *(row for line in more for row in wrap_row(_NO_CURSOR + line, "plain", width))]


def _render_answer(keys: str, line: str, width: int, answers: AnswerList) -> list[Row]:
    """Render the row of one or several keys, which are emphasized once they work."""
    selected = answers.selected.key if answers.selected else ""
    has_cursor = bool(selected) and selected in keys
    rows = wrap_row((_CURSOR if has_cursor else _NO_CURSOR) + line, "plain", width)
    text = rows[0][0][1]
    names = re.match(rf"..(?:Esc|{', '.join(keys)})?", text)
    end = names.end() if names else 0
    tone = "dim" if not answers.is_armed else "user" if has_cursor else "strong"
    label = "strong" if has_cursor and answers.is_armed else "plain"
    return [((tone, text[:end]), (label, text[end:])), *rows[1:]]


def join_side_by_side(parts: Sequence[str], width: int) -> list[str]:
    """Place labels next to each other on as few lines as possible."""
    lines = list(parts[:1])
    for part in parts[1:]:
        longer = lines[-1] + _GAP + part
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, part]
    return lines


def format_grants(rules: tuple[Rule, ...]) -> str:
    """Return the exact rules that a decision would store."""
    texts = (
        f"`{rule.permission} {sanitize_line_strict(rule.pattern, is_code=True)}`"
        f"{describe_binding(rule)}"
        for rule in rules
    )
    return " and ".join(texts)


def describe_binding(rule: Rule) -> str:
    """Return when a grant that is bound to files ends; empty for other rules."""
    return " until a file that it runs changes" if rule.executed_digest else ""
