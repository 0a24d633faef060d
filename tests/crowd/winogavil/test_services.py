from collections.abc import Collection
from fractions import Fraction

import pytest
from django.conf import LazySettings

from crowd.winogavil.models import Association, Place
from crowd.winogavil.services.association_verdicts import ask_rivals, read_verdicts
from crowd.winogavil.services.final_associations import finalize_associations
from crowd.winogavil.services.seeded_associations import seed_association, seed_picture_set
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services import answer_collection, locking
from scoring.models import Score, Verdict
from scoring.services.rival_answers import answer_waiting
from scoring.services.rival_selection import play_against
from tests.factories import (
    NOW,
    make_assignment,
    make_association,
    make_batch,
    make_picture,
    make_study,
)
from tests.scoring.fakes import FakeRival, make_rival, use_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def score(association: Association, *values: str) -> list[Assignment]:
    """Make one judged assignment with a Jaccard score for each value."""
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
        seed_association(
            study=make_study(), cue="cold", candidates=pictures, chosen=[pictures[0], make_picture()]
        )

    assert Association.objects.count() == 0


def test_ask_rivals_puts_each_association_to_its_studys_rivals_once() -> None:
    association = make_association(cue="cold", size=5, chosen=2)
    make_association(cue="warm")

    asked = [ask_rivals(now=NOW) for _ in range(2)]

    assert asked == [2, 0]
    rival_query = association.item.rival_query
    pictures = [place.picture for place in association.places.all() if place.picture]
    assert (rival_query.text, rival_query.chosen, rival_query.study) == (
        "cold",
        [0, 1],
        association.item.study,
    )
    assert [one["sha256"] for one in rival_query.pictures] == [picture.sha256 for picture in pictures]
    assert rival_query.pictures[0]["caption"] == pictures[0].concept


def test_ask_rivals_leaves_the_items_of_drafts(fake: type[FakeRival]) -> None:
    batch = make_batch()
    Item.objects.filter(pk=make_association(study=batch.study).item_id).update(batch=batch)

    drafted = ask_rivals(now=NOW)
    Batch.objects.update(status="open", launched_at=NOW)

    assert (drafted, ask_rivals(now=NOW)) == (0, 1)


def test_read_verdicts_takes_the_word_of_the_rival_that_is_paid_on(fake: type[FakeRival]) -> None:
    association = make_association(size=5, chosen=2)
    play_against(study=association.item.study, rival=make_rival(), by=None, now=NOW)
    ask_rivals(now=NOW)
    answer_waiting(clock=lambda: NOW)

    read = [read_verdicts() for _ in range(2)]

    association.refresh_from_db()
    verdict = association.item.rival_query.verdict
    assert read == [1, 0]
    assert verdict is not None
    assert (verdict.rival.name, Verdict.objects.count()) == ("minilm", 2)
    assert (association.model_score, association.asked_at) == (verdict.model_score, NOW)
    predicted = association.places.filter(predicted=True).values_list("position", flat=True)
    assert list(predicted) == verdict.places
    assert not association.places.filter(predicted=None).exists()


def test_without_a_verdict_nothing_is_scored(fake: type[FakeRival]) -> None:
    association = make_association()
    fake.down = True
    ask_rivals(now=NOW)
    answer_waiting(clock=lambda: NOW)

    read_verdicts()

    association.refresh_from_db()
    assert (association.model_score, association.fool_score, association.asked_at) == (None, None, None)


@pytest.mark.parametrize("size", [4, 7])
def test_seed_picture_set_refuses_other_sizes(size: int) -> None:
    with pytest.raises(ValueError, match="5, 6, 10, 12"):
        seed_picture_set(study=make_study(), pictures=[make_picture() for _ in range(size)])

    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("solvers", "mean", "solvable"),
    [(("1", "1", "1"), Fraction(1), True), (("1", "1", "1/3"), Fraction(7, 9), False)],
)
def test_finalize_needs_every_wanted_solver(solvers: tuple[str, ...], mean: Fraction, solvable: bool) -> None:
    association = make_association()
    Item.objects.update(wanted=0)
    score(association, *solvers[:2])
    early = finalize_associations(now=NOW)
    score(association, solvers[2])

    final = finalize_associations(now=NOW)

    association.refresh_from_db()
    assert (early, final) == (0, 1)
    assert (association.solvers_mean, association.is_selected(threshold=80)) == (mean, solvable)


def test_finalize_waits_while_answers_are_still_wanted() -> None:
    association = make_association()
    score(association, "1", "1", "1")

    assert finalize_associations(now=NOW) == 0


def test_finalize_reopens_first_what_has_lost_an_answer() -> None:
    association = make_association()
    Item.objects.update(wanted=0)
    lost = score(association, "1", "1", "1")[0]
    finalize_associations(now=NOW)
    Item.objects.update(wanted=1, recount=True)
    Assignment.objects.filter(pk=lost.pk).update(kept_out=True)

    finalize_associations(now=NOW)
    association.refresh_from_db()
    reopened = (association.final_at, association.solvers_mean, association.is_selected(threshold=80))
    Item.objects.update(wanted=0)
    score(association, "0")
    finalize_associations(now=NOW)

    association.refresh_from_db()
    assert reopened == (None, None, False)
    assert (association.solvers_mean, association.is_selected(threshold=80)) == (Fraction(2, 3), False)
    assert not Item.objects.get().recount


def test_finalize_of_what_was_taken_out_meanwhile_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    association = make_association()
    Item.objects.update(wanted=0)
    lost, *_ = score(association, "1", "1", "1")

    def take_one_out_first(items: Collection[int]) -> list[Item]:
        Assignment.objects.filter(pk=lost.pk).update(kept_out=True)
        return locking.lock_items(items)

    monkeypatch.setattr(answer_collection, "lock_items", take_one_out_first)

    assert finalize_associations(now=NOW) == 0
    assert Association.objects.get().final_at is None


def test_study_without_a_rival_keeps_no_other_study_waiting(
    fake: type[FakeRival], settings: LazySettings
) -> None:
    lost, found = make_association(), make_association()
    play_against(study=found.item.study, rival=make_rival(), by=None, now=NOW, paid=True)
    settings.RIVAL = "nobody"

    asked = [ask_rivals(now=NOW) for _ in range(2)]

    assert asked == [1, 0]
    assert not hasattr(Item.objects.get(pk=lost.item_id), "rival_query")
    assert Item.objects.get(pk=found.item_id).rival_query.paid_on.name == "fake"
