"""Consent texts, consent, and what happens to work when consent is withdrawn."""

from datetime import timedelta
from typing import Any

import pytest

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.payments.services.accrual import owe_bonuses
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from qualifications.models import Consent, ConsentText
from qualifications.queries.consents import owed_before_work
from qualifications.services import consenting
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_consent_text,
    make_hit,
    make_study,
    make_user,
    make_worker,
)

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def draft(study: Study, **changes: Any) -> ConsentText:
    values: dict[str, Any] = {"title": "About", "text": "Please agree.", "asks_demographics": False}
    return consenting.write_draft(study=study, **{**values, **changes}, by=make_user(), now=NOW)


def publish(text: ConsentText) -> None:
    seen = consenting.digest_of(text)
    consenting.publish_text(text=text, seen=seen, by=make_user(), now=NOW)


def make_work(worker: Worker, study: Study, **changes: Any) -> Assignment:
    batch = make_batch(study=study, account=worker.account, status="open")
    return make_assignment(hit=make_hit(batch=batch), worker=worker, **changes)


def serve(work: Assignment, *, at: Any = NOW, status: str = "answered") -> Item:
    item: Item = make_association(study=work.hit.batch.study).item
    Item.objects.filter(pk=item.pk).update(wanted=2)
    Lease.objects.create(item=item, assignment=work, worker=work.worker, status=status, leased_at=at)
    return item


def test_draft_is_one_and_changes_until_it_is_published() -> None:
    study = make_study()

    first, second = draft(study), draft(study, text="  Please do agree.\r\n\r\nThank you. ")
    publish(second)
    third = draft(study)

    assert (first.pk, second.version, third.version) == (second.pk, 1, 2)
    assert second.text == "Please do agree.\n\nThank you."
    assert ConsentText.objects.filter(published_at=None).get() == third


@pytest.mark.parametrize("changes", [{"title": " "}, {"text": "\n"}, {"text": "x" * 20_001}])
def test_draft_that_says_nothing_or_too_much_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(RuleBroken):
        draft(make_study(), **changes)

    assert not ConsentText.objects.exists()


def test_publishing_is_on_record_and_happens_once() -> None:
    text = draft(make_study())
    publish(text)

    with pytest.raises(RuleBroken) as refused:
        publish(text)

    assert refused.value.code == "published"
    assert [event.kind for event in AuditEvent.objects.all()] == ["consent.published"]


def test_draft_that_was_changed_after_it_was_read_is_not_published() -> None:
    text = draft(make_study())
    seen = consenting.digest_of(text)
    draft(text.study, text="Something else.")

    with pytest.raises(RuleBroken) as refused:
        consenting.publish_text(text=text, seen=seen, by=make_user(), now=NOW)

    assert refused.value.code == "other_text"
    assert ConsentText.objects.get().published_at is None


def test_text_that_is_owed_is_the_latest_published_one_not_agreed_to() -> None:
    worker, study = make_worker(), make_study()
    work = make_assignment(hit=make_hit(batch=make_batch(study=study)), worker=worker)
    first = make_consent_text(study=study, asks_demographics=False)
    consenting.give_consent(worker=worker, text=first, now=NOW)
    agreed = owed_before_work(work)
    second = make_consent_text(study=study)
    make_consent_text(study=study, published_at=None)

    asked = owed_before_work(work)

    assert agreed is None
    assert asked
    assert (asked.text, asked.wants_consent) == (second, True)
    assert owed_before_work(make_assignment(worker=worker)) is None


def test_players_of_a_web_game_are_not_asked_here() -> None:
    player = make_worker(account=make_account(kind=Account.Kind.WEB))
    text = make_consent_text()

    work = make_assignment(hit=make_hit(batch=make_batch(study=text.study)), worker=player)

    assert owed_before_work(work) is None


@pytest.mark.parametrize("state", ["draft", "replaced"])
def test_only_the_text_in_force_can_be_agreed_to(state: str) -> None:
    worker, study = make_worker(), make_study()
    text = make_consent_text(study=study, published_at=None if state == "draft" else NOW)
    if state == "replaced":
        make_consent_text(study=study)

    with pytest.raises(RuleBroken):
        consenting.give_consent(worker=worker, text=text, now=NOW)

    assert not Consent.objects.exists()


def test_taken_back_and_given_again_are_two_rows_and_the_first_keeps_its_days() -> None:
    worker, text = make_worker(), make_consent_text()
    consenting.give_consent(worker=worker, text=text, now=NOW)

    ended = [
        consenting.withdraw(worker=worker, study=text.study, takes_work_out=False, now=LATER)
        for _ in range(2)
    ]
    consenting.give_consent(worker=worker, text=text, now=LATER + MINUTE)

    assert ended == [1, 0]
    assert list(Consent.objects.order_by("pk").values_list("given_at", "withdrawn_at")) == [
        (NOW, LATER),
        (LATER + MINUTE, None),
    ]


