"""Concurrent decisions: an image is posted, compared, reviewed, accepted and owed once, without deadlock."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from crowd.pictures.services.removing_pictures import remove_pictures, restore_pictures
from crowd.whoops import domain
from crowd.whoops.control.services.comparison import claim_control_answer, decide_control_answer
from crowd.whoops.control.services.control_answers import take_control_answers
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.models import Designer, Image
from crowd.whoops.models.control_and_review import ControlAnswer, Review
from crowd.whoops.review.services import image_decisions
from crowd.whoops.review.services.harm_review import give_review
from hits.ledger.models.bonuses import Bonus
from hits.work.models.items import Item
from hits.work.services.leasing import keep_out
from tests.crowd.whoops.making_images import ControlGroup, make_designer, make_image, send_again, state
from tests.crowd.whoops.making_questions import bring_in
from tests.factories import NOW, make_assignment, make_hit, make_picture, make_user
from tests.races import all_at_once, meet

pytestmark = [pytest.mark.needs_postgres, pytest.mark.django_db(transaction=True)]


def test_sweeps_at_once_post_and_take_once() -> None:
    group = ControlGroup()
    for _ in range(3):
        make_image(group.project)

    all_at_once(*[lambda: post_control(now=NOW)] * 3)
    for _ in range(2):
        group.look()
    ControlAnswer.objects.all().delete()
    all_at_once(*[lambda: take_control_answers(now=NOW)] * 3)

    assert Item.objects.filter(task=domain.CONTROL).count() == 3
    assert ControlAnswer.objects.count() == 2


def test_reviewers_at_once_accept_and_owe_once() -> None:
    group = ControlGroup(image_pay=Decimal("6.00"))
    worker = group.worker()
    make_assignment(hit=make_hit(batch=group.batch), worker=worker, status="approved", approved_at=NOW)
    designer = make_designer(group.project, worker=worker, is_paid=True)
    image = make_image(group.project, designer=designer, state="review")

    def review() -> Callable[[], Any]:
        by = make_user()
        return lambda: give_review(image=image, revision=1, is_harmful=False, note="", by=by, now=NOW)

    given = all_at_once(*(review() for _ in range(6)))

    assert sorted(map(str, given)) == ["accepted", "moved_on", "moved_on", "review", "review", "review"]
    assert state(image) == "accepted"
    assert (Review.objects.count(), Bonus.objects.count()) == (4, 1)


def test_people_at_once_compare_each_answer_once() -> None:
    group = ControlGroup(control_wanted=4, control_needed=4)
    image = group.post()
    for _ in range(4):
        group.look()

    def compare() -> Callable[[], Any]:
        by = make_user()

        def done() -> int:
            control_answer = claim_control_answer(project=group.project, by=by, now=NOW)
            assert control_answer
            decide_control_answer(control_answer=control_answer, seen=True, note="", by=by, now=NOW)
            return control_answer.pk

        return done

    decided = all_at_once(*(compare() for _ in range(4)))

    assert sorted(decided) == sorted(ControlAnswer.objects.values_list("pk", flat=True))
    assert state(image) == "review"


def test_decisions_and_the_pool_at_once_come_to_an_end() -> None:
    """Lock order: pictures before projects, images and items, whichever process begins."""
    group, by = ControlGroup(), make_user()
    images = [group.post() for _ in range(3)]

    def refuse(image: Image) -> Callable[[], Any]:
        return lambda: image_decisions.refuse_image(
            image=image, reason="No.", by=by, now=NOW, with_pictures=True
        )

    def toggle(image: Image) -> None:
        for _ in range(5):
            remove_pictures(pictures=[image.picture], reason="Odd.", by=by, now=NOW)
            restore_pictures(pictures=[image.picture], reason="Fine.", by=by, now=NOW)

    works: list[Callable[[], Any]] = [refuse(image) for image in images]
    works += [lambda image=image: toggle(image) for image in images]  # type: ignore[misc]
    all_at_once(*works, lambda: post_control(now=NOW), lambda: take_control_answers(now=NOW))

    assert [state(image) for image in images] == ["refused"] * 3
    assert not Item.objects.filter(pulled_at=None).exists()


def test_an_image_is_accepted_while_its_earlier_picture_goes_away() -> None:
    """Both sides stop asking about the earlier picture."""
    group, by = ControlGroup(), make_user()
    image = group.post()
    earlier = image.picture
    Image.objects.filter(pk=image.pk).update(state=Image.State.ACCEPTED, accepted_at=NOW)
    bring_in(
        group.project, domain.VERIFY, f"image,question,answer,source\n{image.number},What?,A candle,machine\n"
    )
    send_again(image)
    Image.objects.filter(pk=image.pk).update(state=Image.State.REVIEW, picture=make_picture())

    meet(
        lambda: image_decisions.accept_image(image=image, reason="Fine.", by=by, now=NOW),
        lambda: remove_pictures(pictures=[earlier], reason="Odd.", by=by, now=NOW),
    )

    assert state(image) == "accepted"
    assert not Item.objects.filter(pulled_at=None).exists()


def test_an_image_is_accepted_while_the_work_that_it_is_paid_on_is_taken_out() -> None:
    """A worker who has looked at an image may turn out to be its designer."""
    group, by = ControlGroup(image_pay=Decimal("6.00")), make_user()
    image = group.post()
    work = group.look()
    work.status, work.approved_at = "approved", NOW
    work.save()
    Designer.objects.filter(pk=image.designer_id).update(worker=work.worker, is_paid=True)
    Image.objects.filter(pk=image.pk).update(state=Image.State.REVIEW)

    meet(
        lambda: image_decisions.accept_image(image=image, reason="Fine.", by=by, now=NOW),
        lambda: keep_out(work, now=NOW),
    )

    assert (state(image), Bonus.objects.get().assignment) == ("accepted", work)
    assert Item.objects.get(task=domain.CONTROL).recount
