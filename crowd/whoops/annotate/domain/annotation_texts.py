"""The three texts about a weird image: what each needs, and what is odd about them."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

CAPTION = "caption"
EXPLANATION = "explanation"
UNDERSPECIFIED = "underspecified"
TEXTS = (CAPTION, EXPLANATION, UNDERSPECIFIED)
LONGEST_TEXT = 500
# The number of images in the annotators' test.
TEST_IMAGES = 5
# The fewest words that can say it.
FEWEST_WORDS = {CAPTION: 4, EXPLANATION: 5, UNDERSPECIFIED: 3}
# An explanation with fewer words beyond "strange" and its like says no more than that.
FEWEST_REASONS = 3
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def words_of(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return WORD.findall(plain)


STRANGE = frozenset(
    words_of(
        "abnormal atypical bizarre odd oddly peculiar strange strangely uncommon unnatural unreal "
        "unrealistic unusual unusually weird weirdly wrong"
    )
)
# Words that say the same when negated, as in "not usual".
USUAL = frozenset(words_of("common normal normally ordinary real typical usual usually"))
# Words that can be said of any picture.
EMPTY = frozenset(
    words_of(
        "a about all an and are be because but doesn't don't extremely find finds happen happens image in is "
        "isn't it it's its just kind like look looks never no not of people photo picture quite rather "
        "really scene see seem seems seen situation so some something that that's the there these thing "
        "things this to too very we what which would you"
    )
)


class Fault(StrEnum):
    MISSING = "missing"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    SAME_AS_CAPTION = "same_as_caption"


class Oddity(StrEnum):
    SAYS_ONLY_STRANGE = "says_only_strange"
    LONGER_THAN_CAPTION = "longer_than_caption"


@dataclass(frozen=True, kw_only=True)
class Texts:
    caption: str
    explanation: str
    underspecified: str


def find_faults(texts: Texts) -> dict[str, Fault]:
    """Faults by entry; each keeps the texts from being submitted."""
    faults = {entry: _fault_of(entry, getattr(texts, entry)) for entry in TEXTS}
    caption = words_of(texts.caption)
    for entry in (EXPLANATION, UNDERSPECIFIED):
        if caption and words_of(getattr(texts, entry)) == caption:
            faults[entry] = faults[entry] or Fault.SAME_AS_CAPTION
    return {entry: fault for entry, fault in faults.items() if fault}


def find_oddities(texts: Texts) -> Iterator[tuple[str, Oddity]]:
    """Oddities by entry: worth a second look, though the worker may mean them."""
    if says_only_strange(texts.explanation):
        yield EXPLANATION, Oddity.SAYS_ONLY_STRANGE
    if len(words_of(texts.underspecified)) > len(words_of(texts.caption)):
        yield UNDERSPECIFIED, Oddity.LONGER_THAN_CAPTION


def says_only_strange(explanation: str) -> bool:
    """Whether the explanation says that something is unusual, but not why."""
    words = set(words_of(explanation))
    said = words & (STRANGE | USUAL)
    return bool(said) and len(words - said - EMPTY) < FEWEST_REASONS


def _fault_of(entry: str, text: str) -> Fault | None:
    words = words_of(text)
    if not words:
        return Fault.MISSING
    if len(text) > LONGEST_TEXT:
        return Fault.TOO_LONG
    return Fault.TOO_SHORT if len(words) < FEWEST_WORDS[entry] else None
