"""What becomes of a simulated creator's word is drawn from recorded words, or from what is assumed."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from crowd.rehearsal.domain.assumptions import Assumptions, read_assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson, draw_people
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.rehearsed_words import Fate, draw_fate, record_fates
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.factories import NOW, make_association, make_study, make_worker

USUAL = Assumptions(spammers=0)


def somebody(**changes: Any) -> SimulatedPerson:
    (person,) = draw_people(read_assumptions({"workers": 1, "spammers": 0}), chance=Random(1), now=NOW)
    return replace(person, **changes)


def draw(times: int, *, size: int = 10, recorded: Any = (), **assumed: Any) -> list[Fate]:
    chance, numbers = Random(7), replace(USUAL, **assumed)
    person = somebody()
    return [
        draw_fate(recorded, size=size, assumed=numbers, person=person, chance=chance) for _ in range(times)
    ]


def record_words(study: Study, *, count: int, model_score: int = 33) -> None:
    """Make words that somebody invented for sets of six pictures, and that one person has solved."""
    worker = make_worker()
    for _ in range(count):
        association = make_association(study=study, size=6, chosen=2)
        Association.objects.filter(pk=association.pk).update(
            source=Association.Source.WORKER,
            model_score=model_score,
            asked_at=NOW,
            final_at=NOW,
            solvers_numerator=1,
            solvers_denominator=1,
        )
        Item.objects.filter(association=association).update(wanted=0)
        Solution.objects.create(
            association=association, worker=worker, picked=[0, 1], numerator=1, denominator=1
        )


@pytest.mark.django_db
def test_thirty_recorded_words_are_enough_and_fewer_say_nothing() -> None:
    study, few = make_study(), make_study()
    record_words(study, count=30)
    record_words(few, count=29)

    recorded = record_fates(study)

    assert recorded["fates"] == [{"size": 6, "chosen": 2, "score": 33, "solved": ((1, 1),), "times": 30}]
    assert record_fates(few) == {}


def test_a_word_fares_as_a_recorded_one_for_a_set_of_its_size() -> None:
    alike = {"size": 6, "chosen": 2, "score": 33, "solved": [[1, 1]], "times": 1}
    other = {"size": 10, "chosen": 5, "score": 0, "solved": [[0, 1]], "times": 1000}

    fates = draw(20, size=6, recorded=[alike, other])
    elsewhere = draw(1, size=5, recorded=[other])

    assert set(map(repr, fates)) == {repr(Fate(chosen=2, found_by_model=1, solved=[[1, 1]]))}
    # Of five pictures three may be chosen; the model, which picks three too, finds one of them at least.
    assert (elsewhere[0].chosen, elsewhere[0].found_by_model) == (3, 1)


def test_the_model_misses_as_many_pictures_as_assumed() -> None:
    blind, seeing, usual = draw(200, fools=100), draw(200, fools=0), draw(2000, fools=40)
    shares = sum(one.found_by_model for one in usual) / sum(one.chosen for one in usual)

    assert {one.found_by_model for one in blind} == {0}
    assert all(one.found_by_model == one.chosen for one in seeing)
    assert shares == pytest.approx(0.6, abs=0.03)
    assert {one.chosen for one in usual} == {2, 3, 4, 5}


def test_people_understand_as_many_words_as_assumed_and_none_of_a_spammer() -> None:
    understood = sum(one.is_understood for one in draw(2000, understood=90)) / 2000
    spammer = somebody(is_spammer=True)

    spam = draw_fate((), size=6, assumed=USUAL, person=spammer, chance=Random(1))

    assert understood == pytest.approx(0.9, abs=0.03)
    assert not spam.is_understood


@pytest.mark.parametrize("wrong", [{"fools": 101}, {"understood": -1}])
def test_shares_have_bounds(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="from 0 to 100"):
        read_assumptions(wrong)
