"""The rows above the input while a turn runs: the unfinished text, tools at work, the spinner."""

from shell.view.blocks import Tail
from shell.view.figures import clock, tokens
from shell.view.ink import Row, cut, flowed, wrapped
from shell.view.retrying import told
from shell.view.state import RunningTurn, State, UserCommand
from shell.view.subagent_rows import subagent_rows
from shell.view.todos import MOST_ROWS, todo_rows
from shell.visible import visible_line

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_PER_S = 8
SILENT_S = 15.0
"""A model that has said nothing for so long may be thinking, or its server may be stuck."""
_QUEUED_ROWS = 3
_TAIL_CHARS_PER_ROW = 4
"""More of the tail than this many widths a row could fill is not even looked at."""


def live_rows(state: State, now_s: float, width: int, height: int) -> list[Row]:
    """Draw at most `height` rows; the spinner is kept longest, the ledger shortest."""
    working = working_rows(state, now_s, width, height)
    if height < 1 or not state.turn:
        return working
    room = height - len(working)
    todos = todo_rows(state.todos, width, min(room // 2, MOST_ROWS))
    return [*tail_rows(state.turn.tail, width, room - len(todos)), *todos, *working]


def working_rows(state: State, now_s: float, width: int, height: int) -> list[Row]:
    """Draw only what is at work: the person's own command, calls, subagents, the model."""
    if height < 1:
        return []
    own = [_own(state.own, now_s, width)] if state.own else []
    if not state.turn:
        return own
    spinner = _spinner(state, state.turn, now_s, width)
    handed_on = {row.call_id for row in state.below.running}  # these have a row of their own
    calls = [tool for tool in state.turn.tools if tool.call_id not in handed_on]
    tools = [_tool(tool.title, now_s - tool.began_s, width) for tool in calls]
    rows = [*tools, *subagent_rows(state, now_s, width), spinner]
    return [*own, *rows[-(height - 1) :]] if own and height > 1 else rows[-height:]


def queued_rows(queue: tuple[str, ...], width: int) -> list[Row]:
    """List the messages that wait for the turn to end."""
    shown = [(("dim", cut("» " + visible_line(text), width)),) for text in queue[-_QUEUED_ROWS:]]
    more = len(queue) - len(shown)
    return [*([(("dim", cut(f"» … {more} more", width)),)] if more else []), *shown]


def tail_rows(tail: Tail, width: int, height: int) -> list[Row]:
    """Draw the end of the unfinished text; its words break as they will when it is printed."""
    if height < 1 or not tail.text.strip():
        return []
    near = tail.text[-width * height * _TAIL_CHARS_PER_ROW :].rstrip("\n")
    lines = wrapped(near, width) if tail.block.opening else flowed(near, width)
    return [(("plain", line),) for line in lines[-height:]]


def _tool(title: str, elapsed_s: float, width: int) -> Row:
    passed = f" · {clock(elapsed_s)}"
    return (
        ("warn", "● "),
        ("plain", cut(visible_line(title), max(width - 2 - len(passed), 1))),
        ("dim", passed if width > len(passed) + 2 else ""),
    )


def _own(own: UserCommand, now_s: float, width: int) -> Row:
    esc = " · stopping" if own.stopping else " · Esc ends it"
    _, title, passed = _tool(f"! {own.command}", now_s - own.began_s, max(width - len(esc), 1))
    return (("person", "● "), title, passed, ("dim", cut(esc, width) if width > len(esc) else ""))


def _spinner(state: State, turn: RunningTurn, now_s: float, width: int) -> Row:
    elapsed_s = max(now_s - turn.began_s, 0.0)
    frame = FRAMES[int(elapsed_s * FRAMES_PER_S) % len(FRAMES)]
    row = f"{frame} {_verb(state, turn, now_s)} · {clock(elapsed_s)}"
    row += f" · {tokens(turn.tokens, turn.streamed_chars)}"
    if not turn.interrupting and not state.requests.shown and not state.own:
        row += " · Esc interrupts"
    return (("person", cut(row, width)),)


def _verb(state: State, turn: RunningTurn, now_s: float) -> str:
    if turn.interrupting:
        return "Interrupting"
    silent_s = now_s - max(turn.began_s, turn.heard_s)
    if turn.retrying and silent_s < SILENT_S:
        line = told(turn.retrying.event, turn.retrying.until_s - now_s)
        return line[0].upper() + line[1:]
    if state.requests.parked:
        return "Waiting for you"
    if turn.tools:
        return "Working"
    if silent_s >= SILENT_S:
        return f"No word from the model for {clock(silent_s)}"
    return "Writing" if turn.streamed else "Thinking"
