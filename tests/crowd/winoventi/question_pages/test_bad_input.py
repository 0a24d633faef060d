"""Every fault of an answer is reported, entry by entry, and nothing of the answer is recorded."""

from collections.abc import Mapping
from typing import Any

import pytest

from crowd.questions.page_entries import Faulty
from crowd.winoventi import domain
from hits.core.errors import InvalidAnswer
from tests.crowd.winoventi.question_pages.asked import RIGHT, Page, form_of

pytestmark = pytest.mark.pure

MORE_THAN_ONE = "more than one word"
TOO_COARSE = "too coarse"
TASKS = (*domain.TASKS, domain.WALK)
SENSE = {
    "no choice": ({"makes_sense": ""}, {"makes_sense": "Choose one"}),
    "foreign choice": ({"makes_sense": "maybe"}, {"makes_sense": "not on the page"}),
    "first word missing": ({"exception_1": " "}, {"exception_1": "at least one word"}),
    "first missing, second there": (
        {"exception_1": "", "exception_2": "old"},
        {"exception_1": "at least one word"},
    ),
    "two words": ({"exception_1": "not edible"}, {"exception_1": MORE_THAN_ONE}),
    "two words elsewhere": ({"exception_3": "very  old"}, {"exception_3": MORE_THAN_ONE}),
    "tab": ({"exception_2": "very\told"}, {"exception_2": MORE_THAN_ONE}),
    "too long": ({"exception_1": "x" * 65}, {"exception_1": "at most 64"}),
    "coarse": ({"exception_1": "fuck"}, {"exception_1": TOO_COARSE}),
    "control character": ({"exception_1": "in\0edible"}, {"exception_1": "cannot be kept"}),
    "longer in small letters": ({"exception_1": "İ" * 64}, {"exception_1": "at most 64"}),
    "control character where nothing is read": (
        {"makes_sense": "no", "exception_2": "in\0edible"},
        {"exception_2": "cannot be kept"},
    ),
    "too long where nothing is read": (
        {"makes_sense": "no", "exception_3": "x" * 201},
        {"exception_3": "too long"},
    ),
}
SENTENCES = {
    "no sentence": ({"sentence": ""}, {"sentence": "Write a sentence"}),
    "no bracket": ({"sentence": "The guests liked it."}, {"sentence": "exactly once"}),
    "two brackets": ({"sentence": "A [a / b] and a [c / d]."}, {"sentence": "exactly once"}),
    "open bracket": ({"sentence": "The guests found it [sweet / rotten."}, {"sentence": "exactly once"}),
    "nested brackets": ({"sentence": "It was [[sweet / rotten]]."}, {"sentence": "exactly once"}),
    "brackets the wrong way": ({"sentence": "It was ]sweet / rotten[."}, {"sentence": "exactly once"}),
    "one word": ({"sentence": "It was [sweet]."}, {"sentence": "one slash"}),
    "three words": ({"sentence": "It was [sweet / rotten / big]."}, {"sentence": "one slash"}),
    "empty side": ({"sentence": "It was [sweet / ]."}, {"sentence": "one slash"}),
    "long side": ({"sentence": "It was [sweet / gone bad]."}, {"sentence": "exactly one word"}),
    "equal sides": ({"sentence": "It was [Sweet / sweet]."}, {"sentence": "have to differ"}),
    "outcome in brackets": ({"sentence": "It was [Edible / rotten]."}, {"sentence": "word of the statement"}),
    "too long": ({"sentence": f"It was [sweet / rotten] {'so ' * 200}."}, {"sentence": "too long"}),
    "coarse": ({"sentence": "The fucking apple was [sweet / rotten]."}, {"sentence": TOO_COARSE}),
    "no words": (
        {"generic_word": "", "exception_word": "N/A"},
        {"generic_word": "Write the word", "exception_word": "Write the word"},
    ),
    "two words": ({"generic_word": "very sweet"}, {"generic_word": MORE_THAN_ONE}),
    "word with a bracket": ({"generic_word": "[MASK]"}, {"generic_word": "without brackets"}),
    "control character beside nothing": (
        {"sentence": "N/A", "generic_word": "sw\0eet"},
        {"generic_word": "cannot be kept"},
    ),
    "equal words": ({"exception_word": "SWEET"}, {"exception_word": "have to differ"}),
    "outcome as a word": ({"exception_word": "inedible"}, {"exception_word": "word of the statement"}),
    "everything": (
        {"sentence": "none", "generic_word": "a b", "exception_word": ""},
        {"sentence": "exactly once", "generic_word": MORE_THAN_ONE, "exception_word": "Write the word"},
    ),
}
PICKED = {
    entry: ({entry: text}, {entry: words})
    for entry, text, words in (
        ("generic_synonym", "", "Choose one"),
        ("exception_synonym", "", "Choose one"),
        ("exception_fits_generic", "", "Choose one"),
        ("generic_fits_exception", "perhaps", "not on the page"),
    )
}
CHOSEN = {
    "nothing": ({"choice": ""}, {"choice": "Choose one"}),
    "another word": ({"choice": "tasty"}, {"choice": "not on the page"}),
}
WALKED = {
    "no picks": ({"synonym": "", "fits": "?"}, {"synonym": "Choose one", "fits": "not on the page"}),
    "no word though nonsense": (
        {"makes_sense": "no", "exception_1": ""},
        {"exception_1": "at least one word"},
    ),
    "own exception in brackets": (
        {"exception_1": "rotten"},
        {"sentence": "word of the statement", "exception_word": "word of the statement"},
    ),
    "two words": ({"exception_2": "not edible"}, {"exception_2": MORE_THAN_ONE}),
    "no bracket": ({"sentence": "It was sweet."}, {"sentence": "exactly once"}),
}
CASES = [
    pytest.param(task, changes, told, id=f"{task}: {name}")
    for task, cases in (
        (domain.EXCEPTIONS, SENSE),
        (domain.PREMISES, SENTENCES),
        (domain.VALIDATE, PICKED),
        (domain.CHOOSE, CHOSEN),
        (domain.WALK, WALKED),
    )
    for name, (changes, told) in cases.items()
]


