"""A small study of each family, with pictures of pixels under licenses of both kinds."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from crowd.pictures.models import Picture
from crowd.plain.services.uploading import add_rows
from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.whoops.models import Category, Image
from crowd.winogavil.models import Place
from hits.studies.models import Study
from tests.crowd.pictures.images import png
from tests.crowd.plain.making import answer_each, ask, describe, open_batch
from tests.crowd.plain.making import make_project as make_plain
from tests.crowd.whoops.making_images import make_image
from tests.crowd.whoops.making_images import make_project as make_whoops
from tests.crowd.whoops.making_results import Kind, annotate, partner
from tests.crowd.whoops.making_results import ask as ask_about_image
from tests.crowd.winogavil.releases.data import make_final
from tests.crowd.winoground.making_scores import RIGHT, answer, make_example, make_voters
from tests.crowd.winoground.making_scores import make_project as make_winoground
from tests.crowd.winoventi.rows import make_pair
from tests.crowd.winoventi.rows import make_project as make_winoventi
from tests.factories import NOW, make_picture, make_study, make_user

OPEN, CLOSED = "CC BY 4.0", "All rights reserved"
_seeds = count(1)
PAGE = """\
title: Cats
picture: photo
choice: cat
ask: Is it a cat?
- yes = Yes
- no = No
"""


def make_photo(*, licence: str = OPEN) -> Picture:
    return make_picture(
        content=png(seed=next(_seeds), size=(24, 16)), media_type="image/png",
        licence=licence, credit="A museum", source="https://a.example/x",
    )  # fmt: skip


def make_game(study: Study, items: int) -> None:
    for number in range(items):
        one = make_final(study, cue=f"cue {number}", now=NOW)
        for place in Place.objects.filter(association=one):
            place.picture = make_photo(licence=CLOSED if place.position == 4 else OPEN)
            place.save()


def make_examples(study: Study, items: int) -> None:
    project = make_winoground(study=study)
    voters = make_voters(project, 10)
    for number in range(items):
        example = make_example(
            project,
            image_0=make_photo(),
            image_1=make_photo(licence=OPEN if number else CLOSED),
            tags=["noun"],
        )
        answer(example, RIGHT, voters)


def make_weird(study: Study, items: int) -> None:
    project, physics = make_whoops(study=study), Category.objects.get_or_create(name="Physics")[0]
    for number in range(items):
        image = make_image(
            project, state=Image.State.ACCEPTED, picture=make_photo(), category=physics,
            explanation=f"explained {number} times",
        )  # fmt: skip
        annotate(image, caption=f"caption {number} of it")
        normal = partner(image, "normal", prompt="a child on a bicycle", tool="A drawing machine")
        normal.picture = make_photo()
        normal.save()
        (right,) = ask_about_image(image, Kind.VERIFY, offers=(("machine", True),), text="What is it?")
        right.text = f"answer {number} to it"
        right.save()


def make_challenge(study: Study, items: int) -> None:
    project = make_winoventi(study=study)
    for number in range(items):
        make_pair(project, noun=f"noun{number}")


def make_questions(study: Study, items: int) -> None:
    project = make_plain(study)
    describe(project, PAGE)
    photos = [make_photo() for _ in range(items)]
    Picture.objects.update(status=Picture.Status.FIT)
    lines = "".join(f"{photo.sha256}\n" for photo in photos)
    add_rows(project=project, content=f"Photo\n{lines}".encode())
    ask(project)
    batch = open_batch(project)
    for _ in range(3):
        answer_each(batch, [{"cat": "yes"}] * items)


STUDIES: Mapping[str, Callable[[Study, int], None]] = {
    "winogavil": make_game,
    "winoground": make_examples,
    "winoventi": make_challenge,
    "whoops": make_weird,
    "plain": make_questions,
}
# Files of each family's main form, with the columns that have images and those that have labels.
MAIN: Mapping[str, str] = {
    "winogavil": "associations",
    "winoground": "examples",
    "winoventi": "challenge",
    "whoops": "images",
    "plain": "rows",
}


def make_of(family: str, *, items: int = 6) -> Study:
    study = make_study(name=f"Study of {items} in {family}")
    STUDIES[family](study, items)
    return study


def release_of(study: Study, family: str, **changes: Any) -> Release:
    values: dict[str, Any] = {
        "title": "Data", "version": "1.0", "licence": OPEN, "picture_licences": [OPEN],
        "by": make_user(), "now": NOW,
    }  # fmt: skip
    if family == "winogavil":
        values["sources"] = ["worker"]
    asked = release_states.make_release(study=study, family=family, **{**values, **changes})
    for _ in range(100):
        if release_states.write_releases(clock=lambda: NOW):
            break
    asked.refresh_from_db()
    return asked
