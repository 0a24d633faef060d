"""Weird images: what a control group sees in them, and what is written about them."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from crowd.whoops import domain
from crowd.whoops.annotate.services.posting_annotations import post_annotations
from crowd.whoops.control.services.comparison import decide_control_answer
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.models import Annotation, Image, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from tests.crowd.whoops.making_annotations import make_designer, make_image
from tests.factories import NOW
from tests.promise.families.given import Ask, Given, differing, wanting

WANTED, NEEDED = 3, 2


def ask_control(study: Study, author: Worker) -> None:
    make_any_image(study, author, state=Image.State.CONTROL, accepted_at=None)
    post_control(now=NOW)


def ask_annotations(study: Study, author: Worker) -> None:
    make_any_image(study, author)
    post_annotations(now=NOW)


ASKS: Mapping[str, Ask] = {domain.CONTROL: ask_control, domain.ANNOTATE: ask_annotations}


def make_any_image(study: Study, author: Worker, **changes: Any) -> Image:
    """Make an image. Every other one is designed by the author."""
    rules = {"annotations_wanted": WANTED, "control_wanted": WANTED, "control_needed": NEEDED}
    project, _ = Project.objects.get_or_create(study=study, defaults=rules)
    if project.images.count() % 2:
        own = project.designers.filter(worker=author).first()
        changes["designer"] = own or make_designer(project, worker=author)
    return make_image(project, **changes)


def compare(number: int, *, seen: bool, by: User, now: datetime) -> None:
    """Decide as staff whether a control answer describes what the designer meant."""
    undecided = list(ControlAnswer.objects.filter(seen=None).order_by("pk"))
    if undecided:
        decide_control_answer(
            control_answer=undecided[number % len(undecided)], seen=seen, note="", by=by, now=now
        )


def found() -> Iterator[str]:
    yield from ("a control answer" for _ in ControlAnswer.objects.all()[:1])
    yield from ("a text" for _ in Annotation.objects.all()[:1])


def disagreements(given: Given) -> Iterator[str]:
    for row in Revision.objects.filter(control_item__isnull=False).order_by("pk"):
        yield from _control_answers(row, given)
    for image in Image.objects.filter(annotation_item__isnull=False).order_by("pk"):
        yield from _texts(image, given)


def _control_answers(row: Revision, given: Given) -> Iterator[str]:
    """Each answer counts once while the image is with the control group; later ones need not count."""
    image, item = row.image, row.control_item
    assert item
    rows = list(ControlAnswer.objects.filter(image=image, revision=row.number))
    is_open = image.state == Image.State.CONTROL
    found = [(one.worker_id, one.assignment_id, one.text, one.saw_nothing) for one in rows]
    said = [
        (one.worker, one.work, one.raw["text"], one.raw["nothing"] == "yes")
        for one in given.get(item.pk, ())
        if one.worker != image.designer.worker_id
    ]
    yield from differing(f"control answers of {image.pk}", found, said, whole=is_open)
    if any(one.saw_nothing and one.seen is not False for one in rows):
        yield f"of image {image.pk} somebody saw nothing, and is said to have seen it"
    if image.state != _state(rows):
        yield f"image {image.pk} is {image.state}, and was seen as {[one.seen for one in rows]}"
    if is_open == bool(item.pulled_at):
        yield f"image {image.pk} is {image.state}, and was pulled at {item.pulled_at}"
    if is_open:
        yield from wanting(f"control of {image.pk}", item, needed=WANTED)


def _state(rows: list[ControlAnswer]) -> str:
    """The state by the answers: enough saw it, or those still missing can no longer be enough."""
    if sum(one.seen is True for one in rows) >= NEEDED:
        return "review"
    return "returned" if sum(one.seen is False for one in rows) > WANTED - NEEDED else "control"


def _texts(image: Image, given: Given) -> Iterator[str]:
    item = image.annotation_item
    assert item
    rows = Annotation.objects.filter(image=image).exclude(state=Annotation.State.DROPPED)
    found = [(one.worker_id, one.assignment_id, one.caption) for one in rows]
    said = [
        (one.worker, one.work, one.raw["caption"])
        for one in given.get(item.pk, ())
        if one.worker != image.designer.worker_id
    ]
    yield from differing(f"texts of {image.pk}", found, said, whole=len(said) <= WANTED)
    if image.annotated != len(found) or len(found) < min(WANTED, len(said)):
        yield f"image {image.pk} has {len(found)} of {len(said)} texts, and is said to have {image.annotated}"
    if image.annotated < WANTED:
        yield from wanting(f"texts of {image.pk}", item, needed=WANTED)
