"""Images as rows: read in chunks, under pseudonyms, so that memory stays flat."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from django.db.models import QuerySet

from crowd.pictures.models import Picture
from crowd.whoops.models import Annotation, Image, Partner, Project, Revision, Sighting
from crowd.whoops.queries.composition import accepted_images
from hits.datasets.columns import utc_text
from hits.exports import Naming

AT_ONCE = 200
Images = QuerySet[Image]
PICTURE = ("file", "sha256", "credit", "licence", "source")
MADE = ("prompt", "seed", "tool")


@dataclass(frozen=True, kw_only=True)
class Around:
    """What belongs to the images of one chunk, by their keys."""

    annotations: Mapping[int, Sequence[Annotation]]
    partners: Mapping[int, Mapping[str, Partner]]
    revisions: Mapping[int, Sequence[Revision]] = field(default_factory=dict)
    sightings: Mapping[int, Sequence[Sighting]] = field(default_factory=dict)


def exported_images(project: Project, *, everything: bool) -> Images:
    """Those of the data; or all that were ever sent."""
    return project.images.all() if everything else accepted_images(project)


def image_rows(images: Images, *, naming: Naming) -> Iterator[dict[str, Any]]:
    for some in in_chunks(images):
        around = _around(some)
        for image in some:
            yield _published(image, around, naming)


def full_rows(images: Images, *, naming: Naming) -> Iterator[dict[str, Any]]:
    for some in in_chunks(images):
        around = _around(some, in_full=True)
        for image in some:
            yield {**_published(image, around, naming), **_provenance(image, around, naming)}


def in_chunks(images: Images) -> Iterator[list[Image]]:
    """By number, and by no cursor that a slow reader would hold open."""
    related = images.select_related("project__study", "designer", "category", "picture").order_by("number")
    after = 0
    while some := list(related.filter(number__gt=after)[:AT_ONCE]):
        yield some
        after = some[-1].number


def _around(images: Sequence[Image], *, in_full: bool = False) -> Around:
    annotations: defaultdict[int, list[Annotation]] = defaultdict(list)
    counted = Annotation.objects.filter(image__in=images, state=Annotation.State.COUNTED)
    related = counted.select_related("worker", "assignment").defer("worker__external_id")
    for annotation in related.order_by("pk"):
        annotations[annotation.image_id].append(annotation)
    partners: defaultdict[int, dict[str, Partner]] = defaultdict(dict)
    for partner in Partner.objects.filter(image__in=images).select_related("picture"):
        partners[partner.image_id][partner.kind] = partner
    if not in_full:
        return Around(annotations=annotations, partners=partners)
    revisions: defaultdict[int, list[Revision]] = defaultdict(list)
    for revision in Revision.objects.filter(image__in=images).order_by("number"):
        revisions[revision.image_id].append(revision)
    sightings: defaultdict[int, list[Sighting]] = defaultdict(list)
    seen = Sighting.objects.filter(image__in=images).select_related("worker").defer("worker__external_id")
    for sighting in seen.order_by("revision", "pk"):
        sightings[sighting.image_id].append(sighting)
    return Around(annotations=annotations, partners=partners, revisions=revisions, sightings=sightings)


def _published(image: Image, around: Around, naming: Naming) -> dict[str, Any]:
    annotations = around.annotations.get(image.pk, ())
    partners = around.partners.get(image.pk, {})
    normal, natural = (partners.get(kind) for kind in (Partner.Kind.NORMAL, Partner.Kind.NATURAL))
    return {
        "image": str(image.public_id),
        "number": image.number,
        "category": str(image.category or ""),
        **_picture("weird", image.picture),
        **{name: getattr(image, name) for name in MADE},
        "normal_pair": image.normal_pair,
        "weird_pair": image.weird_pair,
        "designer": naming.person(image.designer.public_id),
        "designer_explanation": image.explanation,
        "captions": [one.caption for one in annotations],
        "explanations": [one.explanation for one in annotations],
        "underspecified_captions": [one.underspecified for one in annotations],
        **_picture("normal", normal.picture if normal else None),
        **{f"normal_{name}": getattr(normal, name) if normal else "" for name in MADE},
        **_picture("natural", natural.picture if natural else None),
    }


def _picture(kind: str, picture: Picture | None) -> dict[str, Any]:
    if picture is None:
        return {f"{kind}_{name}": "" for name in PICTURE}
    name = PurePosixPath(picture.file.name or "").name
    said = (name, picture.sha256, picture.credit, picture.licence, picture.source)
    return {f"{kind}_{name}": value for name, value in zip(PICTURE, said, strict=True)}


def _provenance(image: Image, around: Around, naming: Naming) -> dict[str, Any]:
    return {
        "study": str(image.project.study.public_id),
        "state": image.state,
        "sent_at": utc_text(image.sent_at),
        "accepted_at": utc_text(image.accepted_at),
        **{name: getattr(image, name) for name in ("normal_element", "weird_element", "shared_element")},
        "revisions": [
            {
                "number": one.number,
                "sent_at": utc_text(one.sent_at),
                "outcome": one.outcome,
                "reason": one.reason,
            }
            for one in around.revisions.get(image.pk, ())
        ],
        "control_group": [
            {
                "revision": one.revision,
                "by": naming.person(one.worker.public_id),
                "text": one.text,
                "seen": one.seen,
            }
            for one in around.sightings.get(image.pk, ())
        ],
        "annotations": [
            {
                "annotation": one.pk,
                "by": naming.person(one.worker.public_id),
                "at": utc_text(one.assignment.submitted_at),
            }
            for one in around.annotations.get(image.pk, ())
        ],
    }
