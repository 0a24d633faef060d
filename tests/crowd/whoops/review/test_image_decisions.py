"""Decisions about an image: which ones its state allows, and what follows from each."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from crowd.whoops import domain
from crowd.whoops.control.domain.control_verdicts import MissedAnswer, Verdict, reason_of_return, verdict_of
from crowd.whoops.design.services.designer_pay import owe_image
from crowd.whoops.images.services.withdrawal import follow_images, follow_questions
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Question
from crowd.whoops.review.services import image_decisions
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.work.models.items import Item
from tests.crowd.whoops.making_images import (
    SAW_NOTHING,
    ControlGroup,
    make_designer,
    make_image,
    make_project,
    state,
)
from tests.factories import (
    NOW,
    make_assignment,
    make_batch,
    make_hit,
    make_user,
)

pytestmark = pytest.mark.django_db
Do = Callable[..., None]


@pytest.fixture
def ann() -> User:
    return make_user()


def end_of(image: Image) -> tuple[str, str, User | None]:
    revision = image.revisions.get(number=image.revision)
    return revision.outcome, revision.reason, revision.ended_by


@pytest.mark.parametrize(
    ("seen", "missed", "verdict"),
    [
        (0, 0, Verdict.OPEN),
        (1, 1, Verdict.OPEN),
        (2, 0, Verdict.PASSED),
        (2, 1, Verdict.PASSED),
        (0, 2, Verdict.FAILED),
        (1, 2, Verdict.FAILED),
    ],
)
def test_two_of_three_have_to_see_it(seen: int, missed: int, verdict: Verdict) -> None:
    assert verdict_of(seen=seen, missed=missed, wanted=3, needed=2) == verdict


def test_reason_of_return_fits_however_much_was_written() -> None:
    missed = [MissedAnswer(text="word " * 100, note="n" * 300)] * 9

    reason = reason_of_return(seen=0, missed=missed, needed=2)

    assert len(reason) == 1000
    assert reason.startswith("Of 9 people who looked, 0 saw what is weird; 2 are needed. The others saw:")


@pytest.mark.parametrize(
    ("do", "since", "to", "outcome"),
    [
        (image_decisions.accept_image, "review", "accepted", "accepted"),
        (image_decisions.return_image, "control", "returned", "returned"),
        (image_decisions.return_image, "review", "returned", "returned"),
        (image_decisions.refuse_image, "control", "refused", "refused"),
        (image_decisions.refuse_image, "review", "refused", "refused"),
        (image_decisions.refuse_image, "accepted", "refused", "refused"),
    ],
)
def test_person_decides_with_a_reason(do: Do, since: str, to: str, outcome: str, ann: User) -> None:
    image = make_image(make_project(), state=since)

    do(image=image, reason="  Because\nof this. ", by=ann, now=NOW)

    assert state(image) == to
    told = "" if to == "accepted" else "Because of this."
    assert end_of(image) == (outcome, told, ann)
    event = AuditEvent.objects.get(kind=f"image.{to}")
    assert (event.by, event.study) == (ann, image.project.study)
    assert event.words.endswith("Because of this.")


@pytest.mark.parametrize(
    ("do", "since"),
    [
        (image_decisions.accept_image, "control"),
        (image_decisions.accept_image, "accepted"),
        (image_decisions.return_image, "accepted"),
        (image_decisions.return_image, "returned"),
        (image_decisions.refuse_image, "withdrawn"),
        (image_decisions.refuse_image, "refused"),
        (image_decisions.reword_return, "review"),
        (image_decisions.reconsider_image, "review"),
        (image_decisions.reconsider_image, "withdrawn"),
    ],
)
def test_decision_that_does_not_fit_changes_nothing(do: Do, since: str, ann: User) -> None:
    image = make_image(make_project(), state=since)

    with pytest.raises(RuleBroken):
        do(image=image, reason="Because.", by=ann, now=NOW)

    assert state(image) == since
    assert not AuditEvent.objects.filter(kind__startswith="image.").exists()


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 1001])
def test_decision_without_a_fit_reason_changes_nothing(reason: str, ann: User) -> None:
    image = make_image(make_project(), state="review")

    with pytest.raises(RuleBroken):
        image_decisions.return_image(image=image, reason=reason, by=ann, now=NOW)

    assert state(image) == "review"


def test_accepted_image_is_owed_once_however_often_it_is_accepted(ann: User) -> None:
    group = ControlGroup(image_pay=Decimal("6.00"))
    worker = group.worker()
    make_assignment(hit=make_hit(batch=group.batch), worker=worker, status="approved", approved_at=NOW)
    designer = make_designer(group.project, worker=worker, is_paid=True)
    image = make_image(group.project, designer=designer, state="review")

    image_decisions.accept_image(image=image, reason="Good.", by=ann, now=NOW)
    image_decisions.refuse_image(image=image, reason="Not good.", by=ann, now=NOW)
    Image.objects.filter(pk=image.pk).update(state="review")
    image_decisions.accept_image(image=image, reason="Good after all.", by=ann, now=NOW)
    owe_image(image=image, by=ann, now=NOW)

    assert list(Bonus.objects.values_list("amount", "assignment__worker")) == [(Decimal("6.00"), worker.pk)]


def test_refused_image_takes_its_items_and_pictures_along_and_brings_them_back(ann: User) -> None:
    project = make_project()
    image = make_image(project, state="accepted")
    image.annotation_item = Item.objects.create(study=project.study, task=domain.ANNOTATE, wanted=5)
    image.save()
    asked = Item.objects.create(study=project.study, task=domain.IDENTIFY, wanted=3)
    question = Question.objects.create(
        project=project,
        kind=domain.IDENTIFY,
        key="1",
        image=image,
        picture=image.picture,
        item=asked,
        added_at=NOW,
    )
    follow_images([image.pk], now=NOW)
    follow_questions([question.pk], now=NOW)
    before = asked_items()

    image_decisions.refuse_image(image=image, reason="It hurts.", by=ann, now=NOW, with_pictures=True)

    image.picture.refresh_from_db()
    assert (before, asked_items()) == ([domain.ANNOTATE, domain.IDENTIFY], [])
    assert (state(image), image.picture.status) == ("refused", "removed")
    assert image.picture.removal_reason == "It hurts."


def test_refused_image_alone_keeps_its_picture(ann: User) -> None:
    image = make_image(make_project(), state="accepted")

    image_decisions.refuse_image(image=image, reason="Odd.", by=ann, now=NOW)

    image.picture.refresh_from_db()
    assert image.picture.status == "fit"


def test_return_by_hand_is_no_matter_of_the_control_group(ann: User) -> None:
    group = ControlGroup()
    image = group.post()
    group.look(SAW_NOTHING)
    image_decisions.return_image(image=image, reason="Too dark.", by=ann, now=NOW)

    group.sweep()

    assert state(image) == "returned"
    assert end_of(image) == ("returned", "Too dark.", ann)


def test_return_by_hand_is_taken_back_to_where_the_control_group_puts_it(ann: User) -> None:
    group = ControlGroup()
    image = group.post()
    image_decisions.return_image(image=image, reason="Too dark.", by=ann, now=NOW)

    image_decisions.reconsider_image(image=image, reason="Bright enough.", by=ann, now=NOW)

    assert state(image) == "control"
    assert end_of(image) == ("", "", None)
    assert asked_items() == [domain.CONTROL]


def test_return_by_the_control_group_cannot_be_overruled_but_reworded(ann: User) -> None:
    group = ControlGroup(control_wanted=1, control_needed=1)
    image = group.post()
    group.look(SAW_NOTHING)

    with pytest.raises(RuleBroken, match="neither refused nor returned by hand"):
        image_decisions.reconsider_image(image=image, reason="I see it.", by=ann, now=NOW)
    image_decisions.reword_return(image=image, reason="Make the fish larger.", by=ann, now=NOW)
    group.sweep()

    assert state(image) == "returned"
    assert end_of(image) == ("returned", "Make the fish larger.", None)


def test_refusal_is_taken_back(ann: User) -> None:
    image = make_image(make_project(control_wanted=1, control_needed=1), state="review")
    image.control_answers.create(
        revision=1,
        worker=(work := make_assignment(hit=make_hit(batch=make_batch(status="open")))).worker,
        assignment=work,
        text="A fish rides.",
        seen=True,
    )
    image_decisions.refuse_image(image=image, reason="No.", by=ann, now=NOW)

    image_decisions.reconsider_image(image=image, reason="Yes.", by=ann, now=NOW)

    assert state(image) == "review"
    assert end_of(image) == ("", "", None)


def asked_items() -> list[str]:
    rows = Item.objects.filter(pulled_at=None, wanted__gt=0).order_by("task")
    return list(rows.values_list("task", flat=True))
