"""The researcher's file of walks: one noun a line, with what good answers are."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from crowd.questions.domain import NO, YES, is_unfit, trim
from crowd.questions.entries import Texts
from crowd.winoventi.asking.exceptions import look_at_exceptions
from crowd.winoventi.asking.premises import look_at_premise
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.domain.premises import Premise, read_premise
from crowd.winoventi.domain.words import LONGEST_WORD
from hits.errors import InvalidItems

BETWEEN = "|"
MOST_ROWS = 200
MOST_PROBLEMS = 50
COLUMNS = (
    "noun",
    "generic",
    "makes_sense",
    "exceptions",
    "sentence",
    "given_generic",
    "given_exception",
    "given_sentence",
    "synonym",
    "fits",
)
HELP = (
    f"CSV with the columns {', '.join(COLUMNS)}. The first five are the statement and a model answer to it: "
    f"yes or no, up to three words separated by {BETWEEN}, and a sentence for the first of them. The others "
    "are somebody’s premise to be judged, whether its first word means the same as the first outcome (yes or "
    "no), and whether the first outcome fits with its second word. In both sentences the brackets hold the "
    "words in the order of the outcomes. If any line is wrong, nothing is added, and each one is named."
)
PRACTICE = (
    "towel",
    "clean",
    "yes",
    "dirty|stained",
    "The towel lay in the [cupboard / garage].",
    "red",
    "green",
    "The towel was the color of a [tomato / cucumber].",
    "no",
    "no",
)
SAMPLES = (
    (
        "kettle",
        "clean",
        "yes",
        "dirty|stained",
        "We found the kettle in a [shop / ditch].",
        "hot",
        "cold",
        "The kettle stood on the stove for [hours / minutes].",
        "no",
        "yes",
    ),
    (
        "umbrella",
        "useful",
        "yes",
        "useless|broken",
        "There was [rain / fog] all day, and I carried my umbrella.",
        "open",
        "closed",
        "The umbrella in the hall was [spread / folded].",
        "yes",
        "no",
    ),
)


@dataclass(frozen=True, kw_only=True)
class WalkRow:
    """A walk that may be made."""

    noun: str
    generic: str
    given_generic: str
    given_exception: str
    given_sentence: str
    model_answer: Texts


def read_walks(content: bytes) -> list[WalkRow]:
    """Raises InvalidItems that names every bad line."""
    try:
        text = content.decode("utf-8-sig")
        lines = list(csv.DictReader(StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise InvalidItems(
            ["This is not CSV in UTF-8. Save the sheet as “CSV UTF-8”, and upload that."]
        ) from None
    if not lines:
        raise InvalidItems(["The file needs a heading and a line below it."])
    if missing := [name for name in COLUMNS if name not in lines[0]]:
        raise InvalidItems([f"The first line names the columns. Missing: {', '.join(missing)}."])
    if len(lines) > MOST_ROWS:
        raise InvalidItems([f"A file has at most {MOST_ROWS} lines."])
    problems: list[str] = []
    rows = []
    for number, line in enumerate(lines, start=2):
        texts = {name: trim(line[name] or "") for name in COLUMNS}
        found = _faults(texts)
        problems += [f"Line {number}: {words}" for words in found]
        if not found:
            rows.append(_row(texts))
    if problems:
        raise InvalidItems(problems[:MOST_PROBLEMS])
    return rows


def example_walks() -> str:
    return _write(*SAMPLES)


def practice_walk() -> WalkRow:
    """In no file that a researcher may start from."""
    return read_walks(_write(PRACTICE).encode())[0]


def _write(*rows: Sequence[str]) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    return out.getvalue()


def given_premise(sentence: str) -> Premise:
    """The words stand in the brackets in the order of the outcomes."""
    bare = read_premise(sentence=sentence, generic_word="", exception_word="")
    first, second = bare.bracket or ("", "")
    return Premise(sentence=bare.sentence, generic_word=first, exception_word=second)


def _faults(texts: Mapping[str, str]) -> list[str]:
    """In the words of the pages: a model answer has to pass where a worker's has."""
    needed = ("noun", "generic", "given_generic", "given_exception")
    found = [f"{name} is missing." for name in needed if not texts[name]]
    found += [f"{name} is too long." for name in needed if len(texts[name]) > LONGEST_WORD]
    unfit = [name for name in COLUMNS if is_unfit(texts[name])]
    found += [f"{name} has a character in it that cannot be kept." for name in unfit]
    found += [
        f"{name} must be yes or no."
        for name in ("makes_sense", "synonym", "fits")
        if texts[name] not in (YES, NO)
    ]
    if texts["exceptions"].count(BETWEEN) >= len(ALTERNATIVES):
        found.append(f"exceptions holds at most {len(ALTERNATIVES)} words.")
    if found:
        return found
    words = _words(texts)
    looks = {
        "exceptions": look_at_exceptions(words, generic=texts["generic"], wants_words=True),
        "sentence": look_at_premise(
            _premise(texts["sentence"]), generic=texts["generic"], exception=words["exception_1"]
        ),
        "given_sentence": look_at_premise(
            _premise(texts["given_sentence"]),
            generic=texts["given_generic"],
            exception=texts["given_exception"],
        ),
    }
    return [
        f"{name}: {fault}" for name, look in looks.items() for fault in dict.fromkeys(look.faults.values())
    ]


def _words(texts: Mapping[str, str]) -> Texts:
    words = [trim(word) for word in texts["exceptions"].split(BETWEEN)]
    padded = dict.fromkeys(ALTERNATIVES, "") | dict(zip(ALTERNATIVES, words, strict=False))
    return {"makes_sense": texts["makes_sense"], **padded}


def _premise(sentence: str) -> Texts:
    premise = given_premise(sentence)
    return {
        "sentence": sentence,
        "generic_word": premise.generic_word,
        "exception_word": premise.exception_word,
    }


def _row(texts: Mapping[str, str]) -> WalkRow:
    picks = {name: texts[name] for name in ("synonym", "fits")}
    answer = {**_words(texts), **_premise(texts["sentence"]), **picks}
    plain = {
        name: texts[name]
        for name in ("noun", "generic", "given_generic", "given_exception", "given_sentence")
    }
    return WalkRow(**plain, model_answer=answer)
