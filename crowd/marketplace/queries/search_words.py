"""The text of a search box as a query condition."""

from django.db.models import Q

LONGEST = 100
MOST_WORDS = 6


def words_of(text: str) -> list[str]:
    """The first few words. A database cannot store NUL or half surrogates, so nothing contains them."""
    kept = "".join(c for c in text[:LONGEST] if c != "\0" and not "\ud800" <= c <= "\udfff")
    return kept.split()[:MOST_WORDS]


def contains_all(words: list[str], *, columns: tuple[str, ...]) -> Q:
    """A condition: every word occurs in at least one of the columns, in any case."""
    wanted = Q()
    for word in words:
        anywhere = Q()
        for column in columns:
            anywhere |= Q(**{f"{column}__icontains": word})
        wanted &= anywhere
    return wanted
