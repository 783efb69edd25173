"""The model's Markdown laid out by rich, whose import takes longer than the first screen may."""

from functools import cache

from markdown_it import MarkdownIt
from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
from rich.syntax import Syntax

from shell.visible import visible

_FENCES = ("```", "~~~")


class _Code(CodeBlock):
    """Code as it is, all its blank lines and none of ours: a long block is printed in parts."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).removesuffix("\n")
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 1))


class _Markdown(Markdown):
    elements = {**Markdown.elements, "fence": _Code, "code_block": _Code}  # noqa: RUF012  (rich's own)


def laid_out(text: str, width: int, *, colour: bool) -> list[str]:
    """Render Markdown; links show where they lead, HTML and entities stay what they are."""
    depth = ColorSystem.EIGHT_BIT if colour else None
    console = _console(width)
    drawn = "".join(
        style.render(visible(part), color_system=depth) if style else visible(part)
        for part, style, control in console.render(_parsed(text), console.options)
        if not control
    )
    lines = [line.rstrip() for line in drawn.strip("\n").split("\n")]
    return lines if text.lstrip().startswith(_FENCES) else _trimmed(lines)


def _trimmed(lines: list[str]) -> list[str]:
    """Leave out the blank rows around a table."""
    used = [at for at, line in enumerate(lines) if line]
    return lines[used[0] : used[-1] + 1] if used else [""]


@cache
def _console(width: int) -> Console:
    return Console(width=width, force_terminal=True, color_system="256", legacy_windows=False)


def _parsed(text: str) -> Markdown:
    markdown = _Markdown("", hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    markdown.parsed = parser.disable(["entity", "reference"]).parse(text)
    return markdown
