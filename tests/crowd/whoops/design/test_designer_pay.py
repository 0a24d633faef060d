"""Bonuses for accepted images: owed once, or not yet and with the reason."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from crowd.whoops.design.queries.designers import designers_with_figures
from crowd.whoops.design.services import designer_pay
from crowd.whoops.design.services.invitations import change_designer
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.models import Designer, Image, Project
from hits.batches.services.budgets import grant_budget
from hits.core.models.audit_events import AuditEvent
from hits.ledger.models.bonuses import Bonus
from hits.providers.models.accounts import Account
from hits.studies.models import Study
from tests.crowd.whoops.making_designers import make_designer, make_project, send
from tests.factories import (
    NOW,
    approve,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_user,
    make_worker,
)

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


class Paid:
    """A paid designer who has done a HIT of the study."""

    def __init__(self, *, status: str = "approved", works: int = 1, **rules: Any) -> None:
        self.account: Account = make_account()
        self.project: Project = make_project(**rules)
        self.worker = make_worker(account=self.account)
        self.designer: Designer = make_designer(self.project, worker=self.worker, is_paid=True)
        self.batch = make_batch(
            study=self.project.study, account=self.account, task="whoops.design", status="open"
        )
        self.works = [self.work(status) for _ in range(works)]

    def work(self, status: str, **changes: Any) -> Any:
        values = {"hit": make_hit(batch=self.batch), "worker": self.worker, "status": status, **changes}
        return make_assignment(**values)


def accept(image: Image) -> Image:
    user = make_user()
    with held_image(image) as held:
        move_image(held, Image.State.REVIEW, by=user, now=NOW)
        move_image(held, Image.State.ACCEPTED, by=user, now=NOW, accepted_at=NOW)
    image.refresh_from_db()
    return image


def test_owe_image_owes_once_on_the_newest_approved_work() -> None:
    paid = Paid()
    newest = paid.work("approved", submitted_at=LATER)
    paid.work("rejected", submitted_at=LATER + timedelta(hours=1))
    image, user = accept(send(paid.designer)), make_user()

    first = designer_pay.owe_image(image=image, by=user, now=NOW)
    second = designer_pay.owe_image(image=image, by=user, now=LATER)

    (bonus,) = Bonus.objects.all()
    assert first == second == bonus
    assert (bonus.assignment, bonus.amount, bonus.status) == (newest, Decimal("6.00"), "owed")
    assert bonus.reason == "For your image 1, which was accepted."
    image.refresh_from_db()
    assert (image.bonus, image.unowed) == (bonus, "")
    assert AuditEvent.objects.filter(kind="bonus.owed_extra", bonus=bonus, by=user).count() == 1


def test_owe_image_owes_each_image_of_a_designer() -> None:
    paid = Paid(image_pay=Decimal("4.50"))
    user = make_user()

    for image in [accept(send(paid.designer)) for _ in range(3)]:
        designer_pay.owe_image(image=image, by=user, now=NOW)

    assert [bonus.amount for bonus in Bonus.objects.all()] == [Decimal("4.50")] * 3
    assert len({bonus.reason for bonus in Bonus.objects.all()}) == 3


def test_owe_image_owes_nothing_to_volunteers_or_for_what_is_not_accepted() -> None:
    paid = Paid()
    volunteer = accept(send(make_designer(paid.project)))
    sent = send(paid.designer)

    assert designer_pay.owe_image(image=volunteer, by=make_user(), now=NOW) is None
    assert designer_pay.owe_image(image=sent, by=make_user(), now=NOW) is None

    assert not Bonus.objects.exists()
    assert not Image.objects.exclude(unowed="").exists()


def test_owe_image_waits_until_work_is_approved_and_the_sweep_owes_it_then() -> None:
    paid = Paid(status="submitted")
    image = accept(send(paid.designer))

    assert designer_pay.owe_image(image=image, by=make_user(), now=NOW) is None
    assert designer_pay.owe_what_became_due(now=NOW) == 0
    image.refresh_from_db()
    assert (image.unowed, image.bonus) == (designer_pay.NO_WORK, None)
    (work,) = paid.works
    work.status = "approved"
    work.save()

    assert [designer_pay.owe_what_became_due(now=LATER) for _ in range(2)] == [1, 0]
    image.refresh_from_db()
    assert image.bonus
    assert image.bonus.assignment == work
    assert image.unowed == ""


def test_owe_image_leaves_those_who_are_paid_elsewhere_until_their_worker_is_named() -> None:
    paid = Paid()
    paid.designer.delete()
    designer = make_designer(paid.project, is_paid=True)
    image, user = accept(send(designer)), make_user()

    assert designer_pay.owe_image(image=image, by=user, now=NOW) is None
    assert not designer_pay.outstanding(paid.project).exists()
    change_designer(designer=designer, name="First", worker=paid.worker, is_paid=True)

    assert designer_pay.owe_outstanding(project=paid.project, by=user, now=LATER).owed == 1


def test_owe_image_beyond_the_budget_is_kept_and_can_be_tried_again() -> None:
    paid = Paid()
    Study.objects.filter(pk=paid.project.study_id).update(budget=Decimal(1))
    image, user = accept(send(paid.designer)), make_user()

    assert designer_pay.owe_image(image=image, by=user, now=NOW) is None
    image.refresh_from_db()
    assert "Raise the study's budget" in image.unowed
    assert not Bonus.objects.exists()
    poor = designer_pay.owe_outstanding(project=paid.project, by=user, now=NOW)
    assert (poor.owed, list(poor.reasons.values())) == (0, [1])

    Study.objects.filter(pk=paid.project.study_id).update(budget=Decimal(1000))
    grant_budget(study=Study.objects.get(pk=paid.project.study_id), by=None, now=NOW)
    rich = designer_pay.owe_outstanding(project=paid.project, by=user, now=LATER)

    assert (rich.owed, rich.reasons) == (1, {})
    assert not designer_pay.outstanding(paid.project).exists()


def test_figures_tell_what_was_sent_owed_and_paid() -> None:
    paid = Paid()
    other = make_designer(paid.project)
    images = [accept(send(paid.designer)) for _ in range(3)]
    send(paid.designer)
    accept(send(other))
    for image in images[:2]:
        designer_pay.owe_image(image=image, by=make_user(), now=NOW)
    first = Bonus.objects.earliest("pk")
    approve([first])
    Bonus.objects.filter(pk=first.pk).update(status=Bonus.Status.SENT)

    rows = {row: row for row in designers_with_figures(paid.project)}

    own = rows[paid.designer]
    assert (own.sent, own.accepted, own.unowed, own.owed, own.paid) == (4, 3, 1, Decimal(6), Decimal(6))  # type: ignore[attr-defined]
    assert (rows[other].sent, rows[other].accepted, rows[other].unowed) == (1, 1, 0)  # type: ignore[attr-defined]


def test_owe_image_within_a_transaction_that_goes_on_undoes_nothing_else() -> None:
    paid = Paid(works=0)
    image, user = send(paid.designer), make_user()

    with held_image(image) as held:
        move_image(held, Image.State.REVIEW, by=user, now=NOW)
        move_image(held, Image.State.ACCEPTED, by=user, now=NOW, accepted_at=NOW)
        designer_pay.owe_image(image=held, by=user, now=NOW)

    image.refresh_from_db()
    assert (image.state, image.unowed) == ("accepted", designer_pay.NO_WORK)
