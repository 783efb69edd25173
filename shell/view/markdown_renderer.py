"""The model's Markdown laid out by rich, whose import takes longer than the first screen may."""

from functools import cache
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown
from rich.segment import Segment
from rich.syntax import Syntax
from rich.theme import Theme

from shell.text.sanitize import visible

_FENCES = ("```", "~~~")
_STYLES = {
    "markdown.h1": "bold underline",
    "markdown.h2": "bold",
    "markdown.code": "cyan",
    "markdown.block_quote": "dim",
}
"""Without rich's own backgrounds and colours, which not every terminal can be read with."""


class _Code(CodeBlock):
    """Code as it is, all its blank lines and none of ours: a long block is printed in parts."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).removesuffix("\n")
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 1))


class _Heading(Heading):
    """A heading where all text begins: what is centred is lost in a wide window."""

    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _Markdown(Markdown):
    elements: ClassVar = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
    }


def render_markdown(text: str, width: int, *, color: bool) -> list[str]:
    """Render Markdown; links show where they lead, HTML and entities stay what they are."""
    depth = ColorSystem.EIGHT_BIT if color else None
    console = _console(width)
    parts = (part for part in console.render(_parsed(text), console.options) if not part.control)
    lines = _trimmed(list(Segment.split_lines(parts)))
    drawn = [_without_end(line) for line in lines]
    is_code = text.lstrip().startswith(_FENCES)  # whose own blank lines count
    return [_inked(line, depth) for line in (drawn if is_code else _trimmed(drawn))] or [""]


def _without_end(line: list[Segment]) -> list[Segment]:
    """Leave out the blanks at the end, which a person would copy along."""
    used = [at for at, part in enumerate(line) if part.text.strip()]
    if not used:
        return []
    last = line[used[-1]]
    return [*line[: used[-1]], Segment(last.text.rstrip(), last.style)]


def _trimmed(lines: list[list[Segment]]) -> list[list[Segment]]:
    """Leave out the empty lines around what is drawn."""
    used = [at for at, line in enumerate(lines) if line]
    return lines[used[0] : used[-1] + 1] if used else []


def _inked(line: list[Segment], depth: ColorSystem | None) -> str:
    return "".join(
        style.render(visible(text), color_system=depth) if style else visible(text)
        for text, style, _ in line
    )


@cache
def _console(width: int) -> Console:
    return Console(
        width=width,
        force_terminal=True,
        color_system="256",
        legacy_windows=False,
        theme=Theme(_STYLES),
    )


def _parsed(text: str) -> Markdown:
    markdown = _Markdown("", hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    markdown.parsed = parser.disable(["entity", "reference"]).parse(text)
    return markdown
