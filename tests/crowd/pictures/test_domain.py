import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.pictures import domain
from crowd.pictures.profanity import is_profane

pytestmark = pytest.mark.pure
HASHES = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("owl.png", "owl"),
        ("birds/snow_owl-2.png", "snow owl"),
        ("ice cream (3).jpg", "ice cream"),
        ("cat_002.webp", "cat"),
        ("007.png", "007"),
        ("a.b.svg", "a.b"),
        ("IMG_2011_woman.jpg", "woman"),
        ("DSCN0042 fire engine-2.jpg", "fire engine"),
        ("PXL_20240131_101112123_dog.jpg", "dog"),
        ("p1010203-tree.jpg", "tree"),
        ("2011_woman.jpg", "woman"),
        ("pigeon_3.jpg", "pigeon"),
    ],
)
def test_concept_of_file(name: str, concept: str) -> None:
    assert domain.concept_of_file(name) == concept


@pytest.mark.parametrize(("name", "concept"), [("a/snow_owl/1.png", "snow owl"), ("1.png", "")])
def test_concept_of_folder(name: str, concept: str) -> None:
    assert domain.concept_of_folder(name) == concept


@pytest.mark.parametrize(
    ("written", "words", "concept"),
    [
        ("", False, False),
        ("a 7 |", False, False),
        ("EXIT", True, False),
        ("The Fire ENGINE no. 4", True, True),
        ("fireengine", True, True),
        ("fire", True, True),
        ("GINE", True, True),
        ("fireworks", True, True),
        ("in", True, False),
        ("ne", True, False),
    ],
)
def test_flags_of_what_is_written(written: str, words: bool, concept: bool) -> None:
    found = (domain.shows_words(written), domain.shows_concept(written, concept="fire engine"))

    assert found == (words, concept)


@pytest.mark.parametrize(
    ("written", "concept", "showing"),
    [
        ("brary", "library", ["brary"]),
        ("BRARY 1902 open", "Library", ["brary"]),
        ("lib rary", "library", ["lib", "rary"]),
        ("libraries", "library", []),
        ("TV", "tv", ["tv"]),
        ("ATV", "tv", []),
        ("É COLE", "école", ["cole"]),
        ("", "library", []),
    ],
)
def test_words_showing_a_concept_are_those_that_give_a_part_of_it_away(
    written: str, concept: str, showing: list[str]
) -> None:
    assert domain.words_showing(written, concept=concept) == showing


def test_concept_without_letters_is_shown_by_nothing() -> None:
    assert not domain.shows_concept("7 EXIT", concept="7")


@given(HASHES, HASHES)
def test_distance_counts_the_bits_that_differ(first: int, second: int) -> None:
    differing = sum((first >> bit & 1) != (second >> bit & 1) for bit in range(64))

    assert domain.distance(first, second) == domain.distance(second, first) == differing


@given(st.integers(0, 2**64 - 1))
def test_signed_fits_the_column_and_keeps_every_bit(bits: int) -> None:
    kept = domain.signed(bits)

    assert -(2**63) <= kept < 2**63
    assert kept & (2**64 - 1) == bits


def test_near_is_up_to_six_bits_and_a_drawing_is_near_to_nothing() -> None:
    six, seven = 0b111111, 0b1111111

    assert domain.are_near(0, six)
    assert domain.are_near(six, seven)
    assert not domain.are_near(0, seven)
    assert not domain.are_near(None, None)


@pytest.mark.parametrize("text", ["shit", "SHITS", "a Bitch", "bitches", "holy ｓｈｉｔ!"])
def test_profane(text: str) -> None:
    assert is_profane(text)


@pytest.mark.parametrize("text", ["", "owl", "scunthorpe", "shiitake", "rooster", "as", "s", "Essex"])
def test_not_profane(text: str) -> None:
    assert not is_profane(text)
