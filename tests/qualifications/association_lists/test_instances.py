"""The rules for an instance's words, whatever is drawn."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualifications.domain.instances import (
    SIZES,
    allowed_chosen,
    draw_instance,
    draw_related,
    is_playable,
    pick_distinct,
    shares_stem,
    shuffled,
)
from tests.qualifications.files import word

pytestmark = pytest.mark.pure
# None of them gives another away.
WORDS = pick_distinct([word(number) for number in range(0, 4_000, 37)], wanted=80, cue="sunshine")
pools = st.lists(st.sampled_from(WORDS), unique=True, max_size=40)
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize(
    ("size", "chosen"), [(5, [2, 3]), (6, [2, 3, 4]), (10, [2, 3, 4]), (12, [2, 3, 4])], ids=str
)
def test_allowed_chosen_leaves_two_distractors(size: int, chosen: list[int]) -> None:
    assert list(allowed_chosen(size)) == chosen


@pytest.mark.parametrize("size", [0, 4, 7, 13])
def test_allowed_chosen_refuses_other_sizes(size: int) -> None:
    with pytest.raises(ValueError, match="5, 6, 10, 12"):
        allowed_chosen(size)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("car", "cars"),
        ("berry", "berries"),
        ("run", "running"),
        ("bake", "baker"),
        ("snow", "snowman"),
        ("ball", "football"),
        ("ice cream", "cream"),
        ("dog's", "dog"),
        ("glass", "glasses"),
    ],
    ids="-".join,
)
def test_shares_stem_tells_what_gives_a_word_away(one: str, other: str) -> None:
    assert shares_stem(one, other)
    assert shares_stem(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("egg", "yolk"), ("car", "card"), ("art", "heart"), ("bus", "bun"), ("ice cream", "snow")],
    ids="-".join,
)
def test_shares_stem_leaves_other_words_alone(one: str, other: str) -> None:
    assert not shares_stem(one, other)


@pytest.mark.parametrize(
    ("cue", "expected"),
    [("yolk", True), ("été", True), ("ice cream", False), ("a", False), ("b2b", False), ("x" * 31, False)],
    ids=["word", "accents", "two words", "letter", "digit", "long"],
)
def test_is_playable_is_one_word_of_letters(cue: str, expected: bool) -> None:
    assert is_playable(cue) is expected


def test_pick_distinct_skips_what_gives_away() -> None:
    picked = pick_distinct(
        ["snowman", "cars", "car", "egg", "yolk", "hen"], wanted=3, cue="snow", beside=["yolks"]
    )

    assert picked == ("cars", "egg", "hen")


@given(pools, seeds)
def test_shuffled_is_all_of_them_in_some_order(pool: list[str], seed: int) -> None:
    drawn = list(shuffled(pool, rng=Random(seed)))

    assert sorted(drawn) == sorted(pool)
    assert drawn == list(shuffled(pool, rng=Random(seed)))


@given(
    pool=pools,
    chosen=st.lists(st.sampled_from(WORDS), unique=True, min_size=2, max_size=4),
    related=st.sets(st.sampled_from(WORDS)),
    size=st.sampled_from(SIZES),
    seed=seeds,
)
def test_draw_instance_takes_distractors_without_an_edge(
    pool: list[str], chosen: list[str], related: set[str], size: int, seed: int
) -> None:
    related |= set(chosen)

    drawn = draw_instance(
        cue="sunshine", chosen=chosen, related=related, pool=pool, size=size, rng=Random(seed)
    )

    free = set(pool) - related
    if drawn is None:
        assert len(free) < size - len(chosen)
        return
    assert len(set(drawn.candidates)) == len(drawn.candidates) == size
    assert set(drawn.chosen) == set(chosen)
    assert set(drawn.candidates) - set(chosen) <= free


def test_draw_instance_takes_nothing_that_gives_another_away() -> None:
    pool = ["snowman", "yolks", "cars", "car", "hen", "tree", "house"]

    drawn = [
        draw_instance(cue="snow", chosen=["yolk", "egg"], related=[], pool=pool, size=6, rng=Random(seed))
        for seed in range(50)
    ]

    distractors = {frozenset(one.candidates) - {"yolk", "egg"} for one in drawn if one}
    assert distractors == {
        frozenset({"hen", "tree", "house", "car"}),
        frozenset({"hen", "tree", "house", "cars"}),
    }


@given(pool=pools, linked=st.sets(st.sampled_from(WORDS)), more=st.sets(st.sampled_from(WORDS)), seed=seeds)
def test_draw_related_links_some_and_not_the_others(
    pool: list[str], linked: set[str], more: set[str], seed: int
) -> None:
    drawn = draw_related(
        through="sunshine", linked=linked, related=linked | more, pool=pool, size=6, rng=Random(seed)
    )

    if drawn is None:
        assert len(linked & set(pool)) < 2 or len(set(pool) - linked - more) < 4
        return
    others = set(drawn.concepts) - set(drawn.linked)
    assert len(set(drawn.concepts)) == 6
    assert 2 <= len(drawn.linked) <= 4
    assert set(drawn.linked) <= linked
    assert not others & (linked | more)
