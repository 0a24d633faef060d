"""Annotators' submitted answers become annotations; those taken out of the data are dropped again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import LONGEST_TEXT, TEXTS
from crowd.whoops.annotate.queries.annotators import images_to_count, is_dropped
from crowd.whoops.annotate.services.text_filters import TextFilter, filters_of, flags_of, read_texts
from crowd.whoops.images.services.locks import lock_images
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.annotations import TAKEN_OUT
from hits.work.models.items import Item
from hits.work.services.answer_collection import Collect, collect_answers
from hits.work.services.answers_needed import want_answers
from hits.work.services.counting_answers import CountingAnswer, answers_that_count

State = Annotation.State
THERE = (State.COUNTED, State.HELD)


def take_annotations(*, now: datetime) -> int:
    """Count submitted answers in all projects, and return for how many images. Safe to repeat."""
    return collect_answers([ANNOTATIONS], now=now)


def count_annotations(*, owner: Project, rows: Sequence[Image], now: datetime) -> int:
    found = answers_that_count([image.annotation_item_id for image in rows if image.annotation_item_id])
    written = Annotation.objects.filter(image__in=rows).select_for_update(no_key=True).order_by("pk")
    there = {(row.image_id, row.worker_id): row for row in written}
    given = {
        (image.pk, one.worker_id): one
        for image in rows
        for one in found.get(image.annotation_item_id or 0, ())
    }
    filters = filters_of(owner)
    Annotation.objects.bulk_create(
        _read(key[0], one, filters) for key, one in given.items() if key not in there
    )
    _drop_and_restore(there, given)
    follow_annotations(rows, project=owner)
    return len(rows)


def follow_annotations(images: Sequence[Image], *, project: Project) -> None:
    """Recount annotations, and how many more are needed. The caller holds project, images and items."""
    rows = Annotation.objects.filter(image__in=images, state__in=THERE)
    counts = Counter(rows.values_list("image_id", flat=True))
    for image in images:
        image.annotated = counts[image.pk]
    Image.objects.bulk_update(images, ("annotated",))
    items = [image.annotation_item_id for image in images if image.annotation_item_id]
    want_answers(dict.fromkeys(items, project.annotations_wanted), refused=is_dropped())


def state_by_itself(flags: Sequence[str]) -> str:
    return State.HELD if flags else State.COUNTED


def _read(image_id: int, given: CountingAnswer, filters: Sequence[TextFilter]) -> Annotation:
    texts = {entry: str(given.raw.get(entry, ""))[:LONGEST_TEXT] for entry in TEXTS}
    verdicts = read_texts(texts, filters)
    flags = flags_of(verdicts)
    return Annotation(
        image_id=image_id,
        worker_id=given.worker_id,
        assignment_id=given.assignment_id or 0,
        flags=flags,
        filtered_by=verdicts,
        state=state_by_itself(flags),
        **texts,
    )


def _drop_and_restore(
    there: Mapping[tuple[int, int], Annotation], given: Mapping[tuple[int, int], CountingAnswer]
) -> None:
    """Drop rows whose answer no longer counts, and restore those whose does, as a person had decided them."""
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


ANNOTATIONS = Collect(
    tasks=[domain.ANNOTATE],
    owners=Project,
    rows=Image.objects.all(),
    item="annotation_item",
    ripe=images_to_count(),
    items=lambda keys: Item.objects.filter(whoops_annotation__in=keys).values_list("pk", flat=True),
    lock=lock_images,
    count=count_annotations,
)
