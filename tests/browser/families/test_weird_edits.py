"""Pages of edits, samples, own categories and two models by category, as researchers see them."""

import pytest
from django.utils import timezone

from crowd.whoops import domain
from crowd.whoops.judge.services.question_import import import_rows
from crowd.whoops.judge.services.verification_sample import draw_sample
from crowd.whoops.models import Category, Image
from crowd.whoops.review.services.image_edits import edit_explanation
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.whoops.making_images import TEXTS, make_image, make_project
from tests.crowd.whoops.making_results import Crowd, Kind, ask
from tests.factories import make_picture, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
NAMES = ("Physics rules", "Temporal discrepancy", "Unsuitable environment", "Size", "Color", "Safety")
MODELS = ("A pipeline with a language model", "One model end to end")


def make_images() -> list[Image]:
    """Twelve accepted images in six categories, with judged explanations of two models."""
    project = make_project(annotations_wanted=1)
    images = []
    for seed in range(12):
        picture = make_picture(content=png(seed=seed, size=(640, 480)), media_type="image/png")
        category = Category.objects.get(name=NAMES[seed * seed % 7 % 6])
        images.append(make_image(project, picture=picture, state=Image.State.ACCEPTED, category=category))
    crowd = Crowd(project, people=3, right=0.7, seed=4)
    for image in images:
        offers = ask(image, Kind.EXPLAIN, offers=[(name, None) for name in MODELS])
        crowd.vote((option, option.source == MODELS[0]) for option in offers)
    return images


def test_pages_look_right(visitor: Visitor, sites: Sites) -> None:
    image, by, now = make_images()[0], make_user(), timezone.now()
    text = "A fish has no legs, and a bicycle of 1885 is driven by pedals."
    seen = TEXTS["explanation"]
    edit_explanation(image=image, text=text, why="More specific.", seen=seen, by=by, now=now)
    admin = f"{sites.public}/admin/whoops"
    home = f"{admin}/project/{image.project_id}"
    enter(visitor.page, sites)

    visitor.visit("weird-by-category", f"{home}/statistics/by-category/")
    visitor.visit("weird-image-edited", f"{admin}/image/{image.pk}/change/")
    for verb in ("explanation", "category"):
        visitor.visit(f"weird-edit-{verb}", f"{admin}/image/{image.pk}/do/{verb}/")
    visitor.visit("weird-categories", f"{home}/categories/")
    visitor.visit("weird-categories-replace", f"{home}/categories/replace/")
    visitor.visit("weird-samples-none", f"{home}/judging/samples/")
    lines = "image,question,answer,source\n" + "".join(
        f"{number},What is in place {number}?,Thing {number},machine\n" for number in range(1, 10)
    )
    import_rows(project=image.project, kind=domain.VERIFY, text=lines, seed=1, waits=True, now=now)
    visitor.visit("weird-sample-draw", f"{home}/judging/samples/draw/?asked=yes&wanted=6&seed=1")
    draw_sample(project=image.project, wanted=6, seed=1, by=by, now=now)
    visitor.visit("weird-samples", f"{home}/judging/samples/")
    visitor.visit("weird-settings", f"{home}/settings/")

    assert visitor.problems == {}
