"""The designers' workspace pages over HTTP."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.pictures.models import Original, Picture
from crowd.whoops.design.pages import workspace
from crowd.whoops.design.services import invitations
from crowd.whoops.models import Designer, Image
from hits.studies.models import Study
from tests.crowd.whoops.making_designers import (
    TEXTS,
    address,
    form_of,
    make_designer,
    make_project,
    png,
    png_file,
    send,
)
from tests.factories import NOW
from tests.pages import text_of

pytestmark = pytest.mark.django_db
HERE = "/design/"


def page(client: Client, designer: Designer, name: str = "", *, status: int = 200) -> str:
    response = client.get(address(designer, name))
    assert response.status_code == status
    return text_of(response)


def come_back(image: Image, reason: str = "Nobody saw the snow.") -> None:
    Image.objects.filter(pk=image.pk).update(state=Image.State.RETURNED)
    image.revisions.update(outcome="returned", reason=reason, ended_at=NOW)


def test_a_new_image_is_sent_and_shown(client: Client) -> None:
    designer = make_designer()

    sent = client.post(address(designer, "new/"), form_of(), follow=True)

    image = Image.objects.get()
    assert sent.redirect_chain == [(address(designer, f"{image.public_id}/?said=sent"), 302)]
    shown = text_of(sent)
    assert "“A kettle with a gas stove” became “A snowman with a gas stove”." in shown
    assert "With the control group" in shown
    assert f"/pictures/{image.picture.key}/" in shown
    picture = image.picture
    assert (picture.in_pool, picture.status) == (False, Picture.Status.FIT)
    assert Original.objects.get().sender == f"designer {designer.pk}"
    assert "A snowman with a gas stove" in page(client, designer)


def test_pages_are_kept_by_nobody_framed_by_nobody_and_tell_no_other_site_their_address(
    client: Client,
) -> None:
    response = client.get(address(make_designer()))

    assert response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response["Cache-Control"]
    policy = response["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response.cookies == {}


def test_a_faulty_form_keeps_what_was_typed_and_the_picture(client: Client) -> None:
    designer = make_designer()
    first = form_of(explanation="", weird_element="a KETTLE")

    refused = client.post(address(designer, "new/"), first)

    text = text_of(refused)
    assert refused.status_code == 422
    assert "This is the same as what would be normal." in text
    assert "This field is required." in text
    assert "a snowman on a gas stove, photograph" in text
    assert "This picture is kept." in text
    assert not Image.objects.exists()
    kept = refused.context["form"]["kept"].value()
    again = client.post(address(designer, "new/"), form_of(key=first["key"], picture=None, kept=kept))
    assert again.status_code == 302
    assert Image.objects.get().picture == Picture.objects.get()


def test_a_kept_picture_is_kept_for_its_designer_alone(client: Client) -> None:
    project = make_project()
    designer, other = make_designer(project), make_designer(project)
    refused = client.post(address(designer, "new/"), form_of(explanation=""))
    kept = refused.context["form"]["kept"].value()

    for bad in (kept, "x", ""):
        taken = client.post(address(other, "new/"), form_of(picture=None, kept=bad))
        assert taken.status_code == 422
        assert "Choose the picture." in text_of(taken)

    assert not Image.objects.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty."),
        (b"no picture at all", "This is none of PNG, JPEG and WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "PNG"),
        (png()[:60], "damaged"),
        (png() + b"<script>alert(1)</script>", ""),
    ],
)
def test_a_hostile_file_is_refused_beside_its_field_and_leaves_nothing(
    client: Client, content: bytes, words: str
) -> None:
    designer = make_designer()
    file = SimpleUploadedFile("evil.png", content, content_type="image/png")

    refused = client.post(address(designer, "new/"), form_of(picture=file))

    assert refused.status_code == 422
    (error,) = refused.context["form"].errors["picture"]
    assert words in error
    assert not Image.objects.exists()
    assert not Picture.objects.exists()


def test_a_coarse_text_is_refused_beside_its_field(client: Client) -> None:
    refused = client.post(address(make_designer(), "new/"), form_of(prompt="a shit snowman"))

    assert list(refused.context["form"].errors) == ["prompt"]
    assert not Image.objects.exists()


def test_a_double_click_and_the_back_button_send_once(client: Client) -> None:
    designer, key = make_designer(), str(uuid4())

    urls = {
        client.post(address(designer, "new/"), form_of(key=key, picture=png_file(number)))["Location"]
        for number in (5, 5, 6)
    }

    assert len(urls) == 1
    assert Image.objects.count() == 1


def test_an_image_is_sent_again_with_its_old_picture_or_a_new_one(client: Client) -> None:
    designer = make_designer()
    image = send(designer)
    come_back(image)
    url = address(designer, f"{image.public_id}/again/")
    assert "Nobody saw the snow." in page(client, designer, f"{image.public_id}/again/")

    sent = client.post(url, form_of(picture=None, revision="1", explanation="Snow melts at once."))
    stale = client.post(url, form_of(picture=None, revision="1", explanation="Another one."))

    assert sent.status_code == 302
    image.refresh_from_db()
    assert (image.state, image.revision, image.explanation) == ("control", 2, "Snow melts at once.")
    assert stale.status_code == 422
    assert "was sent again in another window" in text_of(stale)
    assert "Another one." in text_of(stale)
    history = page(client, designer, f"{image.public_id}/")
    assert "Nobody saw the snow." in history
    assert "Revision 2" in history


def test_withdrawing_is_asked_once_more(client: Client) -> None:
    designer = make_designer()
    image = send(designer)
    url = address(designer, f"{image.public_id}/withdraw/")

    assert "This cannot be undone." in text_of(client.get(url))
    image.refresh_from_db()
    assert image.state == "control"
    done = client.post(url, follow=True)

    image.refresh_from_db()
    assert image.state == "withdrawn"
    assert "Nobody is asked about it any more" in text_of(done)


def test_partners_are_added_changed_and_taken_away(client: Client) -> None:
    designer = make_designer()
    image = send(designer)
    normal, natural = (address(designer, f"{image.public_id}/{kind}/") for kind in ("normal", "natural"))

    made = client.post(normal, {"picture": png_file(), "prompt": "a kettle", "tool": "Painter 3"})
    lacking = client.post(natural, {"picture": png_file(), "credit": "", "licence": "CC BY 4.0"})
    kept = lacking.context["form"]["kept"].value()
    taken = client.post(natural, {"kept": kept, "credit": "A friend", "licence": "CC BY 4.0"})

    assert (made.status_code, lacking.status_code, taken.status_code) == (302, 422, 302)
    assert list(lacking.context["form"].errors) == ["credit"]
    photograph = image.partners.get(kind="natural").picture
    assert (photograph.credit, photograph.licence) == ("A friend", "CC BY 4.0")
    shown = page(client, designer, f"{image.public_id}/")
    assert "A friend, CC BY 4.0" in shown
    client.post(f"{normal}remove/")
    assert [row.kind for row in image.partners.all()] == ["natural"]
    assert client.get(address(designer, f"{image.public_id}/other/")).status_code == 404


def test_the_image_of_another_designer_is_not_there(client: Client) -> None:
    project = make_project()
    image = send(make_designer(project))
    come_back(image)
    other = make_designer(project)

    for name in ("", "again/", "withdraw/", "normal/"):
        url = address(other, f"{image.public_id}/{name}")
        assert client.get(url).status_code == 404
        if name:
            assert client.post(url, form_of(revision="1")).status_code == 404
    assert client.post(address(other, f"{image.public_id}/normal/remove/")).status_code == 404

    image.refresh_from_db()
    assert (image.state, image.revision) == ("returned", 1)
    assert "A snowman" not in page(client, other)


def test_links_that_are_over_or_unknown_say_so(client: Client) -> None:
    designer = make_designer()
    url = address(designer)
    invitations.renew_link(designer=designer, days=1, now=timezone.now())

    over, unknown = client.get(url), client.get(f"{HERE}nonsense/")

    assert (over.status_code, unknown.status_code) == (410, 403)
    assert "This link is no longer valid" in text_of(over)
    assert "This link cannot be read" in text_of(unknown)
    assert client.post(f"{url}new/", form_of()).status_code == 410
    designer.link_until = timezone.now() - timedelta(seconds=1)
    designer.save()
    assert client.get(address(designer)).status_code == 410
    assert not Image.objects.exists()


def test_who_is_shut_out_looks_and_sends_nothing(client: Client) -> None:
    designer = make_designer()
    image = send(designer)
    invitations.set_active(designer=designer, is_active=False)

    refused = client.post(address(designer, "new/"), form_of())

    assert refused.status_code == 422
    assert "You cannot send images at the moment." in text_of(refused)
    assert "cannot send any at the moment" in page(client, designer)
    assert Image.objects.get() == image


def test_one_designer_sends_so_much_within_an_hour(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    designer, other = make_designer(project), make_designer(project)
    monkeypatch.setattr(workspace, "MOST_SENT", 1)

    answers = [
        client.post(address(designer, "new/"), form_of(picture=picture))
        for picture in (png_file(), SimpleUploadedFile("bad.png", b"no picture"))
    ]

    assert [answer.status_code for answer in answers] == [302, 422]
    # The picture is not read either: drawing it again is the costly part.
    assert list(answers[1].context["form"].errors) == ["__all__"]
    assert "too much within an hour" in text_of(answers[1])
    assert client.post(address(other, "new/"), form_of()).status_code == 302
    assert Image.objects.count() == 2


def test_the_list_is_searched_filtered_and_shows_first_what_came_back(client: Client) -> None:
    designer = make_designer(make_project(guide="Cats only.\nPlease."))
    assert "Cats only." in page(client, designer)
    first = send(designer, texts={**TEXTS, "prompt": "an owl"})
    second = send(designer)
    come_back(first)

    shown = page(client, designer)

    assert shown.index("Image 1") < shown.index("Image 2")
    assert "Nobody saw the snow." in shown
    assert "Image 2" not in page(client, designer, "?q=owl")
    assert "Image 1" not in page(client, designer, "?q=2")
    assert "Image 1" not in page(client, designer, f"?state={second.state}")
    assert "None of your images fits." in page(client, designer, "?q=zebra")
    assert "Cats only." in page(client, designer, "guidelines/")


def test_the_list_and_an_image_cost_the_same_however_many_there_are(client: Client) -> None:
    designer = make_designer()
    image = send(designer)
    page(client, designer)

    def cost(name: str = "") -> int:
        with CaptureQueriesContext(connection) as caught:
            page(client, designer, name)
        return len(caught)

    few = cost(), cost(f"{image.public_id}/")
    for _ in range(8):
        send(designer)
    come_back(image)
    client.post(
        address(designer, f"{image.public_id}/again/"), form_of(revision="1", explanation="It melts.")
    )

    assert (cost(), cost(f"{image.public_id}/")) == few


def test_a_study_in_another_language_shows_no_error(client: Client) -> None:
    project = make_project()
    Study.objects.filter(pk=project.study_id).update(language="de", time_zone="Europe/Berlin")
    designer = make_designer(project)
    image = send(designer)

    for name in ("", "new/", "guidelines/", f"{image.public_id}/", f"{image.public_id}/normal/"):
        assert 'lang="de"' in page(client, designer, name)
