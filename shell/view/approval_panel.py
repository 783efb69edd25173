"""The approval prompt: fixed rows around the whole command or diff, which scrolls between them.

This module wraps every row to the window's width, so no drawn row is cut off. Each of
our rows starts with our own text, and a continued row starts with a mark. A path or description,
however long, therefore cannot imitate one of our rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from messages.approvals import (
    AnyApprovalRequest,
    ApprovalDecision,
    ExecApprovalRequest,
    PatchApprovalRequest,
)
from messages.policy import Rule
from shell.text.sanitize import sanitize_line_strict, sanitize_strict
from shell.view import arming
from shell.view.arming import Arming
from shell.view.styled_text import (
    AGENT_CHAIN_SEPARATOR,
    Fragment,
    Row,
    measure_width,
    wrap,
    wrap_words,
)

DECISION_KEYS: dict[str, ApprovalDecision] = {
    "y": "once",
    "a": "session",
    "A": "session",
    "p": "project",
    "P": "project",
    "n": "no",
}
BROADER_GRANT_KEYS = ("A", "P")
"""Like `a` and `p`, but for all commands with the same prefix."""
HIDEABLE_KEYS = ("", "AP", "aApP")
"""Keys of answers that may be left out in a small window, the fewest first."""
MORE_ANSWERS_HINT = " · more answers in a larger window"
MIN_BODY_ROWS = 3
"""Rows of the command or diff that must fit; with fewer, nothing can be allowed."""
CONTINUATION_MARK = "↪ "
"""Starts every row that continues one of the fixed rows."""
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
    request: CallApprovalRequest, count: int, width: int, hidden_keys: str = ""
) -> PromptPanel:
    """Lay out a request as the first of `count`, without the answers of the `hidden_keys`."""
    return PromptPanel(
        header=tuple(_render_header(request, count, width)),
        body=_render_body(request, width),
        options=tuple(_render_options(request, width, hidden_keys)),
        hidden_keys=hidden_keys,
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
    tool = sanitize_line_strict(request.tool)
    title = f"{format_requester(request)} wants to use {tool} · 1 of {count}"
    if isinstance(request, PatchApprovalRequest):
        location = f"file {sanitize_line_strict(request.path, is_code=True)}"
    else:
        location = f"in {sanitize_line_strict(request.cwd, is_code=True)}"
    rows = wrap_row(title, "title", width) + wrap_row(location, "plain", width)
    rows += wrap_row_words(f"why: {sanitize_line_strict(request.reason)}", "dim", width)
    if request.description:
        description = _truncate_description(sanitize_line_strict(request.description))
        rows += wrap_row_words(f"the agent says: {description}", "dim", width)
    return rows


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
        return _render_text(request.command, width, is_diff=False)
    return _render_text(request.diff.removesuffix("\n"), width, is_diff=True)


@lru_cache(maxsize=8)
def _render_text(text: str, width: int, *, is_diff: bool) -> tuple[Row, ...]:
    """Lay out the whole text; cached, since each frame asks for it several times."""
    lines = sanitize_strict(text, is_code=not is_diff).split("\n")
    toned = ((line, get_diff_tone(line) if is_diff else "strong") for line in lines)
    return tuple(row for line, tone in toned for row in render_barred(line, tone, width))


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


def _render_options(request: CallApprovalRequest, width: int, hidden_keys: str) -> list[Row]:
    grants = format_grants(request.grants)
    labels = {
        "y": "y  Yes, once",
        "a": f"a  Yes, and don't ask again this session for {grants}",
        "p": "p  Yes, for this project",
    }
    lines = [
        label
        for key, label in labels.items()
        if DECISION_KEYS[key] in request.available_decisions and key not in hidden_keys
    ]
    if request.broader_grants and not set(BROADER_GRANT_KEYS) <= set(hidden_keys):
        broader = format_grants(request.broader_grants)
        lines.append(f"A, P  Same as a and p, for all commands matching {broader}")
    no = ("n  No", "Tab  No, and say why") if "no" in request.available_decisions else ()
    lines += join_side_by_side((*no, "Esc  Decide later"), width)
    return [row for line in lines for row in wrap_row(line, "plain", width)]


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
