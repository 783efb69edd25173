from xml.etree import ElementTree as ET

import pyte
import pytest

from tests.terminal_svg import AnimationFrame, capture_frame, render_animation, render_svg

pytestmark = pytest.mark.quick
SVG = "{http://www.w3.org/2000/svg}"


def test_a_screen_becomes_valid_svg_with_text_and_colors() -> None:
    screen = pyte.Screen(20, 5)
    pyte.Stream(screen).feed("\x1b[1;31m<b> & \x1b[0m\x1b[7mrev\x1b[0m 日本\r\nsecond")
    root = ET.fromstring(render_svg(screen, "A <title>"))  # noqa: S314  (from our own code)
    texts = root.findall(f"{SVG}text")
    assert [text.text for text in texts] == ["<b> &", "rev", " 日本", "second"]
    assert texts[0].get("fill") == "#e06c75"
    assert texts[0].get("font-weight") == "bold"
    assert len(root.findall(f"{SVG}rect")) == 2
    assert root.findtext(f"{SVG}title") == "A <title>"


def test_an_animation_shows_each_frame_for_its_duration() -> None:
    screen = pyte.Screen(20, 5)
    stream = pyte.Stream(screen)
    frames: list[AnimationFrame] = []
    for text in ("one", "\r\ntwo"):
        stream.feed(text)
        frames.append(capture_frame(screen, 1.0))
    root = ET.fromstring(render_animation(frames, 20, "An animation"))  # noqa: S314  (from our own code)
    groups = root.findall(f"{SVG}g")
    assert [[t.text for t in g.findall(f"{SVG}text")] for g in groups] == [["one"], ["one", "two"]]
    style = root.findtext(f"{SVG}style") or ""
    assert "#f0{animation-name:k0}" in style
    assert "0.00%{visibility:visible}50.00%{visibility:hidden}" in style
