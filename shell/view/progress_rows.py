"""The rows above the input while a turn runs: the unfinished text, tools at work, the spinner."""

from shell.text.sanitize import sanitize_line
from shell.view.markdown_blocks import MarkdownTail
from shell.view.number_format import format_duration, format_tokens
from shell.view.screen_state import RunningTurn, ScreenState, UserCommand
from shell.view.status_notices import format_retry
from shell.view.styled_text import Row, truncate, wrap, wrap_words
from shell.view.subagent_rows import render_subagent_rows
from shell.view.todo_rows import MAX_TODO_ROWS, render_todo_rows

SPINNER_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SPINNER_FRAMES_PER_S = 8
MODEL_SILENCE_S = 15.0
"""A model that has said nothing for so long may be thinking, or its server may be stuck."""
_QUEUED_ROWS = 3
_TAIL_CHARS_PER_ROW = 4
"""More of the tail than this many widths a row could fill is not even looked at."""


def render_progress_rows(state: ScreenState, now_s: float, width: int, height: int) -> list[Row]:
    """Draw at most `height` rows; the spinner is kept longest, the ledger shortest."""
    working = render_running_rows(state, now_s, width, height)
    if height < 1 or not state.turn:
        return working
    room = height - len(working)
    todos = render_todo_rows(state.todos, width, min(room // 2, MAX_TODO_ROWS))
    return [*render_tail_rows(state.turn.tail, width, room - len(todos)), *todos, *working]


def render_running_rows(state: ScreenState, now_s: float, width: int, height: int) -> list[Row]:
    """Draw only what is at work: the person's own command, calls, subagents, the model."""
    if height < 1:
        return []
    own = [_own(state.user_command, now_s, width)] if state.user_command else []
    if not state.turn:
        return own
    spinner = _spinner(state, state.turn, now_s, width)
    handed_on = {row.call_id for row in state.subagents.running}  # these have a row of their own
    calls = [tool for tool in state.turn.running_tools if tool.call_id not in handed_on]
    tools = [_tool(tool.title, now_s - tool.started_s, width) for tool in calls]
    rows = [*tools, *render_subagent_rows(state, now_s, width), spinner]
    return [*own, *rows[-(height - 1) :]] if own and height > 1 else rows[-height:]


def render_queued_rows(queued_prompts: tuple[str, ...], width: int) -> list[Row]:
    """List the messages that wait for the turn to end."""
    shown = [
        (("dim", truncate("» " + sanitize_line(text), width)),)
        for text in queued_prompts[-_QUEUED_ROWS:]
    ]
    more = len(queued_prompts) - len(shown)
    return [*([(("dim", truncate(f"» … {more} more", width)),)] if more else []), *shown]


def render_tail_rows(tail: MarkdownTail, width: int, height: int) -> list[Row]:
    """Draw the end of the unfinished text; its words break as they will when it is printed."""
    if height < 1 or not tail.text.strip():
        return []
    near = tail.text[-width * height * _TAIL_CHARS_PER_ROW :].rstrip("\n")
    lines = wrap(near, width) if tail.block.fence_opening else wrap_words(near, width)
    return [(("plain", line),) for line in lines[-height:]]


def _tool(title: str, elapsed_s: float, width: int) -> Row:
    passed = f" · {format_duration(elapsed_s)}"
    return (
        ("warn", "● "),
        ("plain", truncate(sanitize_line(title), max(width - 2 - len(passed), 1))),
        ("dim", passed if width > len(passed) + 2 else ""),
    )


def _own(own: UserCommand, now_s: float, width: int) -> Row:
    esc = " · stopping" if own.is_stopping else " · Esc ends it"
    _, title, passed = _tool(f"! {own.command}", now_s - own.started_s, max(width - len(esc), 1))
    return (
        ("person", "● "),
        title,
        passed,
        ("dim", truncate(esc, width) if width > len(esc) else ""),
    )


def _spinner(state: ScreenState, turn: RunningTurn, now_s: float, width: int) -> Row:
    elapsed_s = max(now_s - turn.started_s, 0.0)
    frame = SPINNER_FRAMES[int(elapsed_s * SPINNER_FRAMES_PER_S) % len(SPINNER_FRAMES)]
    row = f"{frame} {_verb(state, turn, now_s)} · {format_duration(elapsed_s)}"
    row += f" · {format_tokens(turn.output_tokens, turn.streamed_chars)}"
    if not turn.is_interrupting and not state.approvals.current and not state.user_command:
        row += " · Esc interrupts"
    return (("person", truncate(row, width)),)


def _verb(state: ScreenState, turn: RunningTurn, now_s: float) -> str:
    if turn.is_interrupting:
        return "Interrupting"
    silent_s = now_s - max(turn.started_s, turn.last_activity_s)
    if turn.pending_retry and silent_s < MODEL_SILENCE_S:
        line = format_retry(turn.pending_retry.event, turn.pending_retry.retry_at_s - now_s)
        return line[0].upper() + line[1:]
    if state.approvals.parked:
        return "Waiting for you"
    if turn.running_tools:
        return "Working"
    if silent_s >= MODEL_SILENCE_S:
        return f"No word from the model for {format_duration(silent_s)}"
    return "Writing" if turn.has_streamed_text else "Thinking"
