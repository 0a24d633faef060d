"""Checks of text that people type: whether it is whole, and can be stored, sent and shown."""

from unicodedata import category
from uuid import UUID

# Controls, half characters, and what breaks a line.
UNWANTED = ("Cc", "Cs", "Zl", "Zp")


def is_one_line(text: str, *, longest: int) -> bool:
    return 0 < len(text) <= longest and not any(category(sign) in UNWANTED for sign in text)


def read_uuid(text: str) -> UUID | None:
    """Return the UUID, or None if the text is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def is_whole(text: str, *, most: int) -> bool:
    """Whether the text is a whole number from 1 to `most`. Python reads no number of thousands of digits."""
    is_number = text.isascii() and text.isdigit() and len(text.lstrip("0")) <= len(str(most))
    return is_number and 0 < int(text.lstrip("0") or 0) <= most


def has_controls(text: str) -> bool:
    """Whether the text has control characters other than line breaks and tabs."""
    return any(category(sign) in UNWANTED and sign not in "\n\t" for sign in text)
