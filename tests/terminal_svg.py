"""Draws a terminal's screen as SVG."""

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
    """Return the screen, down to its last row with text, as SVG; `title` describes it."""
    rows = _used_rows(screen)
    runs = [run for y in range(rows) for run in _draw_row(screen, y)]
    return _svg(screen.columns, rows, title, runs)


class AnimationFrame(NamedTuple):
    """One screen of an animation and its duration."""

    svg_elements: list[str]
    row_count: int
    duration_s: float


def capture_frame(screen: pyte.Screen, duration_s: float) -> AnimationFrame:
    """Return the current screen as a frame."""
    runs = [run for y in range(screen.lines) for run in _draw_row(screen, y)]
    return AnimationFrame(runs, _used_rows(screen), duration_s)


def render_animation(frames: list[AnimationFrame], columns: int, title: str) -> str:
    """Return an endless animation; with reduced motion, only its last frame is visible."""
    total_s = sum(frame.duration_s for frame in frames)
    styles = [f"g{{visibility:hidden;animation:{total_s:g}s step-end infinite}}"]
    runs: list[str] = []
    start_s = 0.0
    for number, frame in enumerate(frames):
        start, end = 100 * start_s / total_s, 100 * (start_s + frame.duration_s) / total_s
        hidden_before = "0%{visibility:hidden}" if start else ""
        styles.append(
            f"@keyframes k{number}{{{hidden_before}{start:.2f}%{{visibility:visible}}"
            f"{end:.2f}%{{visibility:hidden}}}}#f{number}{{animation-name:k{number}}}"
        )
        runs.extend([f'<g id="f{number}">', *frame.svg_elements, "</g>"])
        start_s += frame.duration_s
    last = len(frames) - 1
    reduced_motion = (
        f"@media(prefers-reduced-motion){{g{{animation:none}}#f{last}{{visibility:visible}}}}"
    )
    rows = max(frame.row_count for frame in frames)
    return _svg(columns, rows, title, [f"<style>{''.join(styles)}{reduced_motion}</style>", *runs])


def _svg(columns: int, rows: int, title: str, elements: list[str]) -> str:
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = rows * CELL_HEIGHT + 2 * MARGIN
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'role="img" font-family="{FONT}" font-size="{FONT_SIZE}">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        *elements,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _used_rows(screen: pyte.Screen) -> int:
    used = [y for y, row in enumerate(screen.display) if row.strip()]
    return max(used, default=0) + 1


def _draw_row(screen: pyte.Screen, y: int) -> list[str]:
    cells = [screen.buffer[y][x] for x in range(screen.columns)]
    runs: list[str] = []
    x = 0
    for style, group in groupby(cells, _get_style):
        run = list(group)
        runs.extend(_draw_run(style, run, x, y))
        x += len(run)
    return runs


def _get_style(cell: Char) -> CellStyle:
    foreground, background = _get_color(cell.fg, FOREGROUND), _get_color(cell.bg, BACKGROUND)
    if cell.reverse:
        foreground, background = background, foreground
    return CellStyle(foreground, background, cell.bold, cell.italics, cell.underscore)


def _get_color(name: str, default: str) -> str:
    return default if name == "default" else PALETTE.get(name) or f"#{name}"


def _draw_run(style: CellStyle, cells: list[Char], x: int, y: int) -> list[str]:
    left, top = MARGIN + x * CELL_WIDTH, MARGIN + y * CELL_HEIGHT
    elements: list[str] = []
    if style.background != BACKGROUND:
        elements.append(
            f'<rect x="{left:g}" y="{top:g}" width="{len(cells) * CELL_WIDTH:g}" '
            f'height="{CELL_HEIGHT}" fill="{style.background}"/>'
        )
    text = "".join(cell.data for cell in cells)  # a wide character's second cell is empty
    if text.strip():
        width = len(cells) - (len(text) - len(text.rstrip()))
        elements.append(
            f'<text x="{left:g}" y="{top + FONT_SIZE:g}" textLength="{width * CELL_WIDTH:g}" '
            f'xml:space="preserve" fill="{style.foreground}"{_format_font(style)}>'
            f"{escape(text.rstrip())}</text>"
        )
    return elements


def _format_font(style: CellStyle) -> str:
    attributes = [
        (style.bold, ' font-weight="bold"'),
        (style.italic, ' font-style="italic"'),
        (style.underline, ' text-decoration="underline"'),
    ]
    return "".join(attribute for is_set, attribute in attributes if is_set)
