from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import pytest

from crowd.winogavil import services
from crowd.winogavil.models import Association, Place
from crowd.winogavil.solving import SolveFamily
from hits.models import Assignment, Item
from scoring import rivals
from scoring.models import Score
from tests.factories import (
    NOW,
    make_assignment,
    make_association,
    make_picture,
    make_study,
)

pytestmark = pytest.mark.django_db


class LastOnes(rivals.Rival):
    """Always prefers what is shown last, and counts how often it is asked."""

    name: ClassVar[str] = "last"
    provenance = {"rival": "last"}

    def __init__(self) -> None:
        self.asked: list[str] = []

    def score(self, text: str, pictures: Sequence[rivals.Picture]) -> list[float]:
        self.asked.append(text)
        return [float(place) for place in range(len(pictures))]


def score(association: Association, *values: str) -> list[Assignment]:
    """One assignment for each value, already judged."""
    assignments = [make_assignment(status="approved") for _ in values]
    for assignment, value in zip(assignments, map(Fraction, values), strict=True):
        Score.objects.create(
            assignment=assignment,
            item=association.item,
            measure="jaccard",
            numerator=value.numerator,
            denominator=value.denominator,
            scored_at=NOW,
        )
    return assignments


@pytest.mark.parametrize(
    ("cue", "size", "chosen", "message"),
    [
        ("two words", 5, 2, "one word"),
        ("x", 5, 2, "one word"),
        ("c0ld", 5, 2, "one word"),
        ("cold", 4, 2, "candidates"),
        ("cold", 5, 1, "may be chosen"),
        ("cold", 5, 4, "may be chosen"),
    ],
)
def test_seed_association_refuses_what_the_game_does_not_allow(
    cue: str, size: int, chosen: int, message: str
) -> None:
    study = make_study()

    with pytest.raises(ValueError, match=message):
        make_association(study=study, cue=cue, size=size, chosen=chosen)

    assert (Association.objects.count(), Item.objects.count(), Place.objects.count()) == (0, 0, 0)


def test_seed_association_refuses_a_choice_that_is_no_candidate() -> None:
    pictures = [make_picture() for _ in range(5)]

    with pytest.raises(ValueError, match="only candidates"):
        services.seed_association(
            study=make_study(), cue="cold", candidates=pictures, chosen=[pictures[0], make_picture()]
        )

    assert Association.objects.count() == 0


def test_ask_rival_stores_the_verdict_with_its_provenance() -> None:
    association = make_association(size=5, chosen=2)

    asked = services.ask_rival(rival=LastOnes(), now=NOW)

    association.refresh_from_db()
    assert asked == 1
    assert (association.model_score, association.fool_score) == (0, 100)
    assert (association.rival or {})["provenance"] == {"rival": "last"}
    assert list(association.places.values_list("predicted", flat=True)) == [False] * 3 + [True] * 2


def test_ask_rival_asks_once_for_each_association() -> None:
    make_association(cue="cold")
    rival = LastOnes()

    services.ask_rival(rival=rival, now=NOW)
    services.ask_rival(rival=rival, now=NOW)

    assert rival.asked == ["cold"]


def test_ask_one_keeps_the_first_verdict() -> None:
    association = make_association()
    services.ask_one(association, rival=LastOnes(), now=NOW)
    before = Association.objects.values().get()

    first = services.ask_one(association, rival=LastOnes(), now=NOW)

    assert not first
    assert Association.objects.values().get() == before


@pytest.mark.parametrize(
    ("solvers", "mean", "solvable"),
    [(("1", "1", "1"), Fraction(1), True), (("1", "1", "1/3"), Fraction(7, 9), False)],
)
def test_finalize_needs_every_wanted_solver(solvers: tuple[str, ...], mean: Fraction, solvable: bool) -> None:
    association = make_association()
    Item.objects.update(wanted=0)
    score(association, *solvers[:2])
    early = services.finalize_associations(now=NOW)
    score(association, solvers[2])

    final = services.finalize_associations(now=NOW)

    association.refresh_from_db()
    assert (early, final) == (0, 1)
    assert (association.solvers_mean, association.solvable) == (mean, solvable)


def test_finalize_waits_while_answers_are_still_wanted() -> None:
    association = make_association()
    score(association, "1", "1", "1")

    assert services.finalize_associations(now=NOW) == 0


def test_owes_reads_the_table_of_the_study_on_recorded_scores() -> None:
    owed = []
    for value in ("1", "1/3"):
        assignment = score(make_association(), value)[0]
        owed.append([(row.rule, row.amount) for row in SolveFamily().owes(assignment=assignment)])

    assert owed == [[("all right", Decimal("0.01"))], []]
