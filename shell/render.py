"""What is printed for good: everything that the scrollback holds, at the width it is printed in."""

from functools import cache
from typing import TYPE_CHECKING, assert_never

from messages.turns import SessionConfigured, ToolEnded
from shell.ink import Row, cut, flowed, printed, wrapped
from shell.intents import OwnCommandEnded
from shell.rehearsal import NOTICE
from shell.state import Printable, Prose, Remark, Said, Skipped
from shell.tool_row import own_rows, tool_rows
from shell.visible import visible, visible_line

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.markdown import Markdown

MOST_SAID_ROWS = 12
"""Of a message so much is shown again; its sender knows the rest."""


def rendered(item: Printable, width: int, *, colour: bool) -> str:  # noqa: PLR0911  (a case an item)
    """Turn one item into lines for the terminal; untrusted text can draw nothing but itself."""
    match item:
        case Said():
            return printed(_said(item.text, width), colour=colour) + "\r\n"
        case Prose():
            return prose(item.text, width, colour=colour) + "\r\n"
        case Skipped():
            told = cut(f"… {item.chars:,} characters are not shown", width)
            return printed([(("dim", told),)], colour=colour) + "\r\n"
        case Remark():
            rows = [((item.tone, line),) for line in flowed(visible(item.text), width)]
            return printed(rows, colour=colour) + "\r\n"
        case ToolEnded():
            return printed(tool_rows(item, width), colour=colour) + "\r\n"
        case OwnCommandEnded():
            return printed(own_rows(item, width), colour=colour) + "\r\n"
        case SessionConfigured():
            return printed(_header(item, width), colour=colour) + "\r\n"
        case _:
            assert_never(item)


def prose(text: str, width: int, *, colour: bool) -> str:
    """Render Markdown; links show where they lead, HTML and entities stay what they are."""
    from rich.color import ColorSystem  # noqa: PLC0415  (the first screen comes first)

    depth = ColorSystem.EIGHT_BIT if colour else None
    console = _console(width)
    text = "".join(
        style.render(visible(part), color_system=depth) if style else visible(part)
        for part, style, control in console.render(_markdown(text), console.options)
        if not control
    )
    return "".join(line.rstrip() + "\r\n" for line in text.strip("\n").split("\n"))


def _said(text: str, width: int) -> list[Row]:
    lines = wrapped(visible(text), width - 2)
    shown = lines if len(lines) <= MOST_SAID_ROWS + 1 else lines[:MOST_SAID_ROWS]
    first: Row = (("person", "> " + shown[0]),)
    rows = [first, *((("person", "  " + line),) for line in shown[1:])]
    if len(shown) < len(lines):
        rows.append((("dim", cut(f"  … +{len(lines) - len(shown)} lines", width)),))
    return rows


def _header(session: SessionConfigured, width: int) -> list[Row]:
    told = f"greenroom · {session.agent} · {session.model} · {session.cwd}"
    rows: list[Row] = [(("strong", line),) for line in wrapped(visible_line(told), width)]
    if session.rehearsal:
        rows.extend((("warn", line),) for line in flowed(NOTICE, width))
    if session.resumed:
        rows.extend((("dim", line),) for line in wrapped("Resumed where it stopped.", width))
    return rows


@cache
def _console(width: int) -> "RichConsole":
    from rich.console import Console as RichConsole  # noqa: PLC0415  (as above)

    return RichConsole(width=width, force_terminal=True, color_system="256", legacy_windows=False)


def _markdown(text: str) -> "Markdown":
    from markdown_it import MarkdownIt  # noqa: PLC0415  (as above)
    from rich.markdown import Markdown  # noqa: PLC0415  (as above)

    markdown = Markdown("", hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    markdown.parsed = parser.disable(["entity", "reference"]).parse(text)
    return markdown
