"""One word: how it is read, and when an entry is not one."""

from crowd.questions.domain import SPACES, trim

LONGEST_WORD = 64
# What people write where they have no answer.
NOT_AVAILABLE = frozenset({"n/a", "n.a.", "na"})


def is_na(text: str) -> bool:
    return text.strip().casefold() in NOT_AVAILABLE


def is_one_word(text: str) -> bool:
    word = text.strip()
    return 0 < len(word) <= LONGEST_WORD and not SPACES.search(word)


def read_word(text: str) -> str:
    """The word, trimmed and in small letters. Raises ValueError that says what to correct."""
    word = text.strip().lower()
    if not word:
        raise ValueError("There is no word.")
    if SPACES.search(word):
        raise ValueError(f"“{trim(text)}” is more than one word.")
    if len(word) > LONGEST_WORD:
        raise ValueError(f"A word has at most {LONGEST_WORD} letters.")
    return word


def are_same(one: str, other: str) -> bool:
    return trim(one).casefold() == trim(other).casefold()
