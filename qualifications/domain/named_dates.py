"""The last day for personal data, as a consent text names it in one of the usual ways."""

import re
from datetime import date

MONTHS = {
    name: number
    for number, name in enumerate(
        (
            *("january", "february", "march", "april", "may", "june", "july", "august"),
            *("september", "october", "november", "december"),
        ),
        start=1,
    )
}
KEEPING = re.compile(
    r"\b(?:keep|kept|stor\w+|retain\w*|retention|delet\w+|eras\w+|destroy\w*)\b", re.IGNORECASE
)
ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
DAY_FIRST = re.compile(r"\b(\d{1,2})\.? ([a-z]+),? (\d{4})\b", re.IGNORECASE)
MONTH_FIRST = re.compile(r"\b([a-z]+) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def last_day_in(text: str) -> tuple[date, str] | None:
    """Return the first date in a sentence about keeping or deleting, with the sentence."""
    for sentence in SENTENCE.split(text):
        if KEEPING.search(sentence) and (found := _date_in(sentence)):
            return found, sentence.strip()
    return None


def _date_in(sentence: str) -> date | None:
    if found := ISO.search(sentence):
        return _day(*found.groups())
    if found := DAY_FIRST.search(sentence):
        day, month, year = found.groups()
        return _day(year, _month(month), day)
    if found := MONTH_FIRST.search(sentence):
        month, day, year = found.groups()
        return _day(year, _month(month), day)
    return None


def _month(word: str) -> str:
    return str(MONTHS.get(word.lower(), 0))


def _day(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
