"""The input line with hidden characters made visible; the draft itself stays unchanged."""

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.utils import explode_text_fragments

from shell.text.sanitize import sanitize_chars


class HiddenCharacterProcessor(Processor):
    """Draws each character of the input as the scrollback would print it."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Replace hidden characters and map cursor positions in both directions."""
        fragments: StyleAndTextTuples = []
        starts = [0]
        chars = explode_text_fragments(transformation_input.fragments)
        drawn = sanitize_chars("".join(fragment[1] for fragment in chars))
        for fragment, mark in zip(chars, drawn, strict=True):
            fragments.append((fragment[0], mark))
            starts.append(starts[-1] + len(mark))
        return Transformation(
            fragments,
            source_to_display=lambda position: _to_display(starts, position),
            display_to_source=lambda position: _to_source(starts, position),
        )


def _to_display(starts: list[int], position: int) -> int:
    beyond_end = position - len(starts) + 1
    return starts[position] if beyond_end <= 0 else starts[-1] + beyond_end


def _to_source(starts: list[int], position: int) -> int:
    return max((index for index, start in enumerate(starts) if start <= position), default=0)
