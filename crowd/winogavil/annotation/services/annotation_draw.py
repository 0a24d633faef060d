"""Drawing of selected associations to annotate: all, a number, or a percentage of them, by a seed.

The same seed over the same associations draws the same, and what was drawn before is never asked twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import models, transaction
from django.db.models import Count, Exists, F, OuterRef, QuerySet

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.models import Association, Place
from crowd.winogavil.queries import of_study, selected, threshold_of
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.answers_needed import new_item
from hits.work.services.locking import lock_items

AT_ONCE = 500
log = structlog.get_logger()


class Most(models.TextChoices):
    ALL = "all", "All of them"
    COUNT = "count", "A number of them"
    PER_CENT = "per_cent", "A percentage of them, rounded up"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What to draw; `number` is a count or a percentage, and is ignored where all are drawn."""

    kind: Kind
    most: Most = Most.ALL
    number: int = 0
    sizes: tuple[int, ...] = ()
    sources: tuple[str, ...] = (Association.Source.FILE, Association.Source.WORKER)
    seed: int = 1

    def as_json(self) -> dict[str, Any]:
        """The recipe as it is stored with the draw."""
        return {
            "most": str(self.most),
            "number": self.number,
            "sizes": list(self.sizes),
            "sources": [str(source) for source in self.sources],
            "seed": self.seed,
        }


@dataclass(frozen=True, kw_only=True)
class Question:
    """Subject of one annotation to be made."""

    association_id: int
    place_id: int | None
    name: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Result of a recipe over the current associations."""

    found: int
    chosen: int
    new: Sequence[Question]


def plan_draw(*, study: Study, recipe: Recipe) -> Plan:
    """Plan a draw; nothing is written."""
    questions = sorted(_questions(study, recipe), key=lambda one: domain.rank(one.name, seed=recipe.seed))
    chosen = questions[: _how_many(recipe, found=len(questions))]
    asked = _asked(study, recipe.kind)
    new = [one for one in chosen if (one.association_id, one.place_id) not in asked]
    return Plan(found=len(questions), chosen=len(chosen), new=new)


def draw_annotations(*, study: Study, recipe: Recipe, seen: int, by: User | None, now: datetime) -> Draw:
    """Draw questions that are new. Raises RuleBroken if there are none, or not as many as were `seen`."""
    with transaction.atomic():
        _lock_selected(study, recipe)
        plan = plan_draw(study=study, recipe=recipe)
        if len(plan.new) != seen:
            raise RuleBroken(
                "changed_meanwhile",
                f"These would be {len(plan.new)} new questions now, not {seen}. Look again, then draw.",
            )
        if not plan.new:
            raise RuleBroken("nothing_new", "Everything this recipe chooses was drawn before.")
        draw = Draw.objects.create(
            study=study,
            kind=recipe.kind,
            recipe=recipe.as_json(),
            found=plan.found,
            chosen=plan.chosen,
            added=len(plan.new),
            drawn_by=by,
            drawn_at=now,
        )
        for start in range(0, len(plan.new), AT_ONCE):
            _add(plan.new[start : start + AT_ONCE], draw=draw)
        words = f"{draw.added} questions of “{recipe.kind.label}” were drawn."
        audit_trail.note("annotations.drawn", words, by=by, now=now, study=study)
    log.info("annotations.drawn", study=str(study.public_id), kind=recipe.kind.value, count=draw.added)
    return draw


def untouched_of(draw: Draw) -> QuerySet[Annotation]:
    """Annotations of the draw that were never leased to a worker."""
    handed = Lease.objects.filter(item=OuterRef("item"))
    return Annotation.objects.filter(~Exists(handed), draw=draw)


def take_back(*, draw: Draw, seen: int, by: User, now: datetime) -> int:
    """Delete a draw's never leased annotations. Raises RuleBroken if they are not as many as were `seen`."""
    with transaction.atomic():
        lock_items(Item.objects.only("pk").filter(annotation__draw=draw), to_delete=True)
        untouched = list(untouched_of(draw).values_list("pk", "item_id"))
        if len(untouched) != seen:
            raise RuleBroken(
                "changed_meanwhile",
                f"By now {len(untouched)} are untouched, not {seen}. Nothing was taken back.",
            )
        for start in range(0, len(untouched), AT_ONCE):
            some = untouched[start : start + AT_ONCE]
            Annotation.objects.filter(pk__in=[pk for pk, _ in some]).delete()
            Item.objects.filter(pk__in=[item for _, item in some]).delete()
        Draw.objects.filter(pk=draw.pk).update(added=F("added") - len(untouched))
        words = f"{len(untouched)} questions of “{draw.get_kind_display()}” were taken back."
        audit_trail.note("annotations.taken_back", words, by=by, now=now, study=draw.study)
    return len(untouched)


def _questions(study: Study, recipe: Recipe) -> Iterator[Question]:
    """Yield questions about associations that can be shown; recordings only name their pictures."""
    found = of_study(study, sources=recipe.sources).filter(source__in=recipe.sources)
    found = selected(found, threshold=threshold_of(study))
    found = found.annotate(size=Count("places"), pictures=Count("places__picture")).filter(size=F("pictures"))
    if recipe.sizes:
        found = found.filter(size__in=recipe.sizes)
    if recipe.kind != Kind.TYPES:
        for pk, name in found.values_list("pk", "item__public_id"):
            yield Question(association_id=pk, place_id=None, name=str(name))
        return
    chosen = Place.objects.filter(chosen=True, association__in=found.values("pk"))
    rows = chosen.values_list("association_id", "pk", "association__item__public_id", "position")
    for association_id, place_id, name, position in rows.order_by():
        yield Question(association_id=association_id, place_id=place_id, name=f"{name}:{position}")


def _how_many(recipe: Recipe, *, found: int) -> int:
    if recipe.most == Most.ALL:
        return found
    if recipe.most == Most.COUNT:
        return recipe.number
    return domain.per_cent_of(found, per_cent=recipe.number)


def _asked(study: Study, kind: Kind) -> set[tuple[int, int | None]]:
    rows = Annotation.objects.filter(draw__study=study, kind=kind)
    return set(rows.values_list("association_id", "place_id"))


def _lock_selected(study: Study, recipe: Recipe) -> None:
    """Lock the selected associations' items: another draw waits, and so does pulling one of them."""
    rows = selected(of_study(study, sources=recipe.sources), threshold=threshold_of(study))
    lock_items(Item.objects.only("pk").filter(pk__in=rows.values("item")))


def _add(questions: Sequence[Question], *, draw: Draw) -> None:
    """Add questions to the draw; the author of an association is not asked about it."""
    associations = Association.objects.select_related("item").in_bulk(
        sorted({one.association_id for one in questions})
    )
    items = Item.objects.bulk_create(
        new_item(
            study=draw.study,
            task=Kind(draw.kind).task,
            author_id=associations[one.association_id].item.author_id,
            answers_needed=domain.ANNOTATORS_WANTED,
        )
        for one in questions
    )
    Annotation.objects.bulk_create(
        Annotation(
            item=item,
            draw=draw,
            kind=draw.kind,
            association_id=one.association_id,
            place_id=one.place_id,
        )
        for item, one in zip(items, questions, strict=True)
    )
