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
from messages.rules import Rule
from shell.view import arming
from shell.view.arming import Arming
from shell.view.ink import CHAIN, Fragment, Row, flowed, width_of, wrapped
from shell.visible import exact, exact_line

KEYS: dict[str, ApprovalDecision] = {
    "y": "once",
    "a": "session",
    "A": "session",
    "p": "project",
    "P": "project",
    "n": "no",
}
WIDER_KEYS = ("A", "P")
"""As `a` and `p`, for the beginnings of commands."""
LEAST_BODY_ROWS = 3
"""With less of the command on the screen nothing can be allowed."""
GOES_ON = "↪ "
"""Before what is left of a row around the command or diff."""
_LEAST_FOR_WORDS = 20
MOST_DESCRIPTION_CHARS = 200
"""The model may say so much for its call; more would push the call itself off the screen."""
REASON_HINT: Fragment = ("strong", "Enter sends the no with this reason, Esc goes back")
_GAP = " " * 5
TOO_LOW = "enlarge the window to answer · n no · Esc later"

Judged = ExecApprovalRequest | PatchApprovalRequest
"""What is allowed or not; a question is answered in words."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The prompt at one width: `head` and `answers` never scroll away, `body` does."""

    head: tuple[Row, ...]
    body: tuple[Row, ...]
    answers: tuple[Row, ...]

    @property
    def fixed_rows(self) -> int:
        """Rows that must be there whatever happens, the hint included."""
        return len(self.head) + len(self.answers) + 1

    def fits(self, rows: int) -> bool:
        """Whether `rows` hold everything that a person needs to answer."""
        return rows >= self.fixed_rows + min(LEAST_BODY_ROWS, len(self.body))


def panel(request: Judged, count: int, width: int) -> Panel:
    """Lay a request out, as the first of `count`."""
    return Panel(
        head=tuple(_head(request, count, width)),
        body=_body(request, width),
        answers=tuple(_answers(request, width)),
    )


def hint_of(request: Judged, state: Arming, *, draft: bool) -> Fragment:
    """Say what the keys do now."""
    if not arming.may_refuse(state):
        return ("dim", "Ctrl-Y to answer: a draft is being typed" if draft else "…")
    if not arming.may_allow(state) and set(request.available_decisions) - {"no"}:
        return ("warn", "PgDn: read to the end before you allow it")
    return ("strong", "press a key to answer")


def asks(request: AnyApprovalRequest) -> str:
    """Who asks, as a chain from the primary agent down."""
    return CHAIN.join(request.agent.names)


def _head(request: Judged, count: int, width: int) -> list[Row]:
    who = f"{asks(request)} asks: {exact_line(request.tool)} · 1 of {count}"
    if isinstance(request, PatchApprovalRequest):
        where = f"change {exact_line(request.path, code=True)}"
    else:
        where = f"in {exact_line(request.cwd, code=True)}"
    rows = going_on(who, "title", width) + going_on(where, "plain", width)
    rows += words_going_on(f"why: {exact_line(request.reason)}", "dim", width)
    if request.description:
        told = f"it says: {_shortened(exact_line(request.description))}"
        rows += words_going_on(told, "dim", width)
    return rows


def _shortened(text: str) -> str:
    more = len(text) - MOST_DESCRIPTION_CHARS
    return f"{text[:MOST_DESCRIPTION_CHARS]}… (+{more} characters)" if more > 0 else text


def going_on(text: str, tone: str, width: int) -> list[Row]:
    """Draw one row of ours, and behind a mark what does not fit into it."""
    first = wrapped(text, width)[0]
    more = wrapped(text[len(first) :], width - len(GOES_ON)) if first != text else []
    return _behind_mark([first, *more], tone)


def words_going_on(text: str, tone: str, width: int) -> list[Row]:
    """Do the same with words, which are not torn apart where there is room."""
    if width_of(text) <= width or width < _LEAST_FOR_WORDS:
        return going_on(text, tone, width)
    return _behind_mark(flowed(text, width - len(GOES_ON)), tone)


def _behind_mark(pieces: Sequence[str], tone: str) -> list[Row]:
    first, *more = pieces
    return [((tone, first),), *((("warn", GOES_ON), (tone, piece)) for piece in more)]


def _body(request: Judged, width: int) -> tuple[Row, ...]:
    if isinstance(request, ExecApprovalRequest):
        return _lines(request.command, width, diff=False)
    return _lines(request.diff.removesuffix("\n"), width, diff=True)


@lru_cache(maxsize=8)
def _lines(text: str, width: int, *, diff: bool) -> tuple[Row, ...]:
    """Lay out the whole text; asked for several times a frame, hence remembered."""
    lines = exact(text, code=not diff).split("\n")
    toned = ((line, diff_tone(line) if diff else "strong") for line in lines)
    return tuple(row for line, tone in toned for row in barred(line, tone, width))


def diff_tone(line: str) -> str:
    """Choose the colour of a line of a diff."""
    if line.startswith(("+++", "---")):
        return "strong"
    return {"+": "good", "-": "bad", "@": "hunk"}.get(line[:1], "plain")


def barred(line: str, tone: str, width: int) -> list[Row]:
    """Draw a line behind a bar, so that it cannot pass for a row of ours; `┆`: it goes on."""
    return _behind_bar(wrapped(line, width - 2), tone)


def barred_words(line: str, tone: str, width: int) -> list[Row]:
    """Do the same with words, which are not torn apart."""
    return _behind_bar(flowed(line, width - 2), tone)


def _behind_bar(pieces: Sequence[str], tone: str) -> list[Row]:
    first, *more = pieces
    begun: Row = (("warn", "│ "), (tone, first))
    return [begun, *((("warn", "┆ "), (tone, piece)) for piece in more)]


def _answers(request: Judged, width: int) -> list[Row]:
    told = {
        "once": "y  once",
        "session": "a  don't ask again in this session for " + granted(request.grants),
        "project": "p  the same in this project",
    }
    lines = [told[answer] for answer in told if answer in request.available_decisions]
    if request.broader_grants:
        lines.append("A, P  as a and p, but for " + granted(request.broader_grants))
    no = ("n  no", "Tab  no, with a reason") if "no" in request.available_decisions else ()
    lines += side_by_side((*no, "Esc  later"), width)
    return [row for line in lines for row in going_on(line, "plain", width)]


def side_by_side(parts: Sequence[str], width: int) -> list[str]:
    """Put words of ours on as few lines as they fit on."""
    lines = list(parts[:1])
    for part in parts[1:]:
        longer = lines[-1] + _GAP + part
        lines = [*lines[:-1], longer] if len(longer) <= width else [*lines, part]
    return lines


def granted(rules: tuple[Rule, ...]) -> str:
    """Name the exact rules that an answer would store."""
    told = (f"{rule.permission} {exact_line(rule.pattern, code=True)}" for rule in rules)
    return " and ".join(f"`{rule}`" for rule in told)
