"""What annotators handed in becomes annotations; what was taken out of the data is dropped again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

import structlog
from django.db.models import Q

from crowd.pictures.domain import words_of
from crowd.pictures.profanity import is_profane
from crowd.whoops import domain
from crowd.whoops.domain.annotating import LONGEST_TEXT, TEXTS
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.annotations import TAKEN_OUT
from crowd.whoops.queries.annotators import images_to_count, is_behind, is_dropped
from crowd.whoops.services.holding import AT_ONCE, held, lock_images
from hits.common.parts import in_parts
from hits.services.answers import Given, answers_that_count
from hits.services.locking import lock_items
from hits.services.wanting import want_answers
from hits.services.working import find_recounts, has_recounts, take_recounts

State = Annotation.State
THERE = (State.COUNTED, State.HELD)
log = structlog.get_logger()


def take_annotations(*, now: datetime) -> int:
    """Of all projects: how many images were counted, or counted anew. Safe to repeat."""
    projects = Project.objects.filter(is_behind() | Q(has_recounts([domain.ANNOTATE]))).order_by("pk")
    counted = in_parts(projects, lambda project: _recount(project) + _take_of(project))
    if counted:
        log.info("whoops.annotations_taken", count=counted)
    return counted


def next_recount(*, now: datetime) -> datetime | None:
    """At once where there is more to be recounted than one run takes."""
    return now if Project.objects.filter(has_recounts([domain.ANNOTATE])).exists() else None


def count_annotations(images: Sequence[Image], *, project: Project) -> None:
    """From the raw answers that count now, whatever was taken before. Project and images are held."""
    items = [image.annotation_item_id for image in images if image.annotation_item_id]
    lock_items(items)
    found = answers_that_count(items)
    rows = Annotation.objects.filter(image__in=images).select_for_update(no_key=True).order_by("pk")
    there = {(row.image_id, row.worker_id): row for row in rows}
    given = {
        (image.pk, one.worker_id): one
        for image in images
        for one in found.get(image.annotation_item_id or 0, ())
    }
    Annotation.objects.bulk_create(_read(key[0], one) for key, one in given.items() if key not in there)
    _drop_and_restore(there, given)
    follow_annotations(images, project=project)


def follow_annotations(images: Sequence[Image], *, project: Project) -> None:
    """How many are there, and how many are still wanted. Project, images and items are held."""
    rows = Annotation.objects.filter(image__in=images, state__in=THERE)
    counts = Counter(rows.values_list("image_id", flat=True))
    for image in images:
        image.annotated = counts[image.pk]
    Image.objects.bulk_update(images, ("annotated",))
    items = [image.annotation_item_id for image in images if image.annotation_item_id]
    want_answers(dict.fromkeys(items, project.annotations_wanted), refused=is_dropped())


def flags_of(texts: Mapping[str, str]) -> list[str]:
    """Coarse words, each once, as "caption: word": they may describe harm, or do it."""
    return list(
        dict.fromkeys(
            f"{entry}: {word}" for entry in TEXTS for word in words_of(texts[entry]) if is_profane(word)
        )
    )


def state_by_itself(flags: Sequence[str]) -> str:
    return State.HELD if flags else State.COUNTED


def _take_of(project: Project) -> int:
    done, last = 0, 0
    while True:
        with held(project.pk) as locked:
            images = lock_images(images_to_count(locked, after=last, most=AT_ONCE))
            if not images:
                return done
            count_annotations(images, project=locked)
        done, last = done + len(images), images[-1].pk


def _recount(project: Project) -> int:
    """Where an answer that was counted has been kept out or rejected since, or counts again."""
    with held(project.pk) as locked:
        items = find_recounts(tasks=[domain.ANNOTATE], most=AT_ONCE, study_id=locked.study_id)
        if not items:
            return 0
        keys = Image.objects.filter(annotation_item__in=items).values_list("pk", flat=True)
        images = lock_images(list(keys))
        take_recounts(items)
        count_annotations(images, project=locked)
    return len(images)


def _read(image_id: int, given: Given) -> Annotation:
    texts = {entry: str(given.raw.get(entry, ""))[:LONGEST_TEXT] for entry in TEXTS}
    flags = flags_of(texts)
    return Annotation(
        image_id=image_id,
        worker_id=given.worker_id,
        assignment_id=given.assignment_id or 0,
        flags=flags,
        state=state_by_itself(flags),
        **texts,
    )


def _drop_and_restore(
    there: Mapping[tuple[int, int], Annotation], given: Mapping[tuple[int, int], Given]
) -> None:
    """What a person has decided of a row stays, and is good again if its answer counts again."""
    changed = []
    for key, row in there.items():
        if key not in given and row.state != State.DROPPED:
            row.state, row.why = State.DROPPED, TAKEN_OUT
            changed.append(row)
        elif key in given and row.state == State.DROPPED and row.why == TAKEN_OUT:
            row.state = State.COUNTED if row.decided_by_id else state_by_itself(row.flags)
            row.why = ""
            changed.append(row)
    Annotation.objects.bulk_update(changed, ("state", "why"))
