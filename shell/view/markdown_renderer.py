"""The model's Markdown, rendered by rich; imported late, because importing rich takes long."""

from functools import cache, lru_cache
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, HorizontalRule, Markdown
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.theme import Theme

from shell.text.sanitize import sanitize_prose
from shell.view.styled_text import Row

_FENCES = ("```", "~~~")
_STYLES = {
    "markdown.h1": "bold underline",
    "markdown.h2": "bold",
    "markdown.h3": "bold italic",
    "markdown.h4": "italic",
    "markdown.code": "cyan",
    "markdown.block_quote": "dim",
}
"""Without rich's backgrounds and colors, which are unreadable on some terminals."""


_COLORS = ("red", "green", "yellow", "blue", "magenta", "cyan")
_LIVE_COLORS = (
    "ansiblack",
    *(f"ansi{name}" for name in _COLORS),
    "ansigray",
    "ansibrightblack",
    *(f"ansibright{name}" for name in _COLORS),
    "ansiwhite",
)
"""prompt_toolkit's names of the 16 colors, by number."""
_TASK_MARKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


class _PlainRule(HorizontalRule):
    """A rule that is a line; hyphens look like text."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style="dim")


class _PlainCode(CodeBlock):
    """Code with exactly its own blank lines, since a long block is printed in parts."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).removesuffix("\n")
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 1))


class _LeftHeading(Heading):
    """A left-aligned heading: a centered one is hard to find in a wide window."""

    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _TerminalMarkdown(Markdown):
    elements: ClassVar = {
        **Markdown.elements,
        "fence": _PlainCode,
        "code_block": _PlainCode,
        "heading_open": _LeftHeading,
        "hr": _PlainRule,
    }


def render_markdown(text: str, width: int, *, color: bool) -> list[str]:
    """Render Markdown; links show their target, HTML and entities stay literal text."""
    depth = ColorSystem.EIGHT_BIT if color else None
    return [_colorize(line, depth) for line in _render_lines(text, width)] or [""]


@lru_cache(maxsize=8)
def render_markdown_rows(text: str, width: int) -> tuple[Row, ...]:
    """Render Markdown for the live part of the screen; cached, since most frames repeat it."""
    return tuple(
        tuple((_get_live_style(part.style), sanitize_prose(part.text)) for part in line)
        for line in _render_lines(text, width)
    )


def _render_lines(text: str, width: int) -> list[list[Segment]]:
    is_code = text.lstrip().startswith(_FENCES)  # its own blank lines are content
    indent = len(text) - len(text.lstrip(" ")) if is_code else 0  # it belongs to a list
    console = _create_console(max(width - indent, 1))
    parts = (part for part in console.render(_parse(text), console.options) if not part.control)
    lines = _trim_blank_lines(list(Segment.split_lines(parts)))
    stripped = [_strip_end(line) for line in lines]
    if indent:
        stripped = [[Segment(" " * indent), *line] if line else line for line in stripped]
    return stripped if is_code else _trim_blank_lines(stripped)


def _get_live_style(style: Style | None) -> str:
    """Return a style of rich as one of prompt_toolkit."""
    if style is None:
        return "plain"
    words = [word for word in ("bold", "italic", "underline", "dim") if getattr(style, word)]
    number = style.color.number if style.color else None
    if number is not None and number < len(_LIVE_COLORS):
        words.append(_LIVE_COLORS[number])
    return " ".join(words) or "plain"


def _strip_end(line: list[Segment]) -> list[Segment]:
    """Remove trailing blanks, which the user would otherwise copy."""
    filled = [index for index, part in enumerate(line) if part.text.strip()]
    if not filled:
        return []
    last = line[filled[-1]]
    return [*line[: filled[-1]], Segment(last.text.rstrip(), last.style)]


def _trim_blank_lines(lines: list[list[Segment]]) -> list[list[Segment]]:
    """Remove empty lines at the start and the end."""
    filled = [index for index, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _colorize(line: list[Segment], depth: ColorSystem | None) -> str:
    return "".join(
        style.render(sanitize_prose(text), color_system=depth) if style else sanitize_prose(text)
        for text, style, _ in line
    )


@cache
def _create_console(width: int) -> Console:
    return Console(
        width=width,
        force_terminal=True,
        color_system="256",
        legacy_windows=False,
        theme=Theme(_STYLES),
    )


def _parse(text: str) -> Markdown:
    markdown = _TerminalMarkdown("", hyperlinks=False, code_theme="ansi_dark")
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    markdown.parsed = parser.disable(["entity", "reference"]).parse(text)
    tokens = markdown.parsed
    for item, inline in zip(tokens, tokens[2:], strict=False):
        if item.type == "list_item_open" and inline.children:
            first = inline.children[0]
            mark = _TASK_MARKS.get(first.content[:4])
            first.content = mark + first.content[4:] if mark else first.content
    return markdown
