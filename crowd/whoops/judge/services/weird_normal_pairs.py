"""Weird or normal: people judge images that are drawn by lot, and their normal partners."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from crowd.pictures.models import Picture
from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.judge.domain.seeded_draw import draw
from crowd.whoops.judge.services.posting_questions import post_questions
from crowd.whoops.models import Image, Partner, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import RuleBroken
from hits.work.services.locking import held

Kind = Question.Kind
Variant = Question.Variant


@dataclass(frozen=True, kw_only=True)
class PlannedPairs:
    """The pairs that a click would make, a weird image and its partner each, and those that exist."""

    images: Sequence[Image]
    there: int
    # Accepted images without a normal partner, which cannot be drawn.
    lacking: int
    # Images that could be drawn, and are not.
    left: int


def undrawn(project: Project) -> QuerySet[Image]:
    """Accepted and shown images with a normal partner that were never drawn."""
    return _accepted(project).filter(Exists(_partners()), ~Exists(_asked()))


def unpaired(project: Project) -> QuerySet[Image]:
    return _accepted(project).filter(~Exists(_partners()), ~Exists(_asked()))


def draw_pairs(*, project: Project, wanted: int, seed: int) -> PlannedPairs:
    """Draw images until `wanted` pairs exist, those that do included. The same seed draws the same ones."""
    there = _accepted(project).filter(Exists(_asked().filter(withdrawn_at=None))).count()
    free = {str(image.number): image for image in undrawn(project).defer("prompt")}
    drawn = draw(free, seed=seed)[: max(0, wanted - there)]
    return PlannedPairs(
        images=[free[number] for number in drawn],
        there=there,
        lacking=unpaired(project).count(),
        left=len(free) - len(drawn),
    )


def make_pairs(*, project: Project, wanted: int, seed: int, now: datetime) -> int:
    """Draw and ask pairs, and return how many are new. Raises RuleBroken if none can be drawn."""
    with held(project) as locked:
        drawn = draw_pairs(project=locked, wanted=wanted, seed=seed)
        if not drawn.images:
            raise RuleBroken("nothing_drawn", "There is no further image to draw, or all you want are there.")
        questions = Question.objects.bulk_create(
            _questions(locked, drawn.images, now=now), batch_size=AT_ONCE
        )
        Option.objects.bulk_create(
            (Option(question=one, number=1, label=one.variant == Variant.WEIRD) for one in questions),
            batch_size=AT_ONCE,
        )
        post_questions(project=locked, questions=questions, now=now)
    return len(drawn.images)


def _accepted(project: Project) -> QuerySet[Image]:
    return project.images.filter(state=Image.State.ACCEPTED, picture__status=Picture.Status.FIT)


def _asked() -> QuerySet[Question]:
    return Question.objects.filter(kind=Kind.IDENTIFY, image=OuterRef("pk"))


def _partners() -> QuerySet[Partner]:
    fit = Partner.objects.filter(kind=Partner.Kind.NORMAL, picture__status=Picture.Status.FIT)
    return fit.filter(image=OuterRef("pk"))


def _questions(project: Project, images: Sequence[Image], *, now: datetime) -> Iterable[Question]:
    normal = Partner.objects.filter(image__in=images, kind=Partner.Kind.NORMAL)
    partners = dict(normal.values_list("image", "picture"))
    for image in images:
        for variant, picture in ((Variant.WEIRD, image.picture_id), (Variant.NORMAL, partners[image.pk])):
            yield Question(
                project=project,
                kind=Kind.IDENTIFY,
                key=f"{image.number}-{variant}",
                image=image,
                variant=variant,
                picture_id=picture,
                added_at=now,
            )