def test_taking_back_ends_every_version_of_that_study_alone() -> None:
    worker, study = make_worker(), make_study()
    for each in (study, study, make_study()):
        consenting.give_consent(worker=worker, text=make_consent_text(study=each), now=NOW)

    consenting.withdraw(worker=worker, study=study, takes_work_out=False, now=LATER)

    in_force = Consent.objects.filter(withdrawn_at=None)
    assert [consent.text.study == study for consent in in_force] == [False]


def take_back(worker: Worker, study: Study, *, out: bool = True) -> None:
    consenting.give_consent(worker=worker, text=make_consent_text(study=study), now=NOW)
    consenting.withdraw(worker=worker, study=study, takes_work_out=out, now=LATER)


def test_work_leaves_the_data_and_its_money_stays() -> None:
    worker, study = make_worker(), make_study()
    work = make_work(worker, study, status="approved", approved_at=NOW, owed_at=NOW, judged_at=NOW, answer={})
    item, bonus = serve(work), make_bonus(assignment=work)
    others = make_work(worker, make_study(), status="approved", approved_at=NOW, owed_at=NOW)
    take_back(worker, study)

    taken = [consenting.take_work_out(now=LATER) for _ in range(2)]

    work.refresh_from_db()
    others.refresh_from_db()
    item.refresh_from_db()
    assert taken == [1, 0]
    assert (work.kept_out, work.status, others.kept_out) == (True, "approved", False)
    assert (item.wanted, item.recount) == (3, True)
    assert Bonus.objects.get() == bonus
    assert Consent.objects.get().taken_out_at == LATER


def test_work_stays_where_only_the_consent_was_taken_back_and_may_be_taken_out_later() -> None:
    worker, study = make_worker(), make_study()
    work = make_work(worker, study, status="approved", approved_at=NOW, owed_at=NOW)
    take_back(worker, study, out=False)

    before = consenting.take_work_out(now=LATER)
    consenting.withdraw(worker=worker, study=study, takes_work_out=True, now=LATER + MINUTE)
    after = consenting.take_work_out(now=LATER + MINUTE)

    work.refresh_from_db()
    assert (before, after, work.kept_out) == (0, 1, True)


@pytest.mark.parametrize("status", ["opened", "saved", "submitted"])
def test_work_in_hand_is_handed_in_and_paid_before_it_is_taken_out(status: str) -> None:
    worker, study = make_worker(), make_study()
    work = make_work(worker, study, status=status, answer=None if status == "opened" else {})
    serve(work, status="leased" if status == "opened" else "answered")
    take_back(worker, study)

    early = consenting.take_work_out(now=LATER)
    decided = {
        "status": "approved",
        "submitted_at": NOW,
        "approved_at": LATER,
        "judged_at": LATER,
        "answer": {},
    }
    Assignment.objects.filter(pk=work.pk).update(**decided)
    unpaid = consenting.take_work_out(now=LATER)
    owe_bonuses(now=LATER)
    late = consenting.take_work_out(now=LATER)

    assert (early, unpaid, late) == (0, 0, 1)
    assert Consent.objects.get().taken_out_at == LATER


def test_work_that_was_agreed_to_anew_stays() -> None:
    worker, study = make_worker(), make_study()
    opened_before = make_work(worker, study, status="approved", approved_at=LATER, owed_at=LATER)
    take_back(worker, study)
    serve(opened_before, at=LATER + MINUTE)
    make_work(
        worker, study, status="approved", approved_at=LATER, owed_at=LATER, opened_at=LATER + 2 * MINUTE
    )

    assert consenting.take_work_out(now=LATER + 3 * MINUTE) == 0
    assert not Assignment.objects.filter(kept_out=True).exists()
    assert Consent.objects.get().taken_out_at is not None


def test_what_waits_keeps_nobody_else_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consenting, "SLICE", 1)
    first, second, study = make_worker(), make_worker(), make_study()
    make_work(first, study, status="submitted", answer={})
    make_work(second, study, status="rejected", rejected_at=NOW, answer={})
    take_back(first, study)
    take_back(second, study)

    assert consenting.take_work_out(now=LATER) == 1


def test_many_pieces_are_taken_out_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consenting, "PIECES", 2)
    worker, study = make_worker(), make_study()
    for _ in range(3):
        make_work(worker, study, status="approved", approved_at=NOW, owed_at=NOW)
    take_back(worker, study)

    assert [consenting.take_work_out(now=LATER) for _ in range(3)] == [2, 1, 0]
