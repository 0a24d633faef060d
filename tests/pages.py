"""What a page says, to be looked through for words."""

from typing import Any


def text_of(page: Any) -> str:
    """All of it on one line, tags included."""
    return " ".join(page.content.decode().split())
