"""What a control-group worker says about an image."""

from collections.abc import Mapping
from dataclasses import dataclass

from crowd.questions.domain import YES

TEXT = "text"
NOTHING = "nothing"
FEWEST_WORDS = 3
LONGEST_TEXT = 500


@dataclass(frozen=True, kw_only=True)
class WeirdnessSeen:
    """A control answer: what is weird in the image, or that nothing is."""

    text: str
    nothing: bool

    @property
    def is_both(self) -> bool:
        return self.nothing and bool(self.text)

    @property
    def is_neither(self) -> bool:
        return not self.nothing and not self.text

    @property
    def is_short(self) -> bool:
        """Whether the text has too few words to tell what was seen."""
        return bool(self.text) and len(self.text.split()) < FEWEST_WORDS


def read_control_answer(entries: Mapping[str, str]) -> WeirdnessSeen:
    return WeirdnessSeen(text=entries.get(TEXT, ""), nothing=entries.get(NOTHING, "") == YES)
