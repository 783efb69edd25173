"""A picture of a terminal's screen, as SVG without any dependency."""

from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 18, 14
MARGIN = 14
FOREGROUND, BACKGROUND = "#d8dee9", "#1e222a"
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
PALETTE = {
    "black": "#3b4252",
    "red": "#e06c75",
    "green": "#98c379",
    "brown": "#e5c07b",
    "blue": "#61afef",
    "magenta": "#c678dd",
    "cyan": "#56b6c2",
    "white": "#d8dee9",
    "brightblack": "#7f8896",
    "brightred": "#ef8a92",
    "brightgreen": "#b5d99c",
    "brightbrown": "#f0d399",
    "brightyellow": "#f0d399",
    "brightblue": "#8cc4f5",
    "brightmagenta": "#d7a1e6",
    "brightcyan": "#86cfd8",
    "brightwhite": "#ffffff",
}


class CellStyle(NamedTuple):
    """How a run of cells is drawn."""

    foreground: str
    background: str
    bold: bool
    italic: bool
    underline: bool


def render_svg(screen: pyte.Screen, title: str) -> str:
    """Draw the screen as it is, down to its last row that is not blank; `title` is for readers."""
    rows = _used_rows(screen)
    runs = [run for y in range(rows) for run in _row(screen, y)]
    return _svg(screen.columns, rows, title, runs)


class AnimationFrame(NamedTuple):
    """One screen of a film, and how long it stands."""

    svg_elements: list[str]
    row_count: int
    duration_s: float


def capture_frame(screen: pyte.Screen, duration_s: float) -> AnimationFrame:
    """Keep the screen as it is now."""
    runs = [run for y in range(screen.lines) for run in _row(screen, y)]
    return AnimationFrame(runs, _used_rows(screen), duration_s)


def render_animation(frames: list[AnimationFrame], columns: int, title: str) -> str:
    """Show screens one after another, without end; the last one where nothing moves."""
    whole_s = sum(each.duration_s for each in frames)
    styles = [f"g{{visibility:hidden;animation:{whole_s:g}s step-end infinite}}"]
    runs: list[str] = []
    begun_s = 0.0
    for number, each in enumerate(frames):
        begin, end = 100 * begun_s / whole_s, 100 * (begun_s + each.duration_s) / whole_s
        hidden_before = "0%{visibility:hidden}" if begin else ""
        styles.append(
            f"@keyframes k{number}{{{hidden_before}{begin:.2f}%{{visibility:visible}}"
            f"{end:.2f}%{{visibility:hidden}}}}#f{number}{{animation-name:k{number}}}"
        )
        runs.extend([f'<g id="f{number}">', *each.svg_elements, "</g>"])
        begun_s += each.duration_s
    last = len(frames) - 1
    still = f"@media(prefers-reduced-motion){{g{{animation:none}}#f{last}{{visibility:visible}}}}"
    rows = max(each.row_count for each in frames)
    return _svg(columns, rows, title, [f"<style>{''.join(styles)}{still}</style>", *runs])


def _svg(columns: int, rows: int, title: str, inside: list[str]) -> str:
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = rows * CELL_HEIGHT + 2 * MARGIN
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'role="img" font-family="{FONT}" font-size="{FONT_SIZE}">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        *inside,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _used_rows(screen: pyte.Screen) -> int:
    used = [y for y, row in enumerate(screen.display) if row.strip()]
    return max(used, default=0) + 1


def _row(screen: pyte.Screen, y: int) -> list[str]:
    cells = [screen.buffer[y][x] for x in range(screen.columns)]
    runs: list[str] = []
    begun = 0
    for look, group in groupby(cells, _look):
        run = list(group)
        runs.extend(_run(look, run, begun, y))
        begun += len(run)
    return runs


def _look(cell: Char) -> CellStyle:
    ink, paper = _colour(cell.fg, FOREGROUND), _colour(cell.bg, BACKGROUND)
    if cell.reverse:
        ink, paper = paper, ink
    return CellStyle(ink, paper, cell.bold, cell.italics, cell.underscore)


def _colour(name: str, default: str) -> str:
    return default if name == "default" else PALETTE.get(name) or f"#{name}"


def _run(look: CellStyle, cells: list[Char], x: int, y: int) -> list[str]:
    left, top = MARGIN + x * CELL_WIDTH, MARGIN + y * CELL_HEIGHT
    drawn: list[str] = []
    if look.background != BACKGROUND:
        drawn.append(
            f'<rect x="{left:g}" y="{top:g}" width="{len(cells) * CELL_WIDTH:g}" '
            f'height="{CELL_HEIGHT}" fill="{look.background}"/>'
        )
    text = "".join(cell.data for cell in cells)  # a wide character's second cell is empty
    if text.strip():
        kept = len(cells) - (len(text) - len(text.rstrip()))
        drawn.append(
            f'<text x="{left:g}" y="{top + FONT_SIZE:g}" textLength="{kept * CELL_WIDTH:g}" '
            f'xml:space="preserve" fill="{look.foreground}"{_font(look)}>{escape(text.rstrip())}</text>'
        )
    return drawn


def _font(look: CellStyle) -> str:
    told = [
        (look.bold, ' font-weight="bold"'),
        (look.italic, ' font-style="italic"'),
        (look.underline, ' text-decoration="underline"'),
    ]
    return "".join(attribute for holds, attribute in told if holds)
