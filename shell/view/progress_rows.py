"""The rows above the input while work runs: unfinished text, running calls and the spinner."""

import re

from messages.turns import RequestPaused
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.grouped_lookups import render_lookup_row
from shell.view.markdown_blocks import MarkdownTail
from shell.view.number_format import format_duration, format_tokens, format_wait
from shell.view.screen_state import (
    QueuedMessage,
    RunningTool,
    RunningTurn,
    ScreenState,
    UserCommand,
)
from shell.view.styled_text import Row, truncate, wrap, wrap_words
from shell.view.subagent_rows import render_subagent_rows
from shell.view.todo_rows import MAX_TODO_ROWS, render_todo_rows
from shell.view.tool_call_rows import MAX_OUTPUT_LINES, render_output_line
from shell.view.waiting_model_request import format_pending_request

SPINNER_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SPINNER_FRAMES_PER_S = 8
MODEL_SILENCE_S = 15.0
"""After this time without an event of the reply, the spinner says how long it has been silent."""
_MAX_QUEUED_ROWS = 3
_OPENINGS = ("|", "`", "~", "#")
"""A line that begins so is shown as it is until it is complete."""
_TABLE_HEAD_LINES = 2
_TABLE_RULE = re.compile(r"[ |:-]*-[ |:-]*$")
_TAIL_CHARS_PER_COLUMN = 4
"""Only this many characters of the tail are laid out per column of the available rows."""


def render_progress_rows(state: ScreenState, now_s: float, width: int, height: int) -> list[Row]:
    """Render at most `height` rows; unfinished text is dropped first, the spinner last."""
    running = render_running_rows(state, now_s, width, height)
    if height < 1 or not state.turn:
        return running
    room = height - len(running)
    lookups = [render_lookup_row(state.lookups, width)] if state.lookups and room > 0 else []
    room -= len(lookups)
    todos = render_todo_rows(state.todos, width, min(room // 2, MAX_TODO_ROWS))
    tail = render_tail_rows(state.turn.tail, width, room - len(todos))
    return [*lookups, *tail, *todos, *running]


def render_running_rows(state: ScreenState, now_s: float, width: int, height: int) -> list[Row]:
    """Render what is running: the user's command, calls, subagents and the model."""
    if height < 1:
        return []
    command = [_render_user_command(state.user_command, now_s, width)] if state.user_command else []
    if not state.turn:
        return command
    spinner = _render_spinner(state, state.turn, now_s, width)
    subagent_calls = {subagent.call_id for subagent in state.subagents.running}
    calls = [tool for tool in state.turn.running_tools if tool.call_id not in subagent_calls]
    tools = [row for tool in calls for row in _render_running_tool(tool, now_s, width)]
    rows = [*tools, *render_subagent_rows(state, now_s, width), spinner]
    return [*command, *rows[-(height - 1) :]] if command and height > 1 else rows[-height:]


def render_queued_rows(queued: tuple[QueuedMessage, ...], width: int) -> list[Row]:
    """Render the messages that wait for the next request of the turn, or for its end."""
    rows = [
        (("dim", truncate("» " + sanitize_line(message.text), width)),)
        for message in queued[-_MAX_QUEUED_ROWS:]
    ]
    more = len(queued) - len(rows)
    return [*([(("dim", truncate(f"» … {more} more", width)),)] if more else []), *rows]


def render_tail_rows(tail: MarkdownTail, width: int, height: int) -> list[Row]:
    """Render the end of the unfinished text, wrapped as it will be printed."""
    if height < 1 or not tail.text.strip():
        return []
    done, partial = tail.block.text, tail.partial_line[-width * height * _TAIL_CHARS_PER_COLUMN :]
    is_first_line = not tail.block.has_content
    if is_first_line and not tail.block.fence_opening and not partial.startswith(_OPENINGS):
        done, partial = done + partial, ""
    elif partial.lstrip().startswith("|"):
        partial = ""  # a row of a table is laid out when it is complete
    rows = list(_render_finished_lines(done, tail.block.fence_opening, width, height))
    lines = wrap(f" {partial}", width) if tail.block.fence_opening else wrap_words(partial, width)
    rows += [(("plain", line),) for line in (lines if partial.strip() else ())]
    return rows[-height:]


def _render_finished_lines(
    text: str, fence_opening: str, width: int, height: int
) -> tuple[Row, ...]:
    """Render the end of a block; the lines that a fence or a table begins with are kept."""
    if not text.removeprefix(fence_opening).strip():
        return ()
    from shell.view.markdown_renderer import render_markdown_rows  # noqa: PLC0415  (rich is slow to import)

    lines = text.split("\n")
    if len(lines) > height + _TABLE_HEAD_LINES:
        is_table = _TABLE_RULE.match(lines[1]) is not None
        head = lines[: 1 if fence_opening else _TABLE_HEAD_LINES if is_table else 0]
        text = "\n".join([*head, *lines[-height - 1 :]])
    return render_markdown_rows(text, width)


def _render_running_tool(tool: RunningTool, now_s: float, width: int) -> list[Row]:
    """Render a running call, and the last lines of its output."""
    lines = [line for line in sanitize(tool.output).split("\n") if line.strip()]
    title = _render_running_call(tool.title, now_s - tool.started_s, width)
    return [title, *(render_output_line(line, width) for line in lines[-MAX_OUTPUT_LINES:])]


def _render_running_call(title: str, elapsed_s: float, width: int) -> Row:
    elapsed = f" · {format_duration(elapsed_s)}"
    return (
        ("warn", "● "),
        ("plain", truncate(sanitize_line(title), max(width - 2 - len(elapsed), 1))),
        ("dim", elapsed if width > len(elapsed) + 2 else ""),
    )


def _render_user_command(command: UserCommand, now_s: float, width: int) -> Row:
    hint = " · stopping" if command.is_stopping else " · Esc to stop"
    _, title, elapsed = _render_running_call(
        f"! {command.command}", now_s - command.started_s, max(width - len(hint), 1)
    )
    return (
        ("user", "● "),
        title,
        elapsed,
        ("dim", truncate(hint, width) if width > len(hint) else ""),
    )


def _render_spinner(state: ScreenState, turn: RunningTurn, now_s: float, width: int) -> Row:
    elapsed_s = max(now_s - turn.started_s, 0.0)
    frame = SPINNER_FRAMES[int(elapsed_s * SPINNER_FRAMES_PER_S) % len(SPINNER_FRAMES)]
    text = f"{frame} {_describe_activity(state, turn, now_s)} · {format_duration(elapsed_s)}"
    text += f" · {format_tokens(turn.output_tokens, turn.streamed_chars)}"
    if not turn.is_interrupting and not state.approvals.current and not state.user_command:
        text += " · Esc to interrupt"
    return (("user", truncate(text, width)),)


def _describe_activity(state: ScreenState, turn: RunningTurn, now_s: float) -> str:
    if turn.is_interrupting:
        return "Interrupting"
    silent_s = now_s - max(turn.started_s, turn.last_activity_s)
    pending = turn.pending_request
    if pending and (silent_s < MODEL_SILENCE_S or isinstance(pending.event, RequestPaused)):
        text = format_pending_request(pending, now_s)
        return text[0].upper() + text[1:]
    if state.approvals.parked:
        return "Waiting for you"
    if turn.running_tools:
        return "Working"
    if not turn.has_reply_begun or silent_s >= MODEL_SILENCE_S:
        return f"Waiting for the model ({format_wait(silent_s)})"
    return "Writing" if turn.has_streamed_text else "Thinking"
