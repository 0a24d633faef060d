"""How an uploaded picture is kept, and how a form takes it."""

from typing import Any

import pytest
from django import forms
from django.core.files.storage import FileSystemStorage, default_storage
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.urls import reverse
from django.utils.datastructures import MultiValueDict

from crowd.pictures.bringing.import_lines import Line
from crowd.pictures.fields import PictureField
from crowd.pictures.files.contents import read_content
from crowd.pictures.files.single_uploads import MOST_BYTES, read_upload
from crowd.pictures.models import Original, Picture
from crowd.pictures.services import item_pictures, manual_check, removing_pictures
from crowd.pictures.services.item_pictures import upload_picture
from crowd.pictures.services.picture_entry import bring_in, describe_picture
from crowd.pictures.services.preparation import prepare_pictures
from hits.core.errors import RuleBroken
from scoring.models import PoolPicture
from tests.crowd.pictures.hostile import SECRET, SVG, with_metadata
from tests.crowd.pictures.images import kept_files, make_raster, png
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db


def send(data: bytes, **changes: Any) -> Picture:
    values: dict[str, Any] = {
        "upload": read_upload(data, name="owl at night.png"),
        "concept": "weird image",
        "by": None,
        "sender": "designer 12",
        "now": NOW,
    }
    return upload_picture(**{**values, **changes})


def read(name: object) -> bytes:
    with default_storage.open(str(name)) as file:
        content: bytes = file.read()
    return content


class Form(forms.Form):
    picture = PictureField()
    other = PictureField(required=False, help_text="If you have one.")


def fill(**files: bytes) -> Form:
    sent: dict[str, list[UploadedFile[Any]] | None] = {
        name: [SimpleUploadedFile("a b.png", data)] for name, data in files.items()
    }
    return Form({}, MultiValueDict(sent))


def test_picture_is_kept_outside_the_pool_with_the_very_bytes_that_came() -> None:
    data, by = with_metadata("JPEG"), make_user()

    picture = send(data, by=by, sender="", credit="A. Museum", licence="CC0", source="https://example.org/")

    saved, original = Picture.objects.get(), Original.objects.get()
    assert (saved, saved.status, saved.in_pool, saved.concept) == (picture, "fit", False, "weird image")
    assert (saved.credit, saved.licence, saved.source) == ("A. Museum", "CC0", "https://example.org/")
    assert (original.picture, original.sent_by, original.sent_at) == (saved, by, NOW)
    assert (original.name, original.bytes) == ("owl at night.png", len(data))
    assert original.sha256 == saved.original_sha256
    assert read(original.file.name) == data
    assert SECRET not in read(saved.file.name)
    assert "." not in str(original.file)


def test_no_set_is_drawn_from_it_no_rival_told_and_nobody_checks_it() -> None:
    picture = send(png())
    picture.concept = "something else"

    describe_picture(picture)

    assert not Picture.objects.playable().exists()
    assert not PoolPicture.objects.exists()
    assert manual_check.claim_picture(by=make_user(), now=NOW) is None
    assert removing_pictures.recheck_pictures(pictures=[picture], by=make_user(), now=NOW) == 0
    assert Picture.objects.values_list("status", "concept").get() == ("fit", "something else")


def test_background_prepares_it_and_the_task_site_serves_what_was_drawn(client: Any) -> None:
    data = with_metadata("JPEG", orientation=6)
    picture = send(data)

    prepare_pictures(now=NOW)

    picture.refresh_from_db()
    answer = client.get(reverse("pictures:picture", args=[picture.key]))
    body = b"".join(answer)
    assert (picture.width, picture.height, picture.has_thumbnails) == (80, 120, True)
    assert (answer.status_code, answer["Content-Type"], SECRET in body) == (200, "image/jpeg", False)
    assert client.get(f"/{Original.objects.get().file.name}").status_code == 404


def test_same_bytes_again_are_the_same_picture_and_the_first_record() -> None:
    first = send(png(), sender="designer 1")

    assert send(png(), sender="designer 2") == first
    assert Original.objects.values_list("sender", flat=True).get() == "designer 1"
    assert len(kept_files()) == 2


def test_same_pixels_in_other_bytes_are_the_same_picture_with_both_records() -> None:
    first = send(png())

    assert send(with_metadata("PNG")) == first
    assert Original.objects.count() == 2


