"""What is printed for good: everything that the scrollback holds, at the width it is printed in."""

from typing import assert_never

from messages.turns import SessionConfigured, ToolEnded
from shell.console.ui_commands import UserCommandEnded
from shell.text.sanitize import sanitize_line, visible
from shell.view.markdown_blocks import is_continued
from shell.view.number_format import format_count
from shell.view.screen_state import (
    Printable,
    PrintMarkdown,
    PrintNotice,
    PrintOmission,
    PrintPrompt,
)
from shell.view.status_notices import SCRIPTED_MODEL_NOTICE
from shell.view.styled_text import Row, render_ansi, truncate, wrap, wrap_words
from shell.view.tool_call_rows import render_tool_rows, render_user_command_rows

MAX_PROMPT_ROWS = 12
"""Of a message so much is shown again; its sender knows the rest."""
WELCOME_TEXT = "Say what you want done; /help lists commands and keys."


def render_item(item: Printable, width: int, *, color: bool) -> str:  # noqa: PLR0911  (a case an item)
    """Turn one item into lines for the terminal; untrusted text can draw nothing but itself."""
    match item:
        case PrintPrompt():
            return render_ansi(render_prompt_rows(item.text, width), color=color) + "\r\n"
        case PrintMarkdown():
            return render_prose(item.text, width, color=color)
        case PrintOmission():
            told = truncate(f"… {format_count(item.chars, 'character')} not shown", width)
            return render_ansi([(("dim", told),)], color=color) + "\r\n"
        case PrintNotice():
            rows = [((item.tone, line),) for line in wrap_words(visible(item.text), width)]
            return render_ansi(rows, color=color) + "\r\n"
        case ToolEnded():
            return render_ansi(render_tool_rows(item, width), color=color) + "\r\n"
        case UserCommandEnded():
            return render_ansi(render_user_command_rows(item, width), color=color) + "\r\n"
        case SessionConfigured():
            return render_ansi(_header(item, width), color=color) + "\r\n"
        case _:
            assert_never(item)


def render_prose(text: str, width: int, *, color: bool) -> str:
    """Render Markdown; a blank line follows, unless the block goes on in the next one."""
    from shell.view.markdown_renderer import render_markdown  # noqa: PLC0415  (the first screen comes first)

    lines = render_markdown(text, width, color=color) if text else []
    return "".join(f"{line}\r\n" for line in (lines if is_continued(text) else [*lines, ""]))


def render_prompt_rows(text: str, width: int) -> list[Row]:
    """Show again what somebody said to an agent."""
    lines = wrap(visible(text), width - 2)
    shown = lines if len(lines) <= MAX_PROMPT_ROWS + 1 else lines[:MAX_PROMPT_ROWS]
    first: Row = (("person", "> " + shown[0]),)
    rows = [first, *((("person", "  " + line),) for line in shown[1:])]
    if len(shown) < len(lines):
        rows.append((("dim", truncate(f"  … +{len(lines) - len(shown):,} lines", width)),))
    return rows


def _header(session: SessionConfigured, width: int) -> list[Row]:
    told = f"greenroom · {session.agent} · {session.model} · {session.cwd}"
    rows: list[Row] = [(("strong", line),) for line in wrap(sanitize_line(told), width)]
    if session.is_scripted:
        rows.extend((("warn", line),) for line in wrap_words(SCRIPTED_MODEL_NOTICE, width))
    told = "Resumed where it stopped." if session.resumed else WELCOME_TEXT
    rows.extend((("dim", line),) for line in wrap_words(told, width))
    return rows
