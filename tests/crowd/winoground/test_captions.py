"""The rule that both captions have the same words, and how a swap is shown."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoground.domain.captions import Kind, are_same, differing_words, swap, words_of

pytestmark = pytest.mark.pure


def folded(caption: str) -> list[str]:
    return [word.same for word in words_of(caption)]


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("The cat, the dog!", ["the", "cat", "the", "dog"]),
        ("a fire-truck", ["a", "fire", "truck"]),
        ("the dog's bone", ["the", "dog's", "bone"]),
        ("the dog’s bone", ["the", "dog's", "bone"]),
        ("the dogs' bones, 'quoted'", ["the", "dogs", "bones", "quoted"]),
        ("3.5 and 1,000 of 2.", ["3.5", "and", "1,000", "of", "2"]),
        ("end.Start", ["end", "start"]),
        ("2 + 2", ["2", "+", "2"]),
        ("I ❤️ it", ["i", "❤", "it"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("Cafe\u0301 café ｃａｆé", ["café", "café", "café"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("co\u00adoperate", ["cooperate"]),
        ("…", []),
        ("", []),
    ],
)
def test_words_of_a_caption(caption: str, words: list[str]) -> None:
    assert folded(caption) == words


@pytest.mark.parametrize(
    ("first", "second", "only_first", "only_second"),
    [
        ("a cat on a mat", "A mat, on a cat.", [], []),
        ("a cat on a mat", "a cat on the mat", ["a"], ["the"]),
        ("the dog and the dog", "the dog", ["and", "dog", "the"], []),
        ("the dog's leg", "the dogs leg", ["dog's"], ["dogs"]),
        ("two cats", "2 cats", ["two"], ["2"]),
    ],
)
def test_difference_counts_each_word(
    first: str, second: str, only_first: list[str], only_second: list[str]
) -> None:
    found = differing_words(first, second)

    assert (found.only_first, found.only_second) == (only_first, only_second)
    assert bool(found) is bool(only_first or only_second)


def test_same_caption_is_the_same_words_in_the_same_order() -> None:
    assert are_same("The Cat on a mat.", "the cat, on a mat")
    assert not are_same("the cat on a mat", "a cat on the mat")


def shown(first: str, second: str) -> tuple[str, str]:
    """Both captions with moved parts in numbered brackets, and parts found in only one of them in braces."""
    found = swap(first, second)

    def say(parts: object) -> str:
        said = []
        for part in parts:  # type: ignore[attr-defined]
            number = "" if part.number is None else part.number
            marks = {Kind.STAYS: "{}", Kind.MOVES: f"[{{}}]{number}", Kind.ONLY_HERE: "{{{}}}"}
            said.append(marks[part.kind].format(part.text))
        return " ".join(said)

    return say(found.first), say(found.second)


@pytest.mark.parametrize(
    ("first", "second", "shown_first", "shown_second"),
    [
        ("a cup in a hat", "a hat in a cup", "a [cup]1 in a [hat]2", "a [hat]2 in a [cup]1"),
        (
            "some salt beside the big pan",
            "the big pan beside some salt",
            "[some salt]1 beside [the big pan]2",
            "[the big pan]2 beside [some salt]1",
        ),
        ("We go home.", "home we go", "[We go]1 [home.]2", "[home]2 [we go]1"),
        ("running up it fast", "running it up fast", "running [up]1 [it]2 fast", "running [it]2 [up]1 fast"),
        (
            "red a blue b green c",
            "blue a green b red c",
            "[red] a [blue] b [green] c",
            "[blue] a [green] b [red] c",
        ),
        ("he walks dogs", "dogs walking he", "[he] {walks} dogs", "dogs {walking} [he]"),
        ("same words", "same words", "same words", "same words"),
        ("", "one", "", "{one}"),
    ],
    ids=["words", "phrases", "neighbors", "order", "three", "forms", "same", "empty"],
)
def test_swap_shows_what_moves(first: str, second: str, shown_first: str, shown_second: str) -> None:
    assert shown(first, second) == (shown_first, shown_second)


CAPTIONS = st.text(alphabet="ab c'’.,-É1+", max_size=24)


@given(CAPTIONS, CAPTIONS)
def test_difference_agrees_with_the_counts(first: str, second: str) -> None:
    found = differing_words(first, second)

    assert Counter(folded(first)) - Counter(found.only_first) == Counter(folded(second)) - Counter(
        found.only_second
    )
    assert bool(found) is (Counter(folded(first)) != Counter(folded(second)))


@given(CAPTIONS, CAPTIONS)
def test_swap_keeps_every_word_of_both(first: str, second: str) -> None:
    found = swap(first, second)

    for caption, parts in ((first, found.first), (second, found.second)):
        assert folded(" ".join(part.text for part in parts)) == folded(caption)


@given(st.permutations(["a", "b", "c", "d", "a"]))
def test_swap_of_the_same_words_moves_the_same_words(order: list[str]) -> None:
    found = swap("a b c d a", " ".join(order))

    moved = [
        Counter(folded(" ".join(part.text for part in parts if part.kind == Kind.MOVES)))
        for parts in (found.first, found.second)
    ]
    stays = [
        folded(" ".join(part.text for part in parts if part.kind == Kind.STAYS))
        for parts in (found.first, found.second)
    ]
    assert moved[0] == moved[1]
    assert stays[0] == stays[1]
    assert not any(part.kind == Kind.ONLY_HERE for part in [*found.first, *found.second])
