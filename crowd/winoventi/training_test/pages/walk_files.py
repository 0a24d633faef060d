"""The researcher's file of walks: one noun a line, with a model answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crowd.questions.domain import NO, YES, trim
from crowd.questions.page_entries import Texts
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.domain.premises import Premise, read_premise
from crowd.winoventi.domain.words import LONGEST_WORD
from crowd.winoventi.exceptions.pages.exceptions import look_at_exceptions
from crowd.winoventi.premises.pages.premises import look_at_premise
from hits.common.uploads import UploadedColumn, example_file, file_help, read_text, text_within
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded
from hits.core.errors import InvalidItems

BETWEEN = "|"
MOST_ROWS = 200


def _read_choice(value: Any) -> str:
    if (choice := read_text(value)) not in (YES, NO):
        raise ValueError(f"must be {YES} or {NO}.")
    return choice


COLUMNS = (
    UploadedColumn(name="noun", read=text_within(LONGEST_WORD)),
    UploadedColumn(name="generic", read=text_within(LONGEST_WORD)),
    UploadedColumn(name="makes_sense", help="yes or no", read=_read_choice),
    UploadedColumn(name="exceptions", help=f"up to three words separated by {BETWEEN}"),
    UploadedColumn(name="sentence", help="for the first of them"),
    UploadedColumn(name="given_generic", read=text_within(LONGEST_WORD)),
    UploadedColumn(name="given_exception", read=text_within(LONGEST_WORD)),
    UploadedColumn(name="given_sentence"),
    UploadedColumn(name="synonym", help="yes or no", read=_read_choice),
    UploadedColumn(name="fits", help="yes or no", read=_read_choice),
)
HELP = file_help(
    COLUMNS,
    more="The first five are the statement and a model answer to it. The others are somebody’s premise to be "
    "judged, whether its first word means the same as the first outcome, and whether the first outcome fits "
    "with its second word. In both sentences the brackets hold the words in the order of the outcomes.",
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
    """A checked line of the file, not yet saved as a walk."""

    noun: str
    generic: str
    given_generic: str
    given_exception: str
    given_sentence: str
    model_answer: Texts


def read_walks(content: bytes) -> list[WalkRow]:
    """Walks of the file. Raises InvalidItems that names every bad line."""
    problems = Problems(InvalidItems)
    rows = []
    for row in read_uploaded(content, columns=COLUMNS, most=MOST_ROWS, problems=problems):
        found = _faults(row.cells)
        for words in found:
            problems.say(f"{row.place}: {words}")
        if not found:
            rows.append(_row(row.cells))
    problems.refuse()
    return rows


def example_walks() -> str:
    return example_file(COLUMNS, *SAMPLES)


def practice_walk() -> WalkRow:
    """The practice walk, which is in no example file that a researcher may start from."""
    return read_walks(example_file(COLUMNS, PRACTICE).encode())[0]


def given_premise(sentence: str) -> Premise:
    """The premise of a sentence whose brackets hold the words in the order of the outcomes."""
    bare = read_premise(sentence=sentence, generic_word="", exception_word="")
    first, second = bare.bracket or ("", "")
    return Premise(sentence=bare.sentence, generic_word=first, exception_word=second)


def _faults(texts: Mapping[str, str]) -> list[str]:
    """Faults in the words of the pages: a model answer has to pass the same checks as a worker's."""
    if texts["exceptions"].count(BETWEEN) >= len(ALTERNATIVES):
        return [f"exceptions holds at most {len(ALTERNATIVES)} words."]
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
