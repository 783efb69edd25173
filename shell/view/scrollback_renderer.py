"""Rendering of everything that is printed into the scrollback, at the current width."""

from typing import assert_never

from messages.turns import SessionConfigured
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import sanitize, sanitize_line
from shell.view.grouped_lookups import PrintLookups, render_lookup_row
from shell.view.markdown_blocks import is_continued
from shell.view.number_format import format_count
from shell.view.review_rows import render_review_rows
from shell.view.screen_state import (
    Printable,
    PrintCall,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
    PrintReview,
)
from shell.view.status_notices import SCRIPTED_MODEL_NOTICE
from shell.view.styled_text import Row, render_ansi, truncate, wrap, wrap_words
from shell.view.tool_call_rows import render_tool_rows, render_user_command_rows

MAX_PROMPT_ROWS = 12
"""Rows of a prompt that are printed; the user knows the rest."""
STEERING_NOTE = "delivered during the turn"
WELCOME_TEXT = "/help for commands and keys"


def render_item(item: Printable, width: int, *, color: bool) -> str:  # noqa: PLR0911  (one case per item)
    """Render one item for the terminal; control characters in untrusted text are made visible."""
    match item:
        case PrintPrompt():
            return render_ansi(render_prompt_rows(item, width), color=color) + "\r\n"
        case PrintMarkdown():
            return render_prose(item.text, width, color=color)
        case PrintOmission():
            text = truncate(f"… {format_count(item.chars, 'character')} not shown", width)
            return render_ansi([(("dim", text),)], color=color) + "\r\n"
        case PrintNotice():
            rows = [((item.tone, line),) for line in wrap_words(sanitize(item.text), width)]
            return render_ansi(rows, color=color) + "\r\n"
        case PrintCall():
            return render_ansi(render_tool_rows(item, width), color=color) + "\r\n"
        case PrintLookups():
            return render_ansi([render_lookup_row(item.lookups, width)], color=color) + "\r\n"
        case UserCommandEnded():
            return render_ansi(render_user_command_rows(item, width), color=color) + "\r\n"
        case PrintReview():
            review_rows = render_review_rows(item.ended, item.cwd, item.duration_s, width)
            return render_ansi(review_rows, color=color) + "\r\n"
        case SessionConfigured():
            return render_ansi(_render_session_header(item, width), color=color) + "\r\n"
        case _:
            assert_never(item)


def render_prose(text: str, width: int, *, color: bool) -> str:
    """Render Markdown; a blank line follows, unless the block continues in the next one."""
    from shell.view.markdown_renderer import render_markdown  # noqa: PLC0415  (rich is slow to import)

    lines = render_markdown(text, width, color=color) if text else []
    return "".join(f"{line}\r\n" for line in (lines if is_continued(text) else [*lines, ""]))


def render_prompt_rows(prompt: PrintPrompt, width: int) -> list[Row]:
    """Render a prompt that was sent to an agent."""
    lines = wrap(sanitize(prompt.text), width - 2)
    printed = lines if len(lines) <= MAX_PROMPT_ROWS + 1 else lines[:MAX_PROMPT_ROWS]
    first: Row = (("user", "> " + printed[0]),)
    rows = [first, *((("user", "  " + line),) for line in printed[1:])]
    if len(printed) < len(lines):
        rows.append((("dim", truncate(f"  … +{len(lines) - len(printed):,} lines", width)),))
    if prompt.is_steering:
        rows.append((("dim", truncate(f"  {STEERING_NOTE}", width)),))
    return rows


def _render_session_header(session: SessionConfigured, width: int) -> list[Row]:
    title = f"greenroom · {session.agent} · {session.model} · {session.cwd}"
    rows: list[Row] = [(("strong", line),) for line in wrap(sanitize_line(title), width)]
    if session.is_scripted:
        rows.extend((("warn", line),) for line in wrap_words(SCRIPTED_MODEL_NOTICE, width))
    welcome = "Session resumed." if session.resumed else WELCOME_TEXT
    rows.extend((("dim", line),) for line in wrap_words(welcome, width))
    return rows
