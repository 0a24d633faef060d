"""The images of the annotators' test: added with good answers, edited, taken out and put back."""

from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image as Pixels

from crowd.whoops.annotate.admin.training_images import examples_card
from crowd.whoops.annotate.services.training_images import training_images
from crowd.whoops.models import TrainingImage
from hits.work.models.items import Item
from qualifications.models import Gate
from tests.crowd.whoops.making_annotations import (
    GOOD,
    Annotators,
    make_image,
    make_project,
    make_training_images,
)
from tests.pages import text_of
from tests.people import make_permitted, sign_in_with

pytestmark = pytest.mark.django_db
MAY = ("whoops.view_project", "whoops.change_project", "pictures.view_picture")


@pytest.fixture
def crowd() -> Annotators:
    return Annotators(images=0)


def url(crowd: Annotators, name: str, *more: object) -> str:
    return reverse(f"admin:whoops_{name}", args=[crowd.project.pk, *more])


def a_file(color: str = "teal") -> SimpleUploadedFile:
    drawn = BytesIO()
    Pixels.new("RGB", (320, 240), color).save(drawn, "PNG")
    return SimpleUploadedFile("kettle.png", drawn.getvalue(), "image/png")


def test_an_image_is_added_with_its_good_answers(crowd: Annotators, client: Client) -> None:
    user = sign_in_with(client, *MAY, studies=[crowd.project.study])

    response = client.post(url(crowd, "training_add"), {**GOOD, "picture": a_file()}, follow=True)

    row = TrainingImage.objects.get()
    assert {entry: getattr(row, entry) for entry in GOOD} == GOOD
    assert (row.item.study, row.item.task, row.item.batch) == (crowd.project.study, "whoops.examples", None)
    assert (row.picture.in_pool, row.picture.status) == (False, "fit")
    assert row.picture.originals.get().sent_by == user
    assert GOOD["explanation"] in text_of(response)


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_added(
    crowd: Annotators, client: Client
) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])

    def faults(**sent: object) -> dict[str, list[str]]:
        response = client.post(url(crowd, "training_add"), {**GOOD, **sent})
        return dict(response.context["forms"][0].errors)

    assert faults() == {"picture": ["Choose a picture."]}
    assert faults(caption="A kettle", picture=a_file()) == {
        "caption": ["This is very short. Say it in a whole sentence."],
        "picture": ["The picture was fine. Choose it again: a page cannot keep it for you."],
    }
    assert list(faults(picture=SimpleUploadedFile("x.png", b"<svg/>", "image/png"))) == ["picture"]
    assert not TrainingImage.objects.exists()
    assert not Item.objects.exists()


def test_a_picture_of_the_data_or_of_the_test_is_refused(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    client.post(url(crowd, "training_add"), {**GOOD, "picture": a_file()})
    row = TrainingImage.objects.get()

    again = client.post(url(crowd, "training_add"), {**GOOD, "picture": a_file()})
    assert again.context["forms"][0].errors["picture"] == [
        "This picture is in the test already. Choose another one."
    ]

    other = Annotators(images=0)
    make_image(other.project, picture=row.picture)
    client.force_login(make_permitted(*MAY, studies=[other.project.study]))
    known = client.post(url(other, "training_add"), {**GOOD, "picture": a_file()})
    assert known.context["forms"][0].errors["picture"] == [
        "This picture is part of the data, so the test must not show it. Choose another one."
    ]
    assert TrainingImage.objects.count() == 1


def test_good_answers_are_mended_and_its_picture_stays(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    row = make_training_images(crowd.project, 1)[0]
    page = url(crowd, "training_mend", row.pk)
    assert row.caption in text_of(client.get(page))

    refused = client.post(page, {**GOOD, "explanation": "Odd."})
    row.refresh_from_db()
    assert refused.context["forms"][0].errors
    assert row.explanation == GOOD["explanation"]

    client.post(page, {**GOOD, "explanation": "Cups are for drinks, and sand is none."})
    picture = row.picture
    row.refresh_from_db()
    assert (row.explanation, row.picture) == ("Cups are for drinks, and sand is none.", picture)


def test_an_image_is_taken_out_and_put_back_by_one_click_each(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    row = make_training_images(crowd.project, 1)[0]
    page = url(crowd, "training_ask", row.pk)

    assert "taken out" in text_of(client.post(page, {"ask": "no"}, follow=True))
    assert training_images(crowd.project).get().item.pulled_at
    assert client.get(page).status_code == 405

    client.post(page, {"ask": "yes"})
    assert training_images(crowd.project).get().item.pulled_at is None


def test_the_list_says_what_is_missing(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])

    assert "No images yet" in text_of(client.get(url(crowd, "training")))

    make_training_images(crowd.project, 3)
    page = text_of(client.get(url(crowd, "training")))
    assert "The test needs 5 images, and there are 3." in page
    assert "until you add 2" in page


def test_whoever_may_only_look_changes_nothing_and_others_see_nothing(
    crowd: Annotators, client: Client
) -> None:
    row = make_training_images(crowd.project, 1)[0]
    sign_in_with(client, "whoops.view_project", studies=[crowd.project.study])

    assert client.get(url(crowd, "training")).status_code == 200
    assert "Take the image out" not in text_of(client.get(url(crowd, "training")))
    assert client.get(url(crowd, "training_add")).status_code == 403
    assert client.post(url(crowd, "training_ask", row.pk), {"ask": "no"}).status_code == 403
    assert client.post(url(crowd, "training_mend", row.pk), GOOD).status_code == 403

    sign_in_with(client, *MAY, studies=[Annotators(images=0).project.study])
    assert client.get(url(crowd, "training")).status_code == 404
    assert client.post(url(crowd, "training_ask", row.pk), {"ask": "no"}).status_code == 404


def test_an_image_of_another_project_is_not_found(crowd: Annotators, client: Client) -> None:
    sign_in_with(client, *MAY, studies=[crowd.project.study])
    foreign = make_training_images(make_project(), 1)[0]

    assert client.get(url(crowd, "training_mend", foreign.pk)).status_code == 404
    assert client.post(url(crowd, "training_ask", foreign.pk), {"ask": "no"}).status_code == 404


def test_the_card_leads_through_images_and_gate(crowd: Annotators) -> None:
    user = make_permitted(*MAY, "qualifications.add_gate", studies=[crowd.project.study])
    make_training_images(crowd.project, 3)

    card = examples_card(crowd.project, user)
    assert card.problems == [
        "The test needs 5 images, and there are 3.",
        "No gate asks for this test yet, so anybody may annotate.",
    ]
    assert card.next == "Add 2 images to the test."
    assert [link.name for link in card.links] == ["Images of the test", "Set up its gate"]

    make_training_images(crowd.project, 2)
    Gate.objects.create(
        study=crowd.project.study, name="Five", test_task="whoops.examples", grading="person", items=5
    )
    card = examples_card(crowd.project, user)
    assert (card.problems, card.next) == ([], "")
    assert [(metric.name, metric.count, metric.of) for metric in card.metrics] == [
        ("Images in the test", 5, 5),
        ("Tests that a person has to grade", 0, None),
        ("Workers who may annotate", 0, None),
    ]
