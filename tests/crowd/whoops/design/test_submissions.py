"""Services that the designers' pages call: send an image, send it again, withdraw it."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from crowd.pictures.models import Picture
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.design.services import submissions
from crowd.whoops.design.services.invitations import set_active
from crowd.whoops.images.services.locks import held_image
from crowd.whoops.images.services.own_categories import read_categories, replace_list
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.models import Image, Partner, Revision
from hits.core.errors import RuleBroken
from tests.crowd.whoops.making_annotations import make_training_images
from tests.crowd.whoops.making_designers import (
    OTHER,
    TEXTS,
    make_category,
    make_designer,
    make_fit_picture,
    make_project,
    send,
)
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
State = Image.State
LATER = NOW + timedelta(hours=1)


def move(image: Image, to: str, reason: str = "") -> None:
    changes = {"accepted_at": NOW} if to == State.ACCEPTED else {}
    with held_image(image) as held:
        move_image(held, to, by=make_user(), now=NOW, reason=reason, **changes)
    image.refresh_from_db()


def test_send_image_is_with_the_control_group_and_has_its_first_revision() -> None:
    image = send(make_designer())

    assert (image.state, image.number, image.revision, image.sent_at) == (State.CONTROL, 1, 1, NOW)
    assert submissions.texts_of(image) == TEXTS
    (revision,) = image.revisions.all()
    assert (revision.number, revision.picture, revision.outcome) == (1, image.picture, "")
    assert revision.texts == {**TEXTS, "category": "Physics"}


def test_send_image_numbers_count_up_in_their_project() -> None:
    project = make_project()
    first, second = make_designer(project), make_designer(project)

    numbers = [send(designer).number for designer in (first, second, first)]

    assert numbers == [1, 2, 3]
    assert send(make_designer()).number == 1


def test_send_image_twice_with_one_key_sends_once() -> None:
    designer, key, picture = make_designer(), uuid4(), make_fit_picture()

    first = send(designer, key=key, picture=picture)
    second = send(designer, key=key, picture=picture)

    assert first == second
    assert Image.objects.count() == Revision.objects.count() == 1


def test_send_image_refuses_the_key_of_another_designer() -> None:
    project, key = make_project(), uuid4()
    send(make_designer(project), key=key)

    with pytest.raises(RuleBroken) as refused:
        send(make_designer(project), key=key)

    assert (refused.value.code, Image.objects.count()) == ("key_used", 1)


def test_send_image_refuses_a_picture_that_was_sent_before_until_it_is_withdrawn() -> None:
    project = make_project()
    image = send(make_designer(project))
    other = make_designer(project)

    with pytest.raises(RuleBroken) as refused:
        send(other, picture=image.picture)

    assert (refused.value.code, Image.objects.count()) == ("picture_used", 1)
    submissions.withdraw(image=image, now=NOW)
    assert send(other, picture=image.picture).number == 2


def test_send_image_refuses_who_was_shut_out_and_a_picture_that_was_taken_away() -> None:
    designer, picture = make_designer(), make_fit_picture()
    set_active(designer=designer, is_active=False)
    with pytest.raises(RuleBroken) as shut_out:
        send(designer, picture=picture)
    set_active(designer=designer, is_active=True)
    Picture.objects.filter(pk=picture.pk).update(status=Picture.Status.UNFIT, unfit_reason="rights")

    with pytest.raises(RuleBroken) as away:
        send(designer, picture=picture)

    assert (shut_out.value.code, away.value.code) == ("not_active", "picture_away")
    assert not Image.objects.exists()


def test_send_again_makes_the_next_revision_and_keeps_the_first() -> None:
    image = send(make_designer())
    move(image, State.RETURNED, "Nobody saw it.")
    picture = make_fit_picture()

    sent = submissions.send_again(
        image=image, seen=1, picture=picture, texts=OTHER, category=make_category("Size"), now=LATER
    )

    assert (sent.state, sent.revision, sent.picture, sent.changed_at) == (State.CONTROL, 2, picture, LATER)
    rows = list(image.revisions.order_by("number").values_list("number", "outcome", "reason"))
    assert rows == [(1, "returned", "Nobody saw it."), (2, "", "")]
    assert image.revisions.get(number=1).texts["explanation"] == TEXTS["explanation"]
    assert image.revisions.get(number=2).texts == {**OTHER, "category": "Size"}


def test_send_again_twice_sends_once_and_a_stale_page_is_refused() -> None:
    image = send(make_designer())
    move(image, State.RETURNED)
    values: dict[str, Any] = {"seen": 1, "picture": image.picture, "category": image.category, "now": LATER}

    first = submissions.send_again(image=image, texts=OTHER, **values)
    second = submissions.send_again(image=image, texts=OTHER, **values)
    with pytest.raises(RuleBroken) as stale:
        submissions.send_again(image=image, texts=TEXTS, **values)

    assert first == second
    assert (stale.value.code, image.revisions.count()) == ("stale", 2)
    image.refresh_from_db()
    assert image.explanation == OTHER["explanation"]


@pytest.mark.parametrize("state", [State.CONTROL, State.REVIEW, State.ACCEPTED, State.REFUSED])
def test_send_again_refuses_what_did_not_come_back(state: str) -> None:
    image = send(make_designer())
    Image.objects.filter(pk=image.pk).update(state=state, accepted_at=NOW)

    with pytest.raises(RuleBroken) as refused:
        submissions.send_again(
            image=image, seen=1, picture=image.picture, texts=OTHER, category=None, now=LATER
        )

    image.refresh_from_db()
    assert (refused.value.code, image.state, image.revision) == ("not_returned", state, 1)


def test_send_again_asks_nobody_about_the_revision_before() -> None:
    image = send(make_designer())
    post_control(now=NOW)
    move(image, State.RETURNED)
    submissions.send_again(image=image, seen=1, picture=image.picture, texts=OTHER, category=None, now=LATER)
    post_control(now=LATER)

    first, second = image.revisions.select_related("control_item").order_by("number")

    assert first.control_item
    assert first.control_item.pulled_at
    assert second.control_item
    assert second.control_item.pulled_at is None


def test_withdraw_ends_the_revision_and_pulls_what_is_asked() -> None:
    image = send(make_designer())
    post_control(now=NOW)

    submissions.withdraw(image=image, now=LATER)
    submissions.withdraw(image=image, now=LATER + timedelta(hours=1))

    image.refresh_from_db()
    revision = image.revisions.select_related("control_item").get()
    assert (image.state, image.changed_at) == (State.WITHDRAWN, LATER)
    assert (revision.outcome, revision.ended_at) == ("withdrawn", LATER)
    assert revision.control_item
    assert revision.control_item.pulled_at == LATER


@pytest.mark.parametrize("state", [State.ACCEPTED, State.REFUSED])
def test_withdraw_refuses_what_is_decided(state: str) -> None:
    image = send(make_designer())
    Image.objects.filter(pk=image.pk).update(state=state, accepted_at=NOW)

    with pytest.raises(RuleBroken):
        submissions.withdraw(image=image, now=LATER)

    image.refresh_from_db()
    assert image.state == state


def test_set_partner_has_one_of_each_kind_and_is_fixed_once_accepted() -> None:
    image = send(make_designer())
    first, second, late = (make_fit_picture() for _ in range(3))
    kind = Partner.Kind.NORMAL
    submissions.set_partner(image=image, kind=kind, picture=first, texts=TEXTS, now=NOW)
    submissions.set_partner(image=image, kind=kind, picture=second, texts=TEXTS, now=NOW)
    move(image, State.REVIEW)
    move(image, State.ACCEPTED)

    with pytest.raises(RuleBroken):
        submissions.set_partner(image=image, kind=kind, picture=first, texts=TEXTS, now=NOW)
    with pytest.raises(RuleBroken):
        submissions.remove_partner(image=image, kind=kind)
    photograph = submissions.set_partner(
        image=image, kind=Partner.Kind.NATURAL, picture=late, texts={}, credit="my own", now=NOW
    )

    assert [row.picture for row in image.partners.order_by("kind")] == [late, second]
    photograph.picture.refresh_from_db()
    assert photograph.picture.credit == "my own"


def test_set_partner_refuses_a_weird_image() -> None:
    image = send(make_designer())

    with pytest.raises(RuleBroken):
        submissions.set_partner(
            image=image, kind=Partner.Kind.NORMAL, picture=image.picture, texts=TEXTS, now=NOW
        )

    assert not image.partners.exists()


def test_send_image_refuses_a_picture_of_the_annotators_test() -> None:
    designer = make_designer()
    (known,) = make_training_images(designer.project, 1)
    Picture.objects.filter(pk=known.picture_id).update(status=Picture.Status.FIT)

    with pytest.raises(RuleBroken, match="known here already"):
        send(designer, picture=known.picture)

    assert not Image.objects.exists()


# Categories.


def test_category_of_a_list_that_was_replaced_meanwhile_is_refused() -> None:
    designer = make_designer()
    image = send(designer)
    move(image, State.RETURNED, reason="No.")
    before = make_category()
    typed = read_categories("Our idea\nAnother one")
    replace_list(project=designer.project, typed=typed, by=make_user(), now=NOW)
    own = designer.project.categories.get(name="Our idea")
    again: dict[str, Any] = {
        "image": image,
        "seen": 1,
        "picture": make_fit_picture(),
        "texts": TEXTS,
        "now": LATER,
    }

    with pytest.raises(RuleBroken, match="Choose a category again"):
        send(designer, category=before)
    with pytest.raises(RuleBroken, match="Choose a category again"):
        submissions.send_again(**again, category=before)

    assert submissions.send_again(**again, category=own).category == own
    assert send(designer, category=own).category == own
