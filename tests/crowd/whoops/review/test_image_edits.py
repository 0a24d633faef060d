"""Edits of a designer's explanation and of an image's category: both texts, who and when."""

import pytest
from django.test import Client
from django.urls import reverse

from crowd.whoops.design.services.submissions import send_again as send_revision
from crowd.whoops.design.services.submissions import texts_of
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.models import Category, Image, ImageEdit
from crowd.whoops.models.judged_items import Option
from crowd.whoops.review.services.image_edits import edit_explanation, set_category
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import RESEARCHER, REVIEWER
from tests.crowd.whoops.making_images import TEXTS, make_image, make_project
from tests.crowd.whoops.making_questions import make_annotation
from tests.factories import NOW, make_picture, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
FIRST = TEXTS["explanation"]
BETTER = "Fish have no legs, and a bicycle of 1885 is driven by pedals."


def edit(image: Image, text: str = BETTER, *, seen: str = FIRST, by: User | None = None) -> None:
    edit_explanation(image=image, text=text, why="More specific.", seen=seen, by=by or make_user(), now=NOW)
    image.refresh_from_db()


def test_edited_explanation_is_data_and_the_designers_own_is_kept() -> None:
    image, by = make_image(make_project()), make_user()

    edit(image, by=by)

    assert (image.explanation, image.final_explanation) == (FIRST, BETTER)
    kept = ImageEdit.objects.get()
    assert (kept.before, kept.after, kept.why, kept.by, kept.at, kept.revision) == (
        FIRST, BETTER, "More specific.", by, NOW, 1,
    )  # fmt: skip
    assert image.revisions.get().texts["explanation"] == FIRST
    event = AuditEvent.objects.get(kind="image.explanation_edited")
    assert (event.by, event.study) == (by, image.project.study)


def test_designers_own_words_take_the_edit_back() -> None:
    image = make_image(make_project())
    edit(image)

    edit(image, FIRST, seen=BETTER)

    assert (image.edited_explanation, image.final_explanation) == ("", FIRST)
    assert [one.after for one in image.edits.all()] == [BETTER, FIRST]


@pytest.mark.parametrize(
    ("text", "seen", "code"),
    [
        ("", FIRST, "bad_text"),
        ("x" * 501, FIRST, "bad_text"),
        (BETTER, "Other", "changed"),
        (FIRST, FIRST, "same"),
    ],
)
def test_refused_edit_changes_nothing(text: str, seen: str, code: str) -> None:
    image = make_image(make_project())

    with pytest.raises(RuleBroken) as refusal:
        edit(image, text, seen=seen)

    image.refresh_from_db()
    assert refusal.value.code == code
    assert (image.edited_explanation, image.edits.count()) == ("", 0)


def test_image_sent_again_has_its_designers_new_explanation() -> None:
    image = make_image(make_project(), state=Image.State.RETURNED)
    edit(image)

    texts = {**texts_of(image), "explanation": "Fish live in water."}
    sent = send_revision(image=image, seen=1, picture=make_picture(), texts=texts, category=None, now=NOW)

    assert sent.final_explanation == "Fish live in water."
    assert sent.edits.count() == 1


def test_judges_get_the_edited_explanation() -> None:
    project = make_project(annotations_wanted=1)
    image = make_image(project, state=Image.State.ACCEPTED)
    make_annotation(image, "Fish cannot pedal.")
    make_explanations(project=project, incomplete=False, now=NOW)
    edit(image)

    make_explanations(project=project, incomplete=False, now=NOW)

    assert Option.objects.get(source="designer").text == BETTER


def test_category_is_set_from_the_studys_list() -> None:
    image, category = make_image(make_project()), Category.objects.get(name="Physics rules")
    foreign = Category.objects.create(name="Foreign", project=make_project())

    set_category(image=image, category=category, why="Water.", seen="", by=make_user(), now=NOW)
    with pytest.raises(RuleBroken):
        set_category(image=image, category=foreign, why="No.", seen=category.name, by=make_user(), now=NOW)

    image.refresh_from_db()
    assert image.category == category
    (kept,) = image.edits.all()
    assert (kept.what, kept.before, kept.after) == ("category", "", "Physics rules")


def test_researchers_edit_on_the_page_of_the_image(client: Client) -> None:
    image = make_image(make_project())
    by = sign_in(client, RESEARCHER, image.project.study)
    do = reverse("admin:whoops_image_do", args=[image.pk, "explanation"])
    assert FIRST in text_of(client.get(do))

    sent = {"text": BETTER, "why": "More specific.", "seen": FIRST, "confirmed": "yes"}
    page = text_of(client.post(do, sent, follow=True))
    again = client.post(do, {**sent, "text": "Mine."})

    assert "Image 1 has another explanation now." in page
    assert "As its designer wrote it" in page
    assert FIRST in page
    assert "Somebody has changed this just now." in text_of(again)
    assert ImageEdit.objects.get().by == by
    category = Category.objects.get(name="Size")
    do = reverse("admin:whoops_image_do", args=[image.pk, "category"])
    sent = {"category": str(category.pk), "why": "Large.", "seen": "", "confirmed": "yes"}
    assert "the category is “Size” now." in text_of(client.post(do, sent, follow=True))


def test_reviewers_edit_nothing(client: Client) -> None:
    image = make_image(make_project())
    sign_in(client, REVIEWER, image.project.study)

    for name in ("explanation", "category"):
        do = reverse("admin:whoops_image_do", args=[image.pk, name])
        assert client.post(do, {"text": BETTER, "why": "x", "seen": FIRST}).status_code == 403

    page = text_of(client.get(reverse("admin:whoops_image_change", args=[image.pk])))
    assert "Edit the explanation" not in page
    assert not ImageEdit.objects.exists()
