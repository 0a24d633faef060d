"""Factories of examples of caption matching, as authors write them; every argument has a default."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile

from crowd.pictures.models import Picture
from crowd.winoground.models import Example, Project, Tag
from crowd.winoground.services.example_writing import (
    KeptExample,
    SourcedPicture,
    WrittenExample,
    write_example,
)
from hits.admin.projects.project_page import open_project
from hits.identity.models.users import User
from tests.crowd.pictures.images import make_raster, png
from tests.factories import NOW, make_study, make_user

CAPTIONS = ("a red ball under a blue box", "a blue box under a red ball")
CREDITS = {"source": "own photo", "credit": "The lab", "licence": "CC BY 4.0"}


def make_project(**rules: Any) -> Project:
    return open_project(Project, study=make_study(), **rules)


def make_own_picture(*, seed: int) -> Picture:
    """A picture outside the pool."""
    picture = make_raster(seed=seed, concept="caption matching")
    Picture.objects.filter(pk=picture.pk).update(in_pool=False)
    picture.refresh_from_db()
    return picture


def written(*, seed: int = 0, tag: str = "Noun Phrase", **changes: Any) -> WrittenExample:
    """Everything that a whole example needs, unless `changes` leaves something out."""
    values: dict[str, Any] = {
        "caption_0": CAPTIONS[0],
        "caption_1": CAPTIONS[1],
        "swap": Example.Swap.OBJECT,
        "predicates": 1,
        "tags": [Tag.objects.get_or_create(name=tag)[0].pk],
    }
    if "shown" not in changes:
        pictures = [make_own_picture(seed=seed * 2 + place) for place in (0, 1)]
        values["shown"] = tuple(SourcedPicture(picture=picture, **CREDITS) for picture in pictures)
    return WrittenExample(**{**values, **changes})


def make_example(
    project: Project,
    *,
    by: User | None = None,
    words: WrittenExample | None = None,
    seed: int = 0,
    ready: bool = True,
    now: datetime = NOW,
    **changes: Any,
) -> Example:
    kept: KeptExample = write_example(
        project=project,
        by=by or make_user(),
        key=uuid4(),
        written=words or written(seed=seed, **changes),
        wants_ready=ready,
        now=now,
    )
    assert not (ready and kept.faults), kept.faults
    return kept.example


def upload(*, seed: int, name: str = "a.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, png(seed=seed), content_type="image/png")


def form_data(**changes: Any) -> dict[str, Any]:
    """Form that a browser sends for a whole example, with two pictures to upload."""
    tag, _ = Tag.objects.get_or_create(name="Noun Phrase")
    data: dict[str, Any] = {
        "key": str(uuid4()),
        "caption_0": CAPTIONS[0],
        "caption_1": CAPTIONS[1],
        "swap": "object",
        "predicates": "1",
        "tags": [tag.pk],
        "image_0": upload(seed=1),
        "image_1": upload(seed=2),
        "ready": "",
    }
    for place in (0, 1):
        data |= {f"{name}_{place}": words for name, words in CREDITS.items()}
    return {name: value for name, value in {**data, **changes}.items() if value is not None}
