"""Instances drawn from a list: whatever the list and the seed are, the rules hold, on every database."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hits.core.errors import RuleBroken
from qualifications.domain.instances import Instance, shares_stem
from qualifications.models import SwowList
from qualifications.queries.association_graph import has_edge, neighbors, strength
from qualifications.services.instance_generation import generate_challenging, generate_instances, related_set
from tests.qualifications.files import said, word
from tests.qualifications.lists import make_list

pytestmark = pytest.mark.django_db
CONCEPTS = [word(number) for number in range(0, 1_000, 17)]
CUES = [word(number) for number in range(5_000, 5_600, 13)]

# Instances of seed 7 from the graph of seed 1.
EXPECTED = [
    Instance(
        cue="fipik",
        candidates=("tek", "xujak", "hokak", "nocak", "cohak"),
        chosen=("xujak", "nocak", "cohak"),
    ),
    Instance(
        cue="wipik", candidates=("zigak", "camak", "wogak", "dacak", "fefak"), chosen=("camak", "dacak")
    ),
    Instance(
        cue="xosik", candidates=("walak", "dacak", "nilak", "hegak", "bifak"), chosen=("nilak", "bifak")
    ),
]


def make_graph(*, seed: int, cues: int = 40, answers: int = 8) -> SwowList:
    """Make a graph of cues with answers among the concepts; some concepts are answered by a cue."""
    rng = Random(seed)
    there = [
        row
        for cue in CUES[:cues]
        for row in said(cue, *((concept, rng.randint(1, 9)) for concept in rng.sample(CONCEPTS, answers)))
    ]
    back = [row for concept in CONCEPTS[::3] for row in said(concept, (rng.choice(CUES), 1))]
    return make_list([*there, *back])


def check(instance: Instance, *, swow: SwowList, size: int) -> None:
    assert len(set(instance.candidates)) == len(instance.candidates) == size
    assert set(instance.candidates) <= set(CONCEPTS)
    assert 2 <= len(instance.chosen) <= min(4, size - 2)
    assert not any(shares_stem(instance.cue, text) for text in instance.candidates)
    for text in instance.candidates:
        if text in instance.chosen:
            assert strength(swow=swow, cue=instance.cue, response=text) > 0
        else:
            assert not has_edge(swow=swow, one=instance.cue, other=text)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), size=st.sampled_from([5, 6, 10]), weak=st.booleans())
def test_every_instance_keeps_the_rules(seed: int, size: int, weak: bool) -> None:
    swow = make_graph(seed=seed)
    generate = generate_challenging if weak else generate_instances

    made = generate(swow=swow, concepts=CONCEPTS, size=size, count=6, seed=seed)

    assert len({instance.cue for instance in made}) == 6
    for instance in made:
        check(instance, swow=swow, size=size)


def test_a_seed_gives_the_same_instances_everywhere() -> None:
    """The expected instances below are the same on SQLite and on PostgreSQL."""
    swow = make_graph(seed=1)
    twin = make_graph(seed=1)

    made = generate_instances(swow=swow, concepts=CONCEPTS, size=5, count=3, seed=7)
    again = generate_instances(swow=twin, concepts=list(reversed(CONCEPTS)), size=5, count=3, seed=7)
    other = generate_instances(swow=swow, concepts=CONCEPTS, size=5, count=3, seed=8)

    assert made == again
    assert made != other
    assert made == EXPECTED


def test_another_count_begins_with_the_same_instances() -> None:
    swow = make_graph(seed=1)

    few = generate_instances(swow=swow, concepts=CONCEPTS, size=6, count=2, seed=3)
    many = generate_instances(swow=swow, concepts=CONCEPTS, size=6, count=9, seed=3)

    assert many[:2] == few


def test_associations_say_how_many_are_asked_for() -> None:
    swow = make_graph(seed=2)

    made = generate_instances(swow=swow, concepts=CONCEPTS, size=6, count=10, seed=1, associations=[3])

    assert {len(instance.chosen) for instance in made} == {3}


def test_what_fewer_people_said_is_not_asked_for_and_no_distractor_either() -> None:
    strong, weak = CONCEPTS[:3], CONCEPTS[3:9]
    others = CONCEPTS[9:12]
    swow = make_list(
        [*said("yolk", *((text, 5) for text in strong), *((text, 1) for text in weak))]
        + [row for text in others for row in said(text, ("nothing", 1))]
    )

    made = generate_instances(swow=swow, concepts=CONCEPTS[:12], size=5, count=1, seed=1, associations=[2])

    assert set(made[0].chosen) < set(strong)
    assert set(made[0].candidates) - set(made[0].chosen) == set(others)


def test_challenging_instances_begin_with_the_weakest_associations() -> None:
    weak, strong, filling = CONCEPTS[:3], CONCEPTS[3:6], CONCEPTS[6:16]
    swow = make_list(
        [
            *said("strong", *((text, 30) for text in strong)),
            *said("mixed", (weak[0], 2), (weak[1], 3), (strong[0], 95)),
            *said("weakest", (weak[0], 2), (weak[1], 2), (strong[1], 200)),
            *(row for text in filling for row in said(text, ("nothing", 1))),
        ]
    )

    made = generate_challenging(swow=swow, concepts=CONCEPTS[:16], size=5, count=3, seed=5, associations=[2])

    assert [instance.cue for instance in made] == ["weakest", "mixed", "strong"]
    assert set(made[0].chosen) == set(made[1].chosen) == {weak[0], weak[1]}
    shares = [[strength(swow=swow, cue=one.cue, response=text) for text in one.chosen] for one in made[:2]]
    assert sum(shares[0], Fraction(0)) < sum(shares[1], Fraction(0))


def test_concepts_keep_the_spelling_of_their_owner() -> None:
    swow = make_graph(seed=1)
    shouted = [text.upper() for text in CONCEPTS]

    made = generate_instances(swow=swow, concepts=shouted, size=5, count=2, seed=7)

    plain = generate_instances(swow=swow, concepts=CONCEPTS, size=5, count=2, seed=7)
    assert [[text.lower() for text in one.candidates] for one in made] == [
        list(one.candidates) for one in plain
    ]
    assert all(text.isupper() for one in made for text in (*one.candidates, *one.chosen))


def test_too_few_are_refused_with_how_many_are_possible() -> None:
    swow = make_graph(seed=1, cues=4)

    with pytest.raises(RuleBroken, match=r"Only 4 instances of 5 candidates are possible") as refused:
        generate_instances(swow=swow, concepts=CONCEPTS, size=5, count=5, seed=1)

    assert refused.value.code == "swow.too_few"


def test_concepts_that_the_list_never_heard_of_make_nothing() -> None:
    swow = make_graph(seed=1)

    with pytest.raises(RuleBroken, match=r"Only 0 instances.* the 0 concepts it knows"):
        generate_instances(swow=swow, concepts=["spaceship", "unicorn"], size=5, count=1, seed=1)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        pytest.param({"size": 7}, "swow.bad_size", id="size"),
        pytest.param({"associations": [4]}, "swow.bad_associations", id="four of five"),
        pytest.param({"associations": []}, "swow.bad_associations", id="none"),
    ],
)
def test_what_the_game_does_not_allow_is_refused(changes: dict[str, Any], code: str) -> None:
    swow = make_graph(seed=1)

    with pytest.raises(RuleBroken) as refused:
        generate_instances(
            **{"swow": swow, "concepts": CONCEPTS, "size": 5, "count": 1, "seed": 1, **changes}
        )

    assert refused.value.code == code


@pytest.mark.parametrize("generate", [generate_instances, generate_challenging], ids=["random", "weak"])
def test_nothing_is_drawn_from_a_list_that_is_not_ready(generate: Any) -> None:
    swow = make_graph(seed=1)
    swow.status = "importing"

    with pytest.raises(RuleBroken, match="not ready"):
        generate(swow=swow, concepts=CONCEPTS, size=5, count=1, seed=1)


@pytest.mark.parametrize("size", [5, 6, 10, 12])
def test_related_set_links_some_concepts_through_a_word(size: int) -> None:
    swow = make_graph(seed=3)

    drawn = related_set(swow=swow, concepts=CONCEPTS, size=size, rng=Random(4))

    near = neighbors(swow=swow, word=drawn.through)
    assert len(set(drawn.concepts)) == size
    assert 2 <= len(drawn.linked) <= min(5, size - 2)
    assert all(near[text] >= 2 for text in drawn.linked)
    assert not set(drawn.concepts) - set(drawn.linked) & set(near)
    assert drawn == related_set(swow=swow, concepts=CONCEPTS, size=size, rng=Random(4))


def test_related_set_says_when_nothing_hangs_together() -> None:
    swow = make_list([row for text in CONCEPTS for row in said(text, (f"only {text}", 3))])

    with pytest.raises(RuleBroken, match="draw the set at random") as refused:
        related_set(swow=swow, concepts=CONCEPTS, size=5, rng=Random(1))

    assert refused.value.code == "swow.nothing_related"


def test_queries_do_not_grow_with_what_is_drawn(django_assert_num_queries: Any) -> None:
    swow = make_graph(seed=1)
    one_block = 4  # the concepts, the cues, the answers to them, and their links in both directions

    with django_assert_num_queries(one_block + 1):
        generate_instances(swow=swow, concepts=CONCEPTS, size=5, count=2, seed=1)
    with django_assert_num_queries(one_block + 1):
        generate_instances(swow=swow, concepts=CONCEPTS, size=5, count=30, seed=1)