@pytest.mark.parametrize(("task", "changes", "told"), CASES)
def test_bad_entries_are_told_and_shown_again(
    task: str, changes: Mapping[str, str], told: Mapping[str, str]
) -> None:
    page = Page(task)
    form = form_of(page.items, {**RIGHT[task], **changes})

    with pytest.raises(Faulty) as caught:
        page.read(form)
    with pytest.raises(InvalidAnswer):
        page.check({page.name: {**RIGHT[task], **changes}})
    again = page.again(form, caught.value)

    assert again is not None
    [question] = again.context["questions"]
    found = {name: entry["fault"] for name, entry in question["entries"].items() if entry["fault"]}
    assert {name: words for name, words in told.items() if words in found.get(name, "")} == told
    assert set(found) == set(told)
    assert {name: entry["value"] for name, entry in question["entries"].items()} == {**RIGHT[task], **changes}
    assert [fault["field"] for fault in again.context["faults"]] == [
        question["entries"][name]["name"] for name in found
    ]


@pytest.mark.parametrize("task", TASKS)
def test_right_answer_is_kept_as_typed_but_for_outer_spaces(task: str) -> None:
    page = Page(task)
    choices = ("choice", "makes_sense", "synonym", "fits", *RIGHT[domain.VALIDATE])
    typed = {
        entry: text if entry in choices or not text else f"  {text} " for entry, text in RIGHT[task].items()
    }

    read = page.read(form_of(page.items, typed))

    assert read == {page.name: RIGHT[task]}
    assert page.check(read) == read
    assert page.family.judge(answer=read, items=page.items) == []


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "bad",
    [None, [], "text", {"unknown": "x"}, {"choice": 1}, {"makes_sense": None}, {"sentence": ["x"]}],
    ids=["nothing", "list", "text", "unknown", "number", "null", "list of text"],
)
def test_answer_from_the_provider_that_no_page_sent_is_refused(task: str, bad: Any) -> None:
    page = Page(task)

    with pytest.raises(InvalidAnswer):
        page.check({page.name: bad})
    with pytest.raises(InvalidAnswer):
        page.check(bad)
    with pytest.raises(InvalidAnswer):
        page.family.check_answer(answer={}, items=[])


