from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from hits.core.errors import RuleBroken
from hits.work.models.assignments import Assignment
from scoring.models import PendingQuery, RivalQuery, StudyRival, Verdict
from scoring.services import asking_rivals, rescoring, rival_selection
from scoring.services.rival_answers import answer_waiting
from tests.factories import NOW, make_assignment, make_study
from tests.scoring.fakes import FakeRival, make_rival

pytestmark = pytest.mark.django_db


def new_rival_query(text: str = "snow", *, slot: int = 1, size: int = 5) -> asking_rivals.NewRivalQuery:
    pictures = [
        asking_rivals.ShownPicture(sha256=f"{number:064x}", caption=f"picture {number}")
        for number in range(size)
    ]
    return asking_rivals.NewRivalQuery(text=text, pictures=pictures, chosen=[0, 2], slot=slot)


def ask(assignment: Assignment, text: str = "snow", *, slot: int = 1) -> tuple[RivalQuery, bool]:
    return asking_rivals.ask(new=new_rival_query(text, slot=slot), assignment=assignment, now=NOW)


def test_ask_stores_the_rival_query_before_any_rival_is_asked() -> None:
    assignment = make_assignment()

    rival_query, stored = ask(assignment)

    assert stored
    assert (rival_query.text, rival_query.chosen, rival_query.size, rival_query.k) == ("snow", [0, 2], 5, 2)
    assert rival_query.paid_on.name == "minilm"
    assert PendingQuery.objects.values_list("rival_query", "rival__name", "is_urgent").get() == (
        rival_query.pk,
        "minilm",
        True,
    )


def test_ask_again_is_answered_with_what_is_stored() -> None:
    assignment = make_assignment()
    first, _ = ask(assignment)

    second, stored = ask(assignment, "winter")

    assert (second, stored) == (first, False)
    assert (RivalQuery.objects.get().text, PendingQuery.objects.count()) == ("snow", 1)


def test_each_slot_of_an_attempt_is_a_rival_query_of_its_own() -> None:
    assignment = make_assignment()

    rival_queries = {ask(assignment, slot=slot)[0] for slot in (1, 2)}

    assert len(rival_queries) == 2


def test_the_database_itself_refuses_a_second_rival_query_for_a_slot() -> None:
    rival_query, _ = ask(make_assignment())

    with pytest.raises(IntegrityError), transaction.atomic():
        RivalQuery.objects.create(
            study=rival_query.study,
            assignment=rival_query.assignment,
            text="again",
            pictures=[],
            size=0,
            chosen=[],
            paid_on=rival_query.paid_on,
            asked_at=NOW,
        )


def test_every_rival_of_the_study_is_asked_and_only_the_one_paid_on_is_urgent() -> None:
    assignment = make_assignment()
    study = assignment.hit.batch.study
    for name, paid in (("first", False), ("second", True)):
        rival_selection.play_against(
            study=study, rival=make_rival(name, weights=name * 9), by=None, now=NOW, paid=paid
        )

    rival_query, _ = ask(assignment)

    assert rival_query.paid_on.name == "second"
    assert dict(PendingQuery.objects.values_list("rival__name", "is_urgent")) == {
        "first": False,
        "second": True,
        "minilm": False,  # it was the opponent until the second rival came
    }


def test_what_was_asked_before_stays_paid_on_the_rival_of_that_day(fake: type[FakeRival]) -> None:
    assignment = make_assignment()
    study = assignment.hit.batch.study
    before, _ = ask(assignment)
    rival_selection.play_against(study=study, rival=make_rival(), by=None, now=NOW, paid=True)

    after, _ = ask(assignment, "ice", slot=2)

    assert (before.paid_on.name, after.paid_on.name) == ("minilm", "fake")


def test_a_study_is_paid_on_one_rival_at_a_time() -> None:
    study = make_study()
    for name in ("first", "second", "first"):
        rival = StudyRival.objects.filter(rival__name=name).first()
        rival_selection.play_against(
            study=study,
            rival=rival.rival if rival else make_rival(name, weights=name * 9),
            by=None,
            now=NOW,
            paid=True,
        )

    assert list(StudyRival.objects.filter(is_paid=True).values_list("rival__name", flat=True)) == ["first"]
    with pytest.raises(IntegrityError), transaction.atomic():
        StudyRival.objects.update(is_paid=True)


def test_a_model_of_text_alone_cannot_play() -> None:
    study = make_study()

    with pytest.raises(RuleBroken, match="scores no pictures"):
        rival_selection.play_against(study=study, rival=make_rival(kind="masked"), by=None, now=NOW)

    assert not StudyRival.objects.exists()


def test_the_default_rival_must_be_registered(settings: object) -> None:
    make_rival()
    settings.RIVAL = "nobody"  # type: ignore[attr-defined]

    with pytest.raises(rival_selection.NoRival, match="Known: fake"):
        ask(make_assignment())

    assert not RivalQuery.objects.exists()


def test_answer_state_waits_then_is_late_and_never_a_score(fake: type[FakeRival]) -> None:
    rival_query, _ = ask(make_assignment())

    states = [
        asking_rivals.answer_state(rival_query, now=NOW + timedelta(seconds=s), deadline_s=10)["state"]
        for s in (0, 9, 10, 99)
    ]

    assert states == ["waiting", "waiting", "late", "late"]
    assert "fool" not in asking_rivals.answer_state(rival_query, now=NOW + timedelta(hours=1), deadline_s=10)


def test_a_late_verdict_is_shown_when_it_comes(fake: type[FakeRival]) -> None:
    rival_query, _ = ask(make_assignment())
    answer_waiting(clock=lambda: NOW + timedelta(minutes=1))

    state = asking_rivals.answer_state(rival_query, now=NOW + timedelta(hours=1), deadline_s=10)

    verdict = Verdict.objects.get()
    assert state["state"] == "answered"
    assert (state["predicted"], state["fool"]) == (verdict.places, verdict.fool_score)


def test_rescore_asks_everything_once_and_new_ones_follow(fake: type[FakeRival]) -> None:
    assignment = make_assignment()
    study = assignment.hit.batch.study
    old, _ = ask(assignment)
    elsewhere, _ = ask(make_assignment())
    answer_waiting(clock=lambda: NOW)
    before = list(Verdict.objects.order_by("pk").values())
    rival = make_rival()

    asked = [rescoring.rescore_study(study=study, rival=rival, by=None, now=NOW) for _ in range(2)]
    answer_waiting(clock=lambda: NOW)
    again = rescoring.rescore_study(study=study, rival=rival, by=None, now=NOW)
    ask(assignment, "ice", slot=2)

    assert (asked, again) == ([1, 0], 0)
    assert list(Verdict.objects.order_by("pk").values())[: len(before)] == before
    assert set(old.verdicts.values_list("rival__name", flat=True)) == {"minilm", "fake"}
    assert elsewhere.verdicts.count() == 1
    assert PendingQuery.objects.filter(rival=rival).count() == 1
    assert old.verdict is not None
    assert old.verdict.rival.name == "minilm"