def test_picture_of_the_pool_is_shared_and_stays_there() -> None:
    pooled = make_raster()

    shared = send(png())

    assert shared == pooled
    assert list(Picture.objects.playable()) == [pooled]
    assert Picture.objects.get().concept == "owl"
    assert shared.originals.get().sender == "designer 12"


def test_picture_of_an_item_that_is_imported_later_stays_out_of_the_pool() -> None:
    mine = send(png())

    line = Line(place="Line 2", concept="owl", file="a.png")
    entered = bring_in(line, content=read_content(png()), is_checked=True)

    assert (entered.picture, entered.is_new) == (mine, False)
    assert not Picture.objects.playable().exists()
    assert not PoolPicture.objects.exists()


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        (
            {"status": "removed", "former_status": "fit", "removed_at": NOW},
            "picture_removed",
            "This very picture was removed by staff. Choose another one.",
        ),
        (
            {"status": "unfit", "unfit_reason": "inappropriate"},
            "picture_unfit",
            "Staff looked at this very picture before: It is inappropriate. Choose another one.",
        ),
        (
            {"status": "waiting"},
            "picture_waits",
            item_pictures.WAITS,
        ),
    ],
)
def test_picture_that_may_not_be_shown_is_refused_and_nothing_kept(
    changes: dict[str, Any], code: str, words: str
) -> None:
    make_raster()
    Picture.objects.update(**changes)
    before = kept_files()

    with pytest.raises(RuleBroken) as refused:
        send(png())

    assert (refused.value.code, str(refused.value)) == (code, words)
    assert (Original.objects.count(), kept_files()) == (0, before)


def test_two_who_send_the_same_at_once_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first = send(png())
    known = item_pictures._known
    answers = iter([None])
    monkeypatch.setattr(item_pictures, "_known", lambda upload: next(answers, known(upload)))

    assert send(png()) == first
    assert len(kept_files()) == 2


@pytest.mark.parametrize("folder", ["pictures/", "originals/"])
def test_disk_that_fails_leaves_neither_rows_nor_files(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    save = FileSystemStorage.save

    def fail(storage: FileSystemStorage, name: str, content: Any, **more: Any) -> str:
        if name.startswith(folder):
            raise OSError("No space left on device")
        return save(storage, name, content, **more)

    monkeypatch.setattr(FileSystemStorage, "save", fail)

    with pytest.raises(OSError, match="No space"):
        send(png())

    assert (Picture.objects.count(), Original.objects.count(), kept_files()) == (0, 0, set())


def test_names_are_made_one_line_and_cut() -> None:
    send(png(), name="a\n\0" + "b" * 300, sender="d" * 100, concept="c" * 100)

    original = Original.objects.get()
    assert (original.name, original.sender) == ("a " + "b" * 198, "d" * 80)
    assert Picture.objects.get().concept == "c" * 64


def test_form_gives_an_upload_and_none_for_what_may_be_left_out() -> None:
    form = fill(picture=png())

    assert form.is_valid()
    assert (form.cleaned_data["picture"].name, form.cleaned_data["other"]) == ("a b.png", None)
    assert form.cleaned_data["picture"].original == png()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "Choose a picture."),
        ({"picture": b""}, "The file is empty. Choose the picture again."),
        (
            {"picture": SVG},
            "This is a drawing (SVG), whatever it is called. Save it as PNG, and add that.",
        ),
        (
            {"picture": b"x" * (MOST_BYTES + 9)},
            "The file has more than 20 MB. Make the picture smaller.",
        ),
    ],
    ids=["none", "empty", "drawing", "large"],
)
def test_form_says_beside_the_field_what_is_wrong(files: dict[str, bytes], words: str) -> None:
    assert fill(**files).errors == {"picture": [words]}


def test_field_names_its_limits_and_what_to_offer() -> None:
    form = Form()

    assert form.fields["picture"].help_text == (
        "PNG, JPEG and WebP; at most 20 MB and 40 million pixels, 32 pixels at least on the shorter side, "
        "at most 20 times as long as wide. Camera, place and comments are taken out."
    )
    assert 'accept="image/png,image/jpeg,image/webp"' in str(form["picture"])
    assert form.fields["other"].help_text == "If you have one."


def test_field_reads_no_more_than_it_takes() -> None:
    file = SimpleUploadedFile("a.png", b"x" * (MOST_BYTES + 9))

    with pytest.raises(forms.ValidationError):
        PictureField().clean(file)

    assert file.tell() == MOST_BYTES + 1
