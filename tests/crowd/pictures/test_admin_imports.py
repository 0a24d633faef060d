import csv
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.pictures.admin import imports
from crowd.pictures.models import Import, Picture, Request
from crowd.pictures.services import preparation
from crowd.pictures.services.picture_requests import fulfil_requests
from crowd.pictures.services.preparation import read_pictures
from crowd.winogavil.models import Game
from hits.identity.roles import RESEARCHER
from tests.crowd.pictures.images import archive, kept_files, png, svg
from tests.crowd.pictures.staff import sign_in_keeper
from tests.crowd.pictures.test_preparing import FakeReader
from tests.factories import NOW, make_study
from tests.pages import text_of
from tests.people import sign_in, sign_in_with

pytestmark = pytest.mark.django_db
ADD = reverse("admin:pictures_import_add")
ARCHIVE = archive({"owl/1.png": png(), "cat/1.svg": svg("<script/>")})


@pytest.fixture(autouse=True)
def no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages say the same on a machine that reads letters and on one that does not."""
    monkeypatch.setattr(preparation, "installed_reader", lambda: None)


def upload(client: Client, content: bytes, *, name: str = "owls.zip", **changes: Any) -> Any:
    """Upload a file, to be looked at first unless a change says otherwise."""
    file = SimpleUploadedFile(name, content)
    given = {"file": file, "concept_from": "folder", "look": "yes", **changes}
    if not given["look"]:
        del given["look"]
    return client.post(ADD, given)


def act(name: str, row: Import) -> str:
    return reverse(f"admin:pictures_import_{name}", args=[row.pk])


def plain(answer: Any) -> str:
    return " ".join(answer.text.split())


def test_upload_is_shown_before_anything_comes_in(client: Client) -> None:
    user = sign_in_keeper(client)

    answer = upload(client, ARCHIVE, licence="CC0", source="A book")

    row = Import.objects.get()
    page = plain(client.get(answer["Location"]))
    assert answer["Location"] == act("change", row)
    assert "A picture without a license is shown to workers, and left out" in text_of(client.get(ADD))
    assert (row.name, row.made_by, row.begun_at) == ("owls.zip", user, None)
    assert "<strong>2 pictures</strong> would be imported. They wait for the manual check." in page
    assert "cat/1.svg" in page
    assert "A book" in page
    assert fulfil_requests(now=NOW) == 0
    assert Picture.objects.count() == 0


def test_pictures_chosen_together_come_in_at_once_and_the_study_worked_on_goes_on(client: Client) -> None:
    study = make_study()
    Game.objects.create(study=study)
    sign_in(client, RESEARCHER, study)
    client.get(reverse("admin:hits_study_change", args=[study.pk]))
    files = [SimpleUploadedFile(f"{name}.png", png(seed=seed)) for seed, name in enumerate(("owl", "cat"))]

    answer = client.post(ADD, {"file": files, "concept_from": "file", "is_checked": "on"})
    fulfil_requests(now=timezone.now())
    done = plain(client.get(answer["Location"]))

    row = Import.objects.get()
    assert (row.name, row.begun_at is not None) == ("owl.png and 1 more", True)
    assert set(Picture.objects.values_list("concept", "in_pool")) == {("owl", True), ("cat", True)}
    assert f'Next in <a href="{reverse("admin:hits_study_change", args=[study.pk])}">{study}</a>' in done
    assert ">Draw picture sets…</a>" in done


def test_single_picture_is_taken_and_archives_are_not_mixed_with_pictures(client: Client) -> None:
    sign_in_keeper(client)
    picture = SimpleUploadedFile("owl.png", png())

    mixed = client.post(
        ADD, {"file": [picture, SimpleUploadedFile("a.zip", ARCHIVE)], "concept_from": "file"}
    )
    assert not Import.objects.exists()
    upload(client, png(), name="owl.png", concept_from="file", look="")

    assert "Choose one ZIP archive alone" in text_of(mixed)
    assert Request.objects.get().concept == "owl"
    assert Import.objects.get().begun_at is not None


def test_import_begins_and_tells_what_failed(client: Client) -> None:
    sign_in_keeper(client)
    upload(client, ARCHIVE)
    row = Import.objects.get()

    began = plain(client.post(act("begin", row), follow=True))
    fulfil_requests(now=timezone.now())
    ended = plain(client.get(act("change", row)))
    wrong = b"".join(client.get(act("wrong", row))).decode("utf-8-sig")

    assert "<strong>0 of 2</strong> done; the import is running." in began
    assert "<strong>2 of 2</strong> done." in ended
    assert "<dt>Added</dt><dd>1</dd>" in ended
    assert "The drawing holds &lt;script&gt;" in ended
    ((line,),) = [list(csv.DictReader(StringIO(wrong)))]
    assert (line["file"], line["concept"]) == ("cat/1.svg", "cat")


def test_running_import_is_looked_at_again_by_the_page_itself(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "installed_reader", lambda: FakeReader("", ""))
    sign_in_keeper(client)
    upload(client, ARCHIVE)
    row = Import.objects.get()
    waiting = client.get(act("change", row)).content.decode()
    client.post(act("begin", row))

    running = client.get(act("change", row)).content.decode()
    fragment = client.get(act("change", row) + "?fragment").content.decode()
    fulfil_requests(now=timezone.now())
    reading = client.get(act("change", row) + "?fragment").content.decode()
    read_pictures()
    done = client.get(act("change", row) + "?fragment").content.decode()

    assert f'data-every="{imports.LOOK_AGAIN_MS}" data-news=""' in reading
    assert "<dt>Letters still being read</dt><dd>1</dd>" in reading
    assert "letters on pictures are still being read" in reading
    assert "still being read" not in done
    assert "live.js" not in waiting
    assert "/static/hits/live.js" in running
    assert f'<div data-live data-every="{imports.LOOK_AGAIN_MS}" data-news="">' in running
    assert fragment.startswith("<div data-live")
    assert "<strong>0 of 2</strong> done" in fragment
    assert '<div data-live data-every="0" data-news="The import is done.">' in done
    assert "<strong>2 of 2</strong> done" in done


def test_finished_import_leads_to_its_pictures_and_to_no_others(client: Client) -> None:
    sign_in_keeper(client)
    for number in range(2):
        upload(client, png(seed=number), name=f"owl{number}.png", concept_from="file", look="")
    fulfil_requests(now=timezone.now())
    row = Import.objects.earliest("pk")
    address = f"{reverse('admin:pictures_gallery')}?import={row.pk}"

    page = plain(client.get(act("change", row)))
    gallery: Any = client.get(address)

    assert f'<a href="{address}">See the picture of this import</a>' in page
    assert list(gallery.context["cl"].queryset) == [row.requests.get().picture]
    assert client.get(reverse("admin:pictures_gallery"), {"import": "x"}).status_code == 200


def test_discarded_upload_leaves_nothing(client: Client) -> None:
    sign_in_keeper(client)
    upload(client, ARCHIVE)

    page = text_of(client.post(act("discard", Import.objects.get()), follow=True))

    assert "The file was discarded. No picture was added." in page
    assert (Import.objects.count(), kept_files()) == (0, set())


def test_begun_import_is_not_discarded(client: Client) -> None:
    sign_in_keeper(client)
    upload(client, ARCHIVE)
    row = Import.objects.get()
    client.post(act("begin", row))

    page = text_of(client.post(act("discard", row), follow=True))

    assert "This import has begun" in page
    assert Request.objects.count() == 2


def test_failed_addresses_are_tried_again(client: Client) -> None:
    sign_in_keeper(client)
    upload(client, b"concept,url\nowl,https://example.org/owl.png\n", name="list.csv")
    Request.objects.update(status="failed", problem="Busy.")
    row = Import.objects.get()

    page = text_of(client.post(act("again", row), follow=True))

    assert "1 address is tried again." in page
    assert Request.objects.get().status == "waiting"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"concept,url\nowl,ftp://example.org/a\n,https://example.org/a\n", "Line 3: it has no concept."),
        (b"concept,file\nowl,owl.png\n", "there is no file “owl.png” beside the list"),
        (b"hello", "The first line names the columns"),
        (b"PK\x03\x04hello", "no ZIP archive"),
        (archive({"a.txt": b"x"}), "There are no pictures among the files"),
    ],
    ids=["lines", "file", "no list", "no archive", "no pictures"],
)
def test_upload_that_is_wrong_is_told_line_by_line(client: Client, content: bytes, words: str) -> None:
    sign_in_keeper(client)

    answer = upload(client, content)

    assert answer.status_code == 409
    assert words in answer.text
    assert (Import.objects.count(), Request.objects.count(), kept_files()) == (0, 0, set())


@pytest.mark.parametrize(
    "changes",
    [{"file": ""}, {"concept_from": "nose"}, {"licence": "x" * 65}],
    ids=["file", "from", "licence"],
)
def test_form_that_is_wrong_is_shown_again(client: Client, changes: dict[str, str]) -> None:
    sign_in_keeper(client)

    answer = upload(client, ARCHIVE, **changes)

    assert (answer.status_code, Import.objects.count()) == (200, 0)
    assert "errorlist" in answer.text


def test_file_that_is_too_large_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "MOST_BYTES", 10)
    sign_in_keeper(client)

    assert "A file has at most 0 MB." in upload(client, ARCHIVE).text
    assert Import.objects.count() == 0


@pytest.mark.parametrize("name", ["begin", "discard", "again", "wrong", "change"])
def test_pages_of_an_import_ask_for_the_permission(client: Client, name: str) -> None:
    sign_in_keeper(client)
    upload(client, ARCHIVE)
    row = Import.objects.get()
    sign_in_with(client, "view_picture", "check_picture", "remove_picture")

    method = client.get if name in ("wrong", "change") else client.post

    assert method(act(name, row)).status_code == 403
    assert Import.objects.get().begun_at is None
