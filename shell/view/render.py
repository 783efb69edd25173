"""What is printed for good: everything that the scrollback holds, at the width it is printed in."""

from typing import assert_never

from messages.turns import SessionConfigured, ToolEnded
from shell.intents import UserCommandEnded
from shell.view.blocks import goes_on
from shell.view.figures import counted
from shell.view.ink import Row, cut, flowed, printed, wrapped
from shell.view.rehearsal import NOTICE
from shell.view.state import Printable, PrintMarkdown, PrintNotice, PrintOmission, PrintPrompt
from shell.view.tool_row import own_rows, tool_rows
from shell.visible import visible, visible_line

MOST_SAID_ROWS = 12
"""Of a message so much is shown again; its sender knows the rest."""
FIRST_WORDS = "Say what you want done; /help lists commands and keys."


def rendered(item: Printable, width: int, *, colour: bool) -> str:  # noqa: PLR0911  (a case an item)
    """Turn one item into lines for the terminal; untrusted text can draw nothing but itself."""
    match item:
        case PrintPrompt():
            return printed(said_rows(item.text, width), colour=colour) + "\r\n"
        case PrintMarkdown():
            return prose(item.text, width, colour=colour)
        case PrintOmission():
            told = cut(f"… {counted(item.chars, 'character')} not shown", width)
            return printed([(("dim", told),)], colour=colour) + "\r\n"
        case PrintNotice():
            rows = [((item.tone, line),) for line in flowed(visible(item.text), width)]
            return printed(rows, colour=colour) + "\r\n"
        case ToolEnded():
            return printed(tool_rows(item, width), colour=colour) + "\r\n"
        case UserCommandEnded():
            return printed(own_rows(item, width), colour=colour) + "\r\n"
        case SessionConfigured():
            return printed(_header(item, width), colour=colour) + "\r\n"
        case _:
            assert_never(item)


def prose(text: str, width: int, *, colour: bool) -> str:
    """Render Markdown; a blank line follows, unless the block goes on in the next one."""
    from shell.view.markdown import laid_out  # noqa: PLC0415  (the first screen comes first)

    lines = laid_out(text, width, colour=colour) if text else []
    return "".join(f"{line}\r\n" for line in (lines if goes_on(text) else [*lines, ""]))


def said_rows(text: str, width: int) -> list[Row]:
    """Show again what somebody said to an agent."""
    lines = wrapped(visible(text), width - 2)
    shown = lines if len(lines) <= MOST_SAID_ROWS + 1 else lines[:MOST_SAID_ROWS]
    first: Row = (("person", "> " + shown[0]),)
    rows = [first, *((("person", "  " + line),) for line in shown[1:])]
    if len(shown) < len(lines):
        rows.append((("dim", cut(f"  … +{len(lines) - len(shown):,} lines", width)),))
    return rows


def _header(session: SessionConfigured, width: int) -> list[Row]:
    told = f"greenroom · {session.agent} · {session.model} · {session.cwd}"
    rows: list[Row] = [(("strong", line),) for line in wrapped(visible_line(told), width)]
    if session.is_scripted:
        rows.extend((("warn", line),) for line in flowed(NOTICE, width))
    told = "Resumed where it stopped." if session.resumed else FIRST_WORDS
    rows.extend((("dim", line),) for line in flowed(told, width))
    return rows
