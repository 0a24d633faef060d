"""What staff are told of is found in the rows of other rooms, once each, however often it is looked for."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.alerts.models import Kind, Occurrence
from hits.alerts.queries.happenings import LATELY, SILENCE
from hits.alerts.services.finding_occurrences import ONCE_IN, find_occurrences, find_starving
from hits.batches.services.batch_rows import tell
from hits.payments.services import bonus_runs
from hits.studies.models import Batch
from hits.sync.services.noticing_early_ends import ENDED_EARLY, words_of_early_ends
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.items import Item
from tests.factories import NOW, make_assignment, make_hit, make_study, make_user
from tests.hits.alerts.happenings import end_batch, freeze_run, make_appeal, open_batch, pause_batch
from tests.hits.ended_early import end_early
from tests.idle import watch

pytestmark = pytest.mark.django_db
Status = Batch.Status


def kinds() -> list[str]:
    return list(Occurrence.objects.order_by("pk").values_list("kind", flat=True))


def test_each_thing_is_found_once_however_often_it_is_looked_for() -> None:
    study, person = make_study(), make_user()
    end_batch(study=study)
    pause_batch(study=study, by=person)
    pause_batch(study=study, by=None, kind=Status.PAUSED_FUNDS)
    freeze_run(study=study)
    make_appeal(study=study)

    find_occurrences(now=NOW)
    find_occurrences(now=NOW)

    assert kinds() == [Kind.ENDED, Kind.PAUSED, Kind.UNFUNDED, Kind.RUN, Kind.APPEAL]
    assert Occurrence.objects.get(kind=Kind.PAUSED).by == person


def test_a_batch_that_ends_a_second_time_is_found_a_second_time() -> None:
    batch = end_batch()
    find_occurrences(now=NOW)
    tell(batch, Status.COMPLETE, "Complete.", by=None, now=NOW + timedelta(hours=1))

    find_occurrences(now=NOW + timedelta(hours=1))

    assert kinds() == [Kind.ENDED, Kind.ENDED]


def test_hits_that_ended_before_their_time_are_told_in_the_words_of_the_batch() -> None:
    batch = open_batch()
    tell(batch, ENDED_EARLY, words_of_early_ends(2), by=None, now=NOW)

    find_occurrences(now=NOW)

    found = Occurrence.objects.get()
    assert (found.kind, found.batch) == (Kind.EARLY, batch)
    said = "2 HITs were ended at the marketplace before their time."
    assert found.words == f"“{batch.title}” ({batch.study}): {said}"


def test_what_the_operator_wrote_stands_on_pages_and_in_no_message() -> None:
    hit = make_hit(batch=open_batch())
    end_early(hit, at=NOW)
    EarlyEnd.objects.update(noted_at=NOW, reason="Worker A1 complained.")
    tell(hit.batch, ENDED_EARLY, words_of_early_ends(1, ["Worker A1 complained."]), by=None, now=NOW)

    find_occurrences(now=NOW)

    said = "One HIT was ended at the marketplace before its time. The marketplace's operator has written why"
    assert said in Occurrence.objects.get().words
    assert "A1" not in Occurrence.objects.get().words


def test_who_cancels_a_batch_is_no_news_until_its_last_work_is_in() -> None:
    batch = open_batch()
    tell(batch, Status.CANCELLED, "Cancelled.", by=make_user(), now=NOW)
    find_occurrences(now=NOW)
    before = kinds()
    tell(batch, Status.CANCELLED, "It is over.", by=None, now=NOW)

    find_occurrences(now=NOW)

    assert (before, kinds()) == ([], [Kind.ENDED])


def test_what_happened_long_ago_is_told_no_more() -> None:
    end_batch(at=NOW - LATELY - timedelta(seconds=1))

    assert find_occurrences(now=NOW) == 0


def test_a_run_frozen_again_waits_again() -> None:
    preparer = make_user(is_superuser=True)
    run = freeze_run(study=make_study(), by=preparer)
    find_occurrences(now=NOW)
    bonus_runs.unfreeze_run(run=run, by=preparer, now=NOW)
    find_occurrences(now=NOW)
    bonus_runs.freeze_run(run=run, by=preparer, now=NOW + timedelta(minutes=1))

    find_occurrences(now=NOW)

    assert kinds() == [Kind.RUN, Kind.RUN]


def test_words_have_counts_and_names_of_batches_and_nothing_of_workers() -> None:
    study = make_study(name="Owls")
    end_batch(study=study, title="Owls at night")
    appeal = make_appeal(study=study, text="I am Ada, and my mail is ada@example.org")

    find_occurrences(now=NOW)

    ended, asked = Occurrence.objects.order_by("pk")
    assert ended.words == "“Owls at night” (Owls) has ended. 9 of 9 handed in."
    assert "Ada" not in asked.words
    assert appeal.worker.pseudonym not in asked.words


def test_an_open_batch_with_nothing_left_to_ask_starves_until_there_is_something() -> None:
    batch = open_batch(wants=False)
    find_starving(now=NOW)
    find_starving(now=NOW + timedelta(minutes=5))
    begun = Occurrence.objects.get()
    open_batch(study=batch.study)

    find_starving(now=NOW + timedelta(minutes=9))

    begun.refresh_from_db()
    assert (begun.kind, begun.at, begun.over_at) == (Kind.EMPTY, NOW, NOW + timedelta(minutes=9))


def test_a_batch_whose_places_are_taken_does_not_starve() -> None:
    open_batch(wants=False, places=9, done=9)
    open_batch(wants=True, places=9, done=9)

    assert find_starving(now=NOW) == 0


def test_an_open_batch_on_which_nobody_works_for_a_day_is_idle() -> None:
    idle, worked_on, touched = open_batch(), open_batch(), open_batch()
    hit = make_hit(batch=worked_on)
    make_assignment(hit=hit, status="submitted", submitted_at=NOW - SILENCE + timedelta(minutes=1))
    make_assignment(hit=make_hit(batch=idle), status="submitted", submitted_at=NOW - SILENCE)
    tell(touched, "resumed", "Resumed.", by=None, now=NOW - timedelta(hours=3))

    find_starving(now=NOW)

    assert [(one.kind, one.batch) for one in Occurrence.objects.all()] == [(Kind.IDLE, idle)]


def test_a_batch_launched_today_is_not_idle_yet() -> None:
    batch = open_batch()
    Batch.objects.filter(pk=batch.pk).update(launched_at=NOW - SILENCE + timedelta(minutes=1))

    assert find_starving(now=NOW) == 0


def test_a_batch_that_starves_again_on_the_same_day_is_not_told_again() -> None:
    batch = open_batch(wants=False)
    find_starving(now=NOW)
    Occurrence.objects.update(told_at=NOW)
    open_batch(study=batch.study)
    find_starving(now=NOW)
    Item.objects.update(wanted=0)

    find_starving(now=NOW + timedelta(minutes=1))
    again_at_once = Occurrence.objects.filter(batch=batch, kind=Kind.EMPTY).count()
    find_starving(now=NOW + ONCE_IN + timedelta(minutes=1))

    assert again_at_once == 1
    assert Occurrence.objects.filter(batch=batch, kind=Kind.EMPTY).count() == 2


def test_who_finds_nothing_new_writes_nothing() -> None:
    end_batch()
    open_batch(wants=False)
    find_occurrences(now=NOW)
    find_starving(now=NOW)

    assert watch(lambda: find_occurrences(now=NOW)).writes == []
    assert watch(lambda: find_starving(now=NOW)).writes == []


def test_looking_costs_the_same_however_many_batches_have_ended() -> None:
    for _ in range(2):
        end_batch()
        open_batch()
    with CaptureQueriesContext(connection) as few:
        find_occurrences(now=NOW)
        find_starving(now=NOW)
    for _ in range(6):
        end_batch()
        open_batch()

    with CaptureQueriesContext(connection) as many:
        find_occurrences(now=NOW)
        find_starving(now=NOW)

    assert len(many) == len(few)
