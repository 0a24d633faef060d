"""The graph of an association list, and how many queries it takes."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import connection

from qualifications.models import SwowEdge
from qualifications.queries.association_graph import (
    EdgeInWords,
    associations_of,
    cues,
    cues_of,
    has_edge,
    linked_to,
    neighbors,
    ready_list,
    strength,
    words,
    words_beginning,
)
from tests.qualifications.files import said
from tests.qualifications.lists import make_list

pytestmark = pytest.mark.django_db
ROWS = [
    *said("yolk", ("egg", 6), ("yellow", 2), ("white", 2)),
    *said("egg", ("hen", 3), ("breakfast", 1)),
    *said("Straße", ("road", 1)),
]


def test_associations_of_gives_the_strongest_first_and_exactly() -> None:
    swow = make_list(ROWS)
    make_list(said("yolk", ("another list", 9)))

    found = associations_of(swow=swow, word=" YOLK ", limit=2)

    assert found == [
        EdgeInWords(cue="yolk", response="egg", count=6, total=10),
        EdgeInWords(cue="yolk", response="white", count=2, total=10),
    ]
    assert [one.strength for one in found] == [Fraction(3, 5), Fraction(1, 5)]


def test_cues_of_looks_the_other_way() -> None:
    swow = make_list([*ROWS, *said("hen", ("egg", 9), ("feather", 1))])

    found = cues_of(swow=swow, word="egg", limit=5)

    assert [(one.cue, one.count, one.total) for one in found] == [("hen", 9, 10), ("yolk", 6, 10)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("yolk", "egg", True, id="there"),
        pytest.param("Egg", "YOLK", True, id="back"),
        pytest.param("yolk", "hen", False, id="by way of another word"),
        pytest.param("yolk", "spaceship", False, id="unknown"),
        pytest.param("STRASSE", "road", True, id="folded"),
        pytest.param("egg", "egg", False, id="itself"),
    ],
)
def test_has_edge_in_either_direction(one: str, other: str, expected: bool) -> None:
    swow = make_list(ROWS)

    assert has_edge(swow=swow, one=one, other=other) is expected


def test_strength_is_of_one_direction() -> None:
    swow = make_list(ROWS)

    assert strength(swow=swow, cue="yolk", response="egg") == Fraction(3, 5)
    assert strength(swow=swow, cue="egg", response="yolk") == 0
    assert strength(swow=swow, cue="spaceship", response="yolk") == 0


def test_words_are_found_by_the_text_as_it_was_given() -> None:
    swow = make_list(ROWS)
    other = make_list(ROWS)

    found = words(swow=swow, texts=["Yolk", "EGG", "spaceship"])

    assert set(found) == {"Yolk", "EGG"}
    assert not set(found.values()) & set(words(swow=other, texts=["yolk", "egg"]).values())


def test_words_beginning_helps_whoever_misspells() -> None:
    swow = make_list(ROWS)

    assert words_beginning(swow=swow, text="Y", limit=5) == ["yellow", "yolk"]
    assert words_beginning(swow=swow, text="%", limit=5) == []


def test_neighbors_are_of_both_directions() -> None:
    swow = make_list(ROWS)

    assert neighbors(swow=swow, word="egg") == {"yolk": 6, "hen": 3, "breakfast": 1}


def test_cues_are_in_one_order_everywhere() -> None:
    swow = make_list(
        [*said("b", ("x", 1)), *said("Ä", ("x", 2)), *said("a", ("x", 3)), *said("z-a", ("x", 4))]
    )

    assert [(text, total) for _, text, total in cues(swow=swow)] == [("a", 3), ("b", 1), ("z-a", 4), ("ä", 2)]


def test_linked_to_names_words_without_links_too() -> None:
    swow = make_list(ROWS)
    rows = words(swow=swow, texts=["egg", "road", "yolk"])

    found = linked_to([rows["road"], rows["egg"]])

    strasse = words(swow=swow, texts=["strasse"])["strasse"]
    assert found[rows["road"]] == {strasse}
    assert rows["yolk"] in found[rows["egg"]]
    assert len(found[rows["egg"]]) == 3


@pytest.mark.parametrize("status", ["importing", "failed", "leaving"])
def test_a_list_that_is_not_ready_is_empty_to_everybody(status: str) -> None:
    swow = make_list(ROWS, name="half", status=status, problem="why")

    assert ready_list("half") is None
    assert associations_of(swow=swow, word="yolk", limit=5) == []
    assert cues_of(swow=swow, word="egg", limit=5) == []
    assert not has_edge(swow=swow, one="yolk", other="egg")
    assert strength(swow=swow, cue="yolk", response="egg") == 0
    assert words(swow=swow, texts=["yolk"]) == {}
    assert words_beginning(swow=swow, text="y", limit=5) == []
    assert neighbors(swow=swow, word="egg") == {}
    assert cues(swow=swow) == []


def test_each_question_takes_one_or_two_queries(django_assert_num_queries: Any) -> None:
    swow = make_list(ROWS)

    with django_assert_num_queries(1):
        associations_of(swow=swow, word="yolk", limit=50)
    with django_assert_num_queries(1):
        cues_of(swow=swow, word="egg", limit=50)
    with django_assert_num_queries(2):
        has_edge(swow=swow, one="yolk", other="egg")
    with django_assert_num_queries(1):
        strength(swow=swow, cue="yolk", response="egg")
    with django_assert_num_queries(2):
        neighbors(swow=swow, word="egg")
    with django_assert_num_queries(1):
        cues(swow=swow)
    with django_assert_num_queries(3):
        words(swow=swow, texts=[f"word {number}" for number in range(1_001)])


@pytest.mark.parametrize(
    ("edges", "index"),
    [
        pytest.param({"cue": 1}, "swow_edge_by_strength", id="there"),
        pytest.param({"response": 1}, "swow_edge_backwards", id="back"),
    ],
)
def test_edges_of_a_word_are_read_from_an_index_alone(edges: dict[str, int], index: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")

    plan = (
        SwowEdge.objects.filter(**edges).order_by("-count").values_list("cue", "response", "count").explain()
    )

    assert index in plan
    assert "COVERING INDEX" in plan or "Index Only Scan" in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan
