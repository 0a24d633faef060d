"""The staff's view of pictures that were uploaded for an item, and of their original files."""

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.pictures.files.single_uploads import read_upload
from crowd.pictures.models import Original, Picture
from crowd.pictures.services.item_pictures import upload_picture
from hits.core.models.audit_events import AuditEvent
from tests.crowd.pictures.hostile import with_metadata
from tests.crowd.pictures.images import make_raster, make_waiting, png
from tests.crowd.pictures.staff import sign_in_keeper
from tests.factories import NOW
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
LIST = reverse("admin:pictures_picture_changelist")


def send(data: bytes, *, concept: str = "weird image", name: str = "a.png") -> Picture:
    upload = read_upload(data, name=name)
    return upload_picture(upload=upload, concept=concept, by=None, sender="designer 12", now=NOW)


def page_of(picture: Picture) -> str:
    return reverse("admin:pictures_picture_change", args=[picture.pk])


def file_of(original: Original) -> str:
    return reverse("admin:pictures_original_file", args=[original.pk])


def test_list_counts_the_pool_and_names_the_others_beside_it(client: Client) -> None:
    make_waiting(2)
    send(png(seed=7))
    sign_in_keeper(client)

    page = " ".join(client.get(LIST).text.split())

    assert "2 pictures in the pool, 0 of them fit to be shown." in page
    assert "1 more belongs to items" in page


@pytest.mark.parametrize(
    ("query", "concepts"), [("pool", {"owl"}), ("item", {"weird image"}), ("", {"owl", "weird image"})]
)
def test_list_is_filtered_by_place(client: Client, query: str, concepts: set[str]) -> None:
    make_raster()
    send(png(seed=7))
    sign_in_keeper(client)

    answer = client.get(LIST, {"place": query} if query else {})

    assert {picture.concept for picture in answer.context["cl"].queryset} == concepts


def test_check_does_not_count_them(client: Client) -> None:
    make_waiting(1)
    send(png(seed=7))
    sign_in_keeper(client)

    answer = client.get(reverse("admin:pictures_check"))

    assert [answer.context[name] for name in ("total", "waiting", "checked")] == [1, 1, 0]


def test_picture_says_who_sent_it_and_offers_the_file_to_those_who_may(client: Client) -> None:
    picture = send(with_metadata("PNG"), name="<b>owl</b>.png")
    link = f'href="{file_of(Original.objects.get())}"'

    sign_in_keeper(client)
    without = text_of(client.get(page_of(picture)))
    sign_in_with(client, "view_picture", "view_original")
    page = text_of(client.get(page_of(picture)))

    assert [link in one for one in (without, page)] == [False, True]
    assert "needs a permission of its own" in without
    assert "&lt;b&gt;owl&lt;/b&gt;.png" in page
    assert "by designer 12, 21 Nov 2026, 12:00 UTC" in page
    assert "No image set is drawn from it" in page


def test_imported_picture_has_no_such_section(client: Client) -> None:
    picture = make_raster()
    sign_in_keeper(client)

    assert "As it was sent in" not in text_of(client.get(page_of(picture)))


def test_original_comes_as_a_file_and_is_on_record(client: Client) -> None:
    data = with_metadata("PNG")
    picture = send(data, name='x"; filename="evil.html')
    user = sign_in_with(client, "view_picture", "view_original")

    answer = client.get(file_of(Original.objects.get()))

    assert b"".join(answer) == data
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"]
    assert answer["Content-Disposition"] == f'attachment; filename="original-{Original.objects.get().pk}.bin"'
    event = AuditEvent.objects.get()
    assert (event.kind, event.by) == ("picture.original_downloaded", user)
    assert picture.key in event.words


@pytest.mark.parametrize("permission", ["view_picture", "view_original"])
def test_original_is_refused_without_both_permissions(client: Client, permission: str) -> None:
    send(png())
    sign_in_with(client, permission)

    assert client.get(file_of(Original.objects.get())).status_code == 403
    assert not AuditEvent.objects.exists()


def test_original_that_is_not_there_is_not_found(client: Client) -> None:
    send(png())
    original = Original.objects.get()
    default_storage.delete(str(original.file))
    sign_in_with(client, "view_picture", "view_original")

    assert client.get(file_of(original)).status_code == 404
    assert client.get(reverse("admin:pictures_original_file", args=[original.pk + 1])).status_code == 404
    assert not AuditEvent.objects.exists()


def test_page_asks_as_little_for_many_files(client: Client) -> None:
    picture = send(png())
    sign_in_keeper(client)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(page_of(picture))
        return len(queries)

    count()
    few = count()
    for number in range(5):
        Original.objects.create(picture=picture, sha256=str(number), file="x", bytes=1, sent_at=NOW)

    assert count() == few
