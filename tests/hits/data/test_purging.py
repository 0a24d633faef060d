import json
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from hits.batches.services.budgets import reserve
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.data.models import Purge
from hits.data.purge_parts import path_of, work_links
from hits.data.services import purging
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.people.services.blocking import block_worker
from hits.people.services.worker_letters import write_message
from hits.review.models import Appeal
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Note
from qualifications.models import Demographics, UnderAge
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)

pytestmark = pytest.mark.django_db
# What names a worker and belongs to the person, not to work in a study.
OF_PERSON = {"Block", "Recipient", "Disclosure", "Demographics", "SpokenEnglish", "UnderAge"}


@pytest.fixture
def study() -> Study:
    return make_study(personal_data_until=date(2026, 11, 1))


def make_work(study: Study, worker: Worker | None = None) -> Assignment:
    batch = make_batch(study=study, status="complete", account=worker.account if worker else make_account())
    worker = worker or make_worker(account=batch.account)
    return make_assignment(
        hit=make_hit(batch=batch), worker=worker, status="approved", approved_at=NOW, owed_at=NOW
    )


def purge(study: Study) -> Purge:
    begun = purging.begin_purge(study=study, by=make_user(), now=NOW)
    purging.go_on(now=NOW)
    begun.refresh_from_db()
    return begun


def say_about_oneself(worker: Worker) -> None:
    Demographics.objects.create(worker=worker, answers="{}", asked_at=NOW)


def test_every_column_that_names_a_worker_leads_to_a_study_or_belongs_to_the_person() -> None:
    models: set[Any] = {
        field.related_model
        for field in Worker._meta.get_fields(include_hidden=True)
        if field.auto_created and not field.concrete
    }

    assert {model.__name__ for model in models if not path_of(model)} == OF_PERSON
    assert len(work_links()) >= len(models) - len(OF_PERSON)


def test_purge_makes_the_people_of_a_study_nobody_and_keeps_their_answers(study: Study) -> None:
    work = make_work(study)
    known = work.worker
    say_about_oneself(known)

    done = purge(study)

    work.refresh_from_db()
    nobody = work.worker
    assert (nobody.pk, nobody.external_id, nobody.erased_at) == (known.pk, "", NOW)
    assert nobody.pseudonym != known.pseudonym
    assert nobody.public_id != known.public_id
    assert nobody.external_id_index != known.external_id_index
    assert not Demographics.objects.exists()
    assert done.ended_at == NOW
    assert not purging.look_again(done)


def test_whoever_works_elsewhere_stays_known_there_and_is_nobody_here(study: Study) -> None:
    here = make_work(study)
    elsewhere = make_work(make_study(), here.worker)
    say_about_oneself(here.worker)

    purge(study)

    here.refresh_from_db()
    elsewhere.refresh_from_db()
    assert here.worker.external_id == ""
    assert here.worker.erased_at == NOW
    assert elsewhere.worker.external_id
    assert elsewhere.worker.erased_at is None
    assert elsewhere.worker.pseudonym != here.worker.pseudonym
    assert Demographics.objects.filter(worker=elsewhere.worker).exists()


@pytest.mark.parametrize(
    "protect",
    [
        lambda worker: Block.objects.create(
            worker=worker, kind="soft", status="active", reason="r", by=make_user(), made_at=NOW
        ),
        lambda worker: UnderAge.objects.create(worker=worker, said_at=NOW),
    ],
)
def test_a_block_keeps_its_worker_and_none_of_the_work(
    study: Study, protect: Callable[[Worker], Any]
) -> None:
    work = make_work(study)
    protect(work.worker)

    purge(study)

    blocked = Worker.objects.get(pk=work.worker_id)
    work.refresh_from_db()
    assert blocked.external_id
    assert work.worker_id != blocked.pk
    assert work.worker.external_id == ""


def test_purge_erases_words_to_and_from_workers(study: Study) -> None:
    work, user = make_work(study), make_user()
    message = Message.objects.create(
        account=work.account, study=study, subject="s", text="Dear Ada", by=user, made_at=NOW
    )
    Recipient.objects.create(message=message, worker=work.worker, status="sent")
    Appeal.objects.create(
        worker=work.worker, assignment=work, text="I am Ada", status="answered", made_at=NOW
    )
    Note.objects.create(assignment=work, text="Ada again", by=user, at=NOW)

    done = purge(study)

    message.refresh_from_db()
    assert (message.text, Appeal.objects.get().text) == ("(erased)", "(erased)")
    assert not Recipient.objects.exists()
    assert not Note.objects.exists()
    assert {key: row["erased"] for key, row in done.figures.items() if row["erased"]} == {
        "hits_worker": 1,
        "hits_message": 1,
        "hits_recipient": 1,
        "hits_appeal": 1,
        "hits_note": 1,
    }


