"""Designers' actions on their images: send, send again, add a partner, withdraw."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_states import lock_pictures
from crowd.whoops.images.queries.categories import categories_of
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.models import Category, Designer, Image, Partner, Project, Revision, TrainingImage
from hits.core.errors import RuleBroken

# Every text that is typed about an image.
TEXTS = ("prompt", "seed", "tool", "normal_element", "weird_element", "shared_element", "explanation")
PARTNER_TEXTS = ("prompt", "seed", "tool")
Texts = Mapping[str, str]
State = Image.State
OVER = (State.REFUSED, State.WITHDRAWN)
log = structlog.get_logger()


def send_image(
    *,
    designer: Designer,
    key: UUID,
    picture: Picture,
    texts: Texts,
    category: Category | None,
    now: datetime,
) -> Image:
    """Send an image, idempotent for each key. Raises RuleBroken, and then nothing is sent."""
    with transaction.atomic():
        _lock_picture(picture)
        project = Project.objects.select_for_update(no_key=True).get(pk=designer.project_id)
        if known := Image.objects.filter(public_id=key).first():
            return _own(known, designer)
        _refuse_inactive(designer)
        _refuse_used(picture, project=project)
        _refuse_gone(category, project=project)
        last = project.images.aggregate(last=Max("number"))["last"] or 0
        image = Image.objects.create(
            public_id=key,
            project=project,
            number=last + 1,
            designer=designer,
            picture=picture,
            category=category,
            sent_at=now,
            changed_at=now,
            **_texts(texts),
        )
        _write_revision(image, now=now)
    log.info("whoops.image_sent", image=str(image.public_id), number=image.number)
    return image


def send_again(
    *,
    image: Image,
    seen: int,
    picture: Picture,
    texts: Texts,
    category: Category | None,
    now: datetime,
) -> Image:
    """Send an image's next revision. `seen`: the revision that its designer had on the page.

    Sent twice, it is one revision. Raises RuleBroken, and then nothing is sent.
    """
    with transaction.atomic():
        _lock_picture(picture)
        held = _lock(image)
        if held.revision == seen + 1 and _is_same(held, picture=picture, texts=texts, category=category):
            return held
        if held.revision != seen:
            raise RuleBroken(
                "stale",
                _("This image was sent again in another window. Look at it as it is now before you go on."),
            )
        if held.state != State.RETURNED:
            raise RuleBroken("not_returned", _("Only an image that came back to you can be sent again."))
        _refuse_inactive(held.designer)
        _refuse_used(picture, project=held.project, but=held)
        _refuse_gone(category, project=held.project)
        changes: dict[str, Any] = {**_texts(texts), "picture": picture, "category": category}
        # An edit was about the explanation of the revision before; it stays on record.
        changes["edited_explanation"] = ""
        move_image(held, State.CONTROL, by=None, now=now, revision=seen + 1, **changes)
        _write_revision(held, now=now)
    log.info("whoops.image_sent_again", image=str(held.public_id), revision=held.revision)
    return held


def withdraw(*, image: Image, now: datetime) -> Image:
    """Withdraw an image for good; a second time changes nothing. Raises RuleBroken where it is too late."""
    with transaction.atomic():
        held = _lock(image)
        if held.state == State.WITHDRAWN:
            return held
        if State.WITHDRAWN not in Image.TRANSITIONS[State(held.state)]:
            raise RuleBroken(
                "decided",
                _("This image is decided on, so it cannot be withdrawn. Ask the person who invited you."),
            )
        # The reason that its designer was given stays readable.
        told = held.revisions.values_list("reason", flat=True).get(number=held.revision)
        move_image(held, State.WITHDRAWN, by=None, now=now, reason=told)
    log.info("whoops.image_withdrawn", image=str(held.public_id))
    return held


def set_partner(
    *,
    image: Image,
    kind: str,
    picture: Picture,
    texts: Texts,
    credit: str = "",
    licence: str = "",
    now: datetime,
    by_designer: bool = True,
) -> Partner:
    """Set the image's partner of this kind. It may replace another one until the image is accepted.

    `by_designer`: its designer does, who must be active. Credit and licence are the picture's own, and stay
    where they are known from before.
    """
    with transaction.atomic():
        _lock_picture(picture)
        held = _lock(image)
        if by_designer:
            _refuse_inactive(held.designer)
        known = held.partners.filter(kind=kind).first()
        _refuse_partner(held, known)
        if held.project.images.filter(picture=picture).exclude(state=State.WITHDRAWN).exists():
            raise RuleBroken("same_picture", _("This very picture is a weird image. Choose another one."))
        values = {name: texts.get(name, "") for name in PARTNER_TEXTS}
        partner, is_new = Partner.objects.update_or_create(
            image=held, kind=kind, defaults={**values, "picture": picture, "added_at": now}
        )
        uncredited = Picture.objects.filter(pk=picture.pk, in_pool=False, credit="", licence="")
        uncredited.update(credit=credit, licence=licence)
    log.info("whoops.partner_set", image=str(held.public_id), kind=kind, is_new=is_new)
    return partner


def remove_partner(*, image: Image, kind: str) -> bool:
    """Remove a partner; False if there was none. Raises RuleBroken once the image is accepted."""
    with transaction.atomic():
        held = _lock(image)
        known = held.partners.filter(kind=kind).first()
        if known is None:
            return False
        _refuse_partner(held, known)
        known.delete()
    return True


def may_change_partner(image: Image, *, has_one: bool) -> bool:
    """Whether a partner may be added or changed: a missing one may come late, but accepted ones are data."""
    return image.state not in OVER and not (has_one and image.state == State.ACCEPTED)


def texts_of(image: Image) -> dict[str, str]:
    return {name: getattr(image, name) for name in TEXTS}


def _refuse_partner(image: Image, known: Partner | None) -> None:
    if not may_change_partner(image, has_one=known is not None):
        raise RuleBroken(
            "partner_fixed",
            _("This image is decided on, and its pictures are part of the data now. Nothing was changed."),
        )


def _lock(image: Image) -> Image:
    """Lock the image after its project, and return it as it is now."""
    Project.objects.select_for_update(no_key=True).get(pk=image.project_id)
    rows = Image.objects.select_related("project", "designer", "category")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=image.pk)


def _lock_picture(picture: Picture) -> None:
    """Lock the picture. Raises RuleBroken if it was taken away since it was uploaded."""
    held = next(iter(lock_pictures([picture.pk])), None)
    if held is None or held.status != Picture.Status.FIT:
        raise RuleBroken("picture_away", _("This picture was taken away meanwhile. Choose another one."))


def _own(known: Image, designer: Designer) -> Image:
    if known.designer_id != designer.pk:
        raise RuleBroken("key_used", _("This page was used before. Open “New image” again."))
    return known


def _refuse_inactive(designer: Designer) -> None:
    if not Designer.objects.filter(pk=designer.pk, is_active=True).exists():
        raise RuleBroken(
            "not_active",
            _("You cannot send images at the moment. Ask the person who invited you."),
        )


def _refuse_used(picture: Picture, *, project: Project, but: Image | None = None) -> None:
    """Refuse a picture that is used already: it would be paid and asked about twice, whoever sends it."""
    used = project.images.filter(Q(picture=picture) | Q(partners__picture=picture))
    used = used.exclude(state=State.WITHDRAWN)
    used = used.exclude(pk=but.pk) if but else used
    in_test = TrainingImage.objects.filter(picture=picture, item__study=project.study_id)
    is_partner = but is not None and but.partners.filter(picture=picture).exists()
    if is_partner or used.exists() or in_test.exists():
        raise RuleBroken(
            "picture_used",
            _("This very picture is known here already, so it cannot be a new image. Choose another."),
        )


def _refuse_gone(category: Category | None, *, project: Project) -> None:
    """Refuse a category of a list that was replaced meanwhile. The caller holds the project."""
    if category is not None and not categories_of(project).filter(pk=category.pk).exists():
        raise RuleBroken(
            "no_category", _("The list of categories has changed meanwhile. Choose a category again.")
        )


def _texts(texts: Texts) -> dict[str, str]:
    return {name: texts.get(name, "") for name in TEXTS}


def _is_same(image: Image, *, picture: Picture, texts: Texts, category: Category | None) -> bool:
    same_row = (image.picture_id, image.category_id) == (picture.pk, category.pk if category else None)
    return same_row and texts_of(image) == _texts(texts)


def _write_revision(image: Image, *, now: datetime) -> None:
    Revision.objects.create(
        image=image,
        number=image.revision,
        picture=image.picture,
        texts={**texts_of(image), "category": image.category.name if image.category else ""},
        sent_at=now,
    )