def test_lone_surrogate_from_the_provider_is_refused() -> None:
    page = Page(domain.PREMISES)
    sent = {**RIGHT[domain.PREMISES], "sentence": "The \ud800 was [sweet / rotten]."}

    with pytest.raises(InvalidAnswer, match="cannot be kept"):
        page.check({page.name: sent})


def test_entry_sent_twice_has_no_page_of_its_own() -> None:
    page = Page(domain.EXCEPTIONS)
    form = form_of(page.items, RIGHT[domain.EXCEPTIONS])
    form.appendlist(f"{page.name}-exception_1", "plastic")

    with pytest.raises(InvalidAnswer, match="sent twice") as caught:
        page.read(form)

    assert page.again(form, caught.value) is None


def test_faults_of_several_questions_are_numbered_in_the_order_of_the_page() -> None:
    page = Page(domain.CHOOSE, items=3)
    second = page.shown().context["questions"][1]["field"]
    form = form_of(page.items, RIGHT[domain.CHOOSE])
    form[f"{second}-choice"] = ""

    with pytest.raises(Faulty) as caught:
        page.read(form)

    assert str(caught.value) == "Question 2. The blank: Choose one of the answers."


@pytest.mark.parametrize(
    ("task", "changes", "part", "words"),
    [
        (domain.EXCEPTIONS, {"exception_1": "Edible"}, "sense", "word of the statement"),
        (domain.EXCEPTIONS, {"exception_2": "INEDIBLE"}, "sense", "twice"),
        (domain.PREMISES, {"sentence": "It was [rotten / sweet]."}, "premise", "opposite order"),
        (domain.PREMISES, {"generic_word": "tasty"}, "premise", "is not in its brackets"),
        (domain.WALK, {"generic_word": "tasty"}, "premise", "is not in its brackets"),
    ],
)
def test_what_is_odd_is_said_once_and_then_taken(
    task: str, changes: Mapping[str, str], part: str, words: str
) -> None:
    page = Page(task)
    texts = {**RIGHT[task], **changes}
    form = form_of(page.items, texts)

    with pytest.raises(Faulty, match=words) as caught:
        page.read(form)
    again = page.again(form, caught.value)
    seen = form_of(page.items, {**texts, f"seen-{part}": "yes"})
    read = page.read(seen)

    assert again is not None
    assert again.context["is_refused"] is False
    assert words in again.context["questions"][0]["odd"][part]
    assert set(read) == {page.name}


@pytest.mark.parametrize(
    ("task", "texts"),
    [
        (domain.EXCEPTIONS, {"makes_sense": "no", "exception_1": "", "exception_2": "", "exception_3": ""}),
        (
            domain.EXCEPTIONS,
            {"makes_sense": "no", "exception_1": "N/A", "exception_2": "of course", "exception_3": ""},
        ),
        (
            domain.EXCEPTIONS,
            {"makes_sense": "yes", "exception_1": "n/a", "exception_2": "", "exception_3": ""},
        ),
        (domain.PREMISES, {"sentence": "N/A", "generic_word": "", "exception_word": ""}),
        (domain.PREMISES, {"sentence": "n/a", "generic_word": "N/A", "exception_word": "N/A"}),
    ],
)
def test_nothing_to_say_is_an_answer(task: str, texts: Mapping[str, str]) -> None:
    page = Page(task)

    read = page.read(form_of(page.items, texts))

    assert read == {page.name: texts}