def test_proof_counts_and_reveals_nothing(study: Study) -> None:
    work = make_work(study)
    known = work.worker
    done = purge(study)

    proof = json.dumps(purging.proof_of(done, now=NOW), default=str)

    table = next(row for row in json.loads(proof)["tables"] if row["table"] == "hits_worker")
    assert (table["before"], table["erased"], table["after"]) == (1, 1, 0)
    assert len(table["digest"]) == 64
    assert json.loads(proof)["found_again"] == {}
    assert not [one for one in (known.external_id, known.external_id_index, known.pseudonym) if one in proof]


def test_purge_that_was_killed_goes_on_where_it_stopped(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "LOT", 1)
    monkeypatch.setattr(purging, "STEPS", 1)
    for _ in range(3):
        make_work(study)
    begun = purging.begin_purge(study=study, by=None, now=NOW)

    purging.go_on(now=NOW)
    left = Worker.objects.filter(erased_at=None).count()
    for _ in range(5):
        purging.go_on(now=NOW)

    begun.refresh_from_db()
    assert left == 2
    assert Worker.objects.filter(erased_at=None).count() == 0
    assert begun.ended_at
    assert begun.figures["hits_worker"]["erased"] == 3


def test_step_that_fails_changes_nothing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    make_work(study)
    begun = purging.begin_purge(study=study, by=None, now=NOW)
    monkeypatch.setattr(Purge, "save", lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        purging.take_step(begun, now=NOW)

    assert Worker.objects.get().erased_at is None


@pytest.mark.parametrize("until", [None, NOW.date(), NOW.date() + timedelta(days=1)])
def test_purge_before_its_date_is_refused(until: date | None) -> None:
    study = make_study(personal_data_until=until)
    make_work(study)

    with pytest.raises(RuleBroken, match="kept"):
        purging.begin_purge(study=study, by=make_user(), now=NOW)

    assert not Purge.objects.exists()
    assert Worker.objects.get().erased_at is None


@pytest.mark.parametrize(
    "change", [{"status": "submitted"}, {"owed_at": None, "judged_at": NOW}], ids=["undecided", "to owe"]
)
def test_purge_waits_until_everybody_is_paid(study: Study, change: dict[str, Any]) -> None:
    work = make_work(study)
    Assignment.objects.filter(pk=work.pk).update(**change)

    with pytest.raises(RuleBroken, match="pieces of work wait"):
        purging.begin_purge(study=study, by=make_user(), now=NOW)

    assert not Purge.objects.exists()


def test_purge_begins_by_itself_only_where_the_study_says_so(study: Study) -> None:
    asked = make_study(personal_data_until=date(2026, 11, 1), purges_by_itself=True)

    purging.begin_due_purges(now=NOW)

    assert [purge.study for purge in Purge.objects.all()] == [asked]


def test_a_purged_study_takes_no_more_work(study: Study) -> None:
    work = make_work(study)
    purge(study)

    with pytest.raises(RuleBroken, match="no more work"):
        reserve(batch=work.hit.batch, amount=Decimal(1), words="more", by=None, now=NOW)


def test_nobody_is_written_to_or_blocked(study: Study) -> None:
    work, user = make_work(study), make_user()
    purge(study)
    nobody = Worker.objects.get(pk=work.worker_id)

    with pytest.raises(RuleBroken, match="Nobody knows"):
        block_worker(worker=nobody, kind="hard", reason="r", by=user, now=NOW)
    with pytest.raises(RuleBroken, match="at least one"):
        write_message(
            account=nobody.account, workers=[nobody], study=study, subject="s", text="t", by=user, now=NOW
        )

    assert not Block.objects.exists()
    assert not Message.objects.exists()


def test_audit_log_says_who_purged_what(study: Study) -> None:
    make_work(study)

    done = purge(study)

    kinds = AuditEvent.objects.filter(study=study, by=done.by, kind__startswith="study.purge")
    assert set(kinds.values_list("kind", flat=True)) == {"study.purge_began", "study.purged"}
