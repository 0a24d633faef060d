"""A language in which marked texts stand in brackets, with accents on their vowels, and numbers have commas.

What a page shows without brackets would stay English whatever the language: it is data, or was not marked.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.utils import formats, translation
from django.utils.translation import trans_real

from config.formats.en import formats as english

OPEN, CLOSE = "⟦", "⟧"
# Placeholders, elements and entities stay as they are.
KEPT = re.compile(r"(%\(\w+\)[a-z]|%[a-z%]|\{[^}]*\}|<[^>]*>|&\w+;)")
ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")


def mark(text: str) -> str:
    """Return the text as a page in the pseudo-language has it; its context, if it has one, is left out."""
    text = text.rpartition(trans_real.CONTEXT_SEPARATOR)[2]
    if not any(letter.isalpha() for letter in KEPT.sub("", text)):
        return text
    parts = [part if KEPT.fullmatch(part) else part.translate(ACCENTS) for part in KEPT.split(text)]
    return f"{OPEN}{''.join(parts)}{CLOSE}"


class PseudoTranslation(trans_real.DjangoTranslation):
    def __init__(self) -> None:
        super().__init__("en")

    def gettext(self, message: str) -> str:
        return mark(super().gettext(message))

    def ngettext(self, msgid1: str, msgid2: str, n: Any) -> str:
        return mark(super().ngettext(msgid1, msgid2, n))


@contextmanager
def speaking_pseudo() -> Iterator[None]:
    """Show English pages in the pseudo-language, whoever chooses English for them."""
    spoken, before = PseudoTranslation(), translation.get_language()
    with pytest.MonkeyPatch.context() as patch:
        for code in ("en", "en-us"):
            patch.setitem(trans_real._translations, code, spoken)  # type: ignore[attr-defined]
        patch.setattr(trans_real, "_default", spoken)
        patch.setattr(english, "DECIMAL_SEPARATOR", ",", raising=False)
        formats.reset_format_cache()
        yield
    formats.reset_format_cache()
    translation.deactivate()
    if before:
        translation.activate(before)
