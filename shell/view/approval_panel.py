"""The approval prompt: fixed rows around the whole command or diff, which scrolls between them.

Every row is wrapped here to the width of the window, so that what counts as shown was drawn. A
row begins with a word of ours, and one that goes on with a mark: no path or description, however
long, can draw a row that looks like another.
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
from shell.text.sanitize import exact, sanitize_line_strict
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
"""As `a` and `p`, for the beginnings of commands."""
MIN_BODY_ROWS = 3
"""With less of the command on the screen nothing can be allowed."""
CONTINUATION_MARK = "↪ "
"""Before what is left of a row around the command or diff."""
_LEAST_FOR_WORDS = 20
MAX_DESCRIPTION_CHARS = 200
"""The model may say so much for its call; more would push the call itself off the screen."""
REJECTION_HINT: Fragment = ("strong", "Enter sends the no with this reason, Esc goes back")
_GAP = " " * 5
WINDOW_TOO_SMALL = "enlarge the window to answer · n no · Esc later"

CallApprovalRequest = ExecApprovalRequest | PatchApprovalRequest
"""What is allowed or not; a question is answered in words."""


@dataclass(frozen=True, slots=True)
class PromptPanel:
    """The prompt at one width: `head` and `answers` never scroll away, `body` does."""

    header: tuple[Row, ...]
    body: tuple[Row, ...]
    options: tuple[Row, ...]

    @property
    def fixed_row_count(self) -> int:
        """Rows that must be there whatever happens, the hint included."""
        return len(self.header) + len(self.options) + 1

    def has_room_in(self, rows: int) -> bool:
        """Whether `rows` hold everything that a person needs to answer."""
        return rows >= self.fixed_row_count + min(MIN_BODY_ROWS, len(self.body))


def build_approval_panel(request: CallApprovalRequest, count: int, width: int) -> PromptPanel:
    """Lay a request out, as the first of `count`."""
    return PromptPanel(
        header=tuple(_head(request, count, width)),
        body=_body(request, width),
        options=tuple(_answers(request, width)),
    )


def get_approval_hint(
    request: CallApprovalRequest, arming_state: Arming, *, has_draft: bool
) -> Fragment:
    """Say what the keys do now."""
    if not arming.can_reject(arming_state):
        return ("dim", "Ctrl-Y to answer: a draft is being typed" if has_draft else "…")
    if not arming.can_allow(arming_state) and set(request.available_decisions) - {"no"}:
        return ("warn", "PgDn: read to the end before you allow it")
    return ("strong", "press a key to answer")


def format_requester(request: AnyApprovalRequest) -> str:
    """Who asks, as a chain from the primary agent down."""
    return AGENT_CHAIN_SEPARATOR.join(request.agent.segments)


def _head(request: CallApprovalRequest, count: int, width: int) -> list[Row]:
    who = f"{format_requester(request)} asks: {sanitize_line_strict(request.tool)} · 1 of {count}"
    if isinstance(request, PatchApprovalRequest):
        where = f"change {sanitize_line_strict(request.path, is_code=True)}"
    else:
        where = f"in {sanitize_line_strict(request.cwd, is_code=True)}"
    rows = wrap_row(who, "title", width) + wrap_row(where, "plain", width)
    rows += wrap_row_words(f"why: {sanitize_line_strict(request.reason)}", "dim", width)
    if request.description:
        told = f"it says: {_shortened(sanitize_line_strict(request.description))}"
        rows += wrap_row_words(told, "dim", width)
    return rows


def _shortened(text: str) -> str:
    more = len(text) - MAX_DESCRIPTION_CHARS
    return f"{text[:MAX_DESCRIPTION_CHARS]}… (+{more} characters)" if more > 0 else text


def wrap_row(text: str, tone: str, width: int) -> list[Row]:
    """Draw one row of ours, and behind a mark what does not fit into it."""
    first = wrap(text, width)[0]
    more = wrap(text[len(first) :], width - len(CONTINUATION_MARK)) if first != text else []
    return _behind_mark([first, *more], tone)


def wrap_row_words(text: str, tone: str, width: int) -> list[Row]:
    """Do the same with words, which are not torn apart where there is room."""
    if measure_width(text) <= width or width < _LEAST_FOR_WORDS:
        return wrap_row(text, tone, width)
    return _behind_mark(wrap_words(text, width - len(CONTINUATION_MARK)), tone)


def _behind_mark(pieces: Sequence[str], tone: str) -> list[Row]:
    first, *more = pieces
    return [((tone, first),), *((("warn", CONTINUATION_MARK), (tone, piece)) for piece in more)]


def _body(request: CallApprovalRequest, width: int) -> tuple[Row, ...]:
    if isinstance(request, ExecApprovalRequest):
        return _lines(request.command, width, diff=False)
    return _lines(request.diff.removesuffix("\n"), width, diff=True)


@lru_cache(maxsize=8)
def _lines(text: str, width: int, *, diff: bool) -> tuple[Row, ...]:
    """Lay out the whole text; asked for several times a frame, hence remembered."""
    lines = exact(text, is_code=not diff).split("\n")
    toned = ((line, get_diff_tone(line) if diff else "strong") for line in lines)
    return tuple(row for line, tone in toned for row in render_barred(line, tone, width))


def get_diff_tone(line: str) -> str:
    """Choose the colour of a line of a diff."""
    if line.startswith(("+++", "---")):
        return "strong"
    return {"+": "good", "-": "bad", "@": "hunk"}.get(line[:1], "plain")


def render_barred(line: str, tone: str, width: int) -> list[Row]:
    """Draw a line behind a bar, so that it cannot pass for a row of ours; `┆`: it goes on."""
    return _behind_bar(wrap(line, width - 2), tone)


def render_barred_words(line: str, tone: str, width: int) -> list[Row]:
    """Do the same with words, which are not torn apart."""
    return _behind_bar(wrap_words(line, width - 2), tone)


def _behind_bar(pieces: Sequence[str], tone: str) -> list[Row]:
    first, *more = pieces
    begun: Row = (("warn", "│ "), (tone, first))
    return [begun, *((("warn", "┆ "), (tone, piece)) for piece in more)]


def _answers(request: CallApprovalRequest, width: int) -> list[Row]:
    told = {
        "once": "y  once",
        "session": "a  don't ask again in this session for " + format_grants(request.grants),
        "project": "p  the same in this project",
    }
    lines = [told[answer] for answer in told if answer in request.available_decisions]
    if request.broader_grants:
        lines.append("A, P  as a and p, but for " + format_grants(request.broader_grants))
    no = ("n  no", "Tab  no, with a reason") if "no" in request.available_decisions else ()
    lines += join_side_by_side((*no, "Esc  later"), width)
    return [row for line in lines for row in wrap_row(line, "plain", width)]


def join_side_by_side(parts: Sequence[str], width: int) -> list[str]:
    """Put words of ours on as few lines as they fit on."""
    lines = list(parts[:1])
    for part in parts[1:]:
        longer = lines[-1] + _GAP + part
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, part]
    return lines


def format_grants(rules: tuple[Rule, ...]) -> str:
    """Name the exact rules that an answer would store."""
    told = (
        f"{rule.permission} {sanitize_line_strict(rule.pattern, is_code=True)}" for rule in rules
    )
    return " and ".join(f"`{rule}`" for rule in told)
