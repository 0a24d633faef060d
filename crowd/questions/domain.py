"""Texts as they are typed, and answers as they are stored."""

import re
from unicodedata import category

YES = "yes"
NO = "no"
SPACES = re.compile(r"\s+")
# Control characters and lone surrogates: no keyboard sends them, and a database may not take them.
UNFIT = frozenset({"Cc", "Cs"})


def trim(text: str) -> str:
    """Return the text without outer spaces, and with each inner stretch of them as one."""
    return SPACES.sub(" ", text).strip()


def is_unfit(text: str) -> bool:
    """Whether the text has a character that cannot be stored."""
    return any(category(character) in UNFIT for character in text)
