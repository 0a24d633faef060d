"""Coarse words that somebody has disguised: sh1t, s.h.i.t, shiiit, sh*t, or with letters of another script.

A word counts only as a whole, so that innocent words with the same letters inside are left alone.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator

# Letters of other scripts, and signs, that are read as a Latin letter.
LOOKS_LIKE = str.maketrans(
    {
        **dict(zip("авекмнорстухіјѕԁ", "abekmhopctyxijsd", strict=True)),
        **dict(zip("αεικνορτυχ", "aeiknoptux", strict=True)),
        **dict(zip("013457@$!|+", "oieastasiit", strict=True)),
    }
)
# Signs that stand for any one letter.
HIDING = "*#"
APART = "._-~"
# A hidden word keeps at least so many of its letters, or it could be any word.
FEWEST_LETTERS = 2
FEWEST_APART = 3
# No English word has the same letter so often in a row.
LONG_RUN = re.compile(r"(.)\1{2,}")
QUOTES = "\"'“”‘’()[]{}<>,;:?"


def find_disguised(text: str, listed: Collection[str]) -> Iterator[tuple[str, str]]:
    """What is written, and the listed word it stands for. Words that stand there openly are left out."""
    for written in [*_words(text), *_spelled(text)]:
        found = _listed_word(written, listed)
        if found and written.casefold() not in listed:
            yield written, found


def _words(text: str) -> list[str]:
    return [word for part in text.split() if (word := part.strip(QUOTES).rstrip(".!"))]


def _spelled(text: str) -> Iterator[str]:
    """Runs of single letters with spaces between them: “s h i t”."""
    run: list[str] = []
    for word in [*text.split(), ""]:
        if len(word) == 1 and word.isalnum():
            run.append(word)
            continue
        if len(run) >= FEWEST_APART:
            yield " ".join(run)
        run = []


def _listed_word(written: str, listed: Collection[str]) -> str:
    if not any(sign.isalpha() for sign in written):
        return ""
    return next((word for form in _forms(written) if (word := _match(form, listed))), "")


def _forms(written: str) -> Iterator[str]:
    """What it may stand for, as plain as can be; a long run of a letter may stand for one or for two."""
    joined = "".join(sign for sign in _plain(written) if sign not in APART and not sign.isspace())
    letters = joined.translate(LOOKS_LIKE)
    yield letters
    yield letters.replace("i", "l") if "1" in joined or "|" in joined else letters
    yield LONG_RUN.sub(r"\1", letters)
    yield LONG_RUN.sub(r"\1\1", letters)


def _plain(written: str) -> str:
    """Lower case without accents and invisible characters."""
    apart = unicodedata.normalize("NFKD", written.casefold())
    return "".join(sign for sign in apart if unicodedata.category(sign) not in ("Mn", "Cf"))


def _match(form: str, listed: Collection[str]) -> str:
    for word in (form, form.removesuffix("s"), form.removesuffix("es")):
        if word in listed:
            return word
    hidden = sum(form.count(sign) for sign in HIDING)
    if not hidden or len(form) - hidden < FEWEST_LETTERS:
        return ""
    fits = re.compile("".join("." if sign in HIDING else re.escape(sign) for sign in form))
    return next((word for word in sorted(listed) if fits.fullmatch(word)), "")
