"""What somebody of the control group says of an image."""

from collections.abc import Mapping
from dataclasses import dataclass

from crowd.questions.domain import YES

TEXT = "text"
NOTHING = "nothing"
FEWEST_WORDS = 3
LONGEST_TEXT = 500


@dataclass(frozen=True, kw_only=True)
class WeirdnessSeen:
    """Either what is weird, or nothing is."""

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
        """Too few words to tell what was seen."""
        return bool(self.text) and len(self.text.split()) < FEWEST_WORDS


def read_control_answer(entries: Mapping[str, str]) -> WeirdnessSeen:
    return WeirdnessSeen(text=entries.get(TEXT, ""), nothing=entries.get(NOTHING, "") == YES)
