"""A draft is rehearsed in a process of its own, and nothing of it comes back but the report."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from crowd.rehearsal.domain.assumptions import read_assumptions
from crowd.rehearsal.domain.simulated_people import draw_people
from crowd.rehearsal.playing.both_sides import are_alike
from crowd.rehearsal.playing.private_copy import write_copy
from crowd.rehearsal.playing.rehearsed_runs import play_runs
from crowd.rehearsal.rehearsed_tasks import rehearsal_of
from hits.core.errors import CrowdError
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from tests.crowd.rehearsal.rehearsing import rehearse, spec_of
from tests.factories import (
    ALL_RIGHT,
    NOW,
    make_account,
    make_association,
    make_batch,
    make_study,
    make_worker,
)


@pytest.mark.django_db
def test_a_rehearsal_reaches_the_end_twice_alike_and_writes_nothing_here() -> None:
    batch = make_batch(hits_wanted=2)
    for _ in range(2):
        make_association(study=batch.study)

    first, second = rehearse(batch), rehearse(batch)

    assert (first["final_in_runs"], first["runs"][0]["works"], first["starving"]) == (1, 6, {})
    assert first["nothing_lost"] is True
    assert first["runs"] == second["runs"]
    assert Assignment.objects.count() == 0
    batch.refresh_from_db()
    assert batch.status == Batch.Status.DRAFT


@pytest.mark.django_db
def test_what_is_answered_already_is_not_asked_again() -> None:
    batch = make_batch(hits_wanted=1)
    item = make_association(study=batch.study).item
    Item.objects.filter(pk=item.pk).update(wanted=1)  # two of three are there

    report = rehearse(batch)

    assert (report["final_in_runs"], report["runs"][0]["works"], report["starving"]) == (1, 1, {})


@pytest.mark.django_db
def test_a_pilot_is_released_after_a_look_and_the_rest_becomes_final() -> None:
    batch = make_batch(hits_wanted=2, pilot_hits=1)
    for _ in range(2):
        make_association(study=batch.study)

    report = rehearse(batch, review_h=5, works_each=20, come_within_h=48)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 6)
    assert report["hours"]["least"] > 5


@pytest.mark.django_db
def test_a_design_with_too_few_workers_starves_and_says_why() -> None:
    batch = make_batch(hits_wanted=2)
    make_association(study=batch.study)

    report = rehearse(batch, workers=2, most_days=2)

    assert report["final_in_runs"] == 0
    assert list(report["starving"]) == ["everybody who came has answered it or wrote it"]


@pytest.mark.django_db
def test_with_every_fault_nothing_is_lost_and_payments_agree_to_the_cent() -> None:
    study = make_study(bonus_rules=[ALL_RIGHT])
    batch = make_batch(study=study, hits_wanted=3)
    for _ in range(3):
        make_association(study=study)

    report = rehearse(batch, throttled=20, lost_events=50, killed=50, skill=100, skill_spread=0)
    sides = report["runs"][0]["both_sides"]

    assert min(sides[name] for name in ("calls_refused", "events_lost", "processes_killed")) > 0
    assert sides["answers"] == {"alike": 9, "different": 0, "only_theirs": 0, "only_ours": 0}
    assert sides["payments"]["alike"] == 9
    assert sides["paid"] == ["0.09", "0.09"]
    assert report["nothing_lost"] is True


@pytest.mark.django_db
def test_people_work_on_a_hit_whose_id_has_not_reached_us_yet() -> None:
    batch = make_batch(hits_wanted=3)
    for _ in range(3):
        make_association(study=batch.study)

    report = rehearse(batch, throttled=30, works_each=20)

    assert report["runs"][0]["both_sides"]["answers_lost"] > 0
    assert (report["final_in_runs"], report["nothing_lost"]) == (1, True)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["hits", "answers", "decisions", "payments"])
def test_what_one_side_lacks_is_seen(kind: str) -> None:
    alike = {"alike": 1, "different": 0, "only_theirs": 0, "only_ours": 0}
    whole = {**dict.fromkeys(["hits", "answers", "decisions", "payments"], alike), "unsent": 0}

    assert are_alike(whole)
    assert not are_alike({**whole, kind: {**alike, "only_theirs": 1}})
    assert not are_alike({**whole, kind: {**alike, "different": 1}})
    assert not are_alike({**whole, "unsent": 1})


@pytest.mark.django_db
def test_a_copy_holds_no_secret_and_nobodys_id() -> None:
    account = make_account(secret_access_key="very secret", ticket_key="ticket secret")
    study = make_study()
    batch = make_batch(study=study, account=account)
    item = make_association(study=study).item
    item.author = make_worker(account=account, external_id="AREALPERSON")
    item.save()

    copy = write_copy(batch, family=rehearsal_of(batch.task))

    assert [word for word in ("very secret", "ticket secret", "AREALPERSON") if word in copy] == []


@pytest.mark.django_db
def test_it_is_played_in_no_other_database(settings: Any) -> None:
    batch = make_batch()

    with pytest.raises(CrowdError, match="in memory"):
        play_runs(spec_of(batch), tell=lambda *_: None)

    assert Batch.objects.get().status == Batch.Status.DRAFT


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"first_hour": 22}, {"zones": [40]}, {"luck": 1}])
def test_assumptions_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"workers|hour|zone|luck"):
        read_assumptions(wrong)


def test_nobody_wakes_outside_their_working_hours() -> None:
    from random import Random  # noqa: PLC0415

    assumed = read_assumptions({"first_hour": 9, "last_hour": 17, "zones": [5.5]})
    for person in draw_people(assumed, chance=Random(1), now=NOW):
        local = person.next_awake(person.comes_at) + timedelta(hours=5.5)
        assert 9 <= local.hour < 17


@pytest.mark.django_db
def test_a_draft_that_could_not_be_launched_says_why_in_the_words_of_the_launch() -> None:
    batch = make_batch(study=make_study(budget=Decimal(1)), hits_wanted=20, reward=Decimal(1))
    make_association(study=batch.study)

    with pytest.raises(CrowdError, match=r"^This needs \$.* of the study"):
        rehearse(batch)
