from hashlib import sha256

import pytest
from django.db import IntegrityError, transaction

from crowd.pictures.bringing.import_lines import Line
from crowd.pictures.files.contents import read_content
from crowd.pictures.models import Picture
from crowd.pictures.services import picture_entry
from crowd.pictures.services.picture_entry import NewPicture, add_picture, bring_in, describe_picture
from scoring.models import PoolPicture
from tests.crowd.pictures.images import draw, encode, kept_files, make_raster, png
from tests.factories import make_picture

pytestmark = pytest.mark.django_db
LINE = Line(place="Line 2", concept="owl", file="a.png", licence="CC0", caption="An owl.")


def test_brought_picture_waits_for_the_check_and_is_told_to_rivals() -> None:
    content = read_content(png())

    entered = bring_in(LINE, content=content, is_checked=False)

    picture = Picture.objects.get()
    assert (entered.is_new, entered.picture) == (True, picture)
    assert (picture.status, picture.concept, picture.licence) == ("waiting", "owl", "CC0")
    assert list(Picture.objects.playable()) == []
    assert list(PoolPicture.objects.values_list("sha256", "caption")) == [(picture.sha256, "An owl.")]


def test_picture_that_somebody_vouches_for_is_playable() -> None:
    picture = make_raster(is_checked=True)

    assert list(Picture.objects.playable()) == [picture]


@pytest.mark.parametrize("is_checked", [True, False])
def test_profane_concept_is_unfit_at_once(is_checked: bool) -> None:
    picture = make_raster(concept="a bitch", is_checked=is_checked)

    assert (picture.status, picture.unfit_reason, picture.is_profane) == ("unfit", "profane", True)


def test_same_content_is_one_picture_also_with_other_metadata() -> None:
    image = draw()
    first = bring_in(LINE, content=read_content(encode(image, comment=b"")), is_checked=True)

    jpegs = [encode(image, "JPEG", comment=comment) for comment in (b"one", b"two", b"one")]
    others = [bring_in(LINE, content=read_content(data), is_checked=True) for data in jpegs]

    assert [one.is_new for one in others] == [True, False, False]
    assert Picture.objects.count() == 2
    assert others[0].picture.original_sha256 == sha256(jpegs[0]).hexdigest()
    assert len(kept_files()) == 2
    assert first.picture != others[0].picture


def test_original_of_a_turned_picture_is_known_again() -> None:
    image = draw()
    exif = image.getexif()
    exif[0x0112] = 6
    content = read_content(encode(image, "JPEG", exif=exif))
    picture = bring_in(LINE, content=content, is_checked=True).picture

    # Another version of the image library may encode the picture differently.
    Picture.objects.update(sha256="0" * 64)

    assert bring_in(LINE, content=content, is_checked=True).picture == picture


def test_two_who_add_the_same_at_once_add_one(monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_raster()
    known = picture_entry._known
    answers = iter([None])
    monkeypatch.setattr(picture_entry, "_known", lambda *args: next(answers, known(*args)))

    entered = bring_in(LINE, content=read_content(png()), is_checked=True)

    assert (entered.picture, entered.is_new) == (first, False)
    assert kept_files() == {first.file.name}


def test_mended_words_are_saved_and_what_the_letters_show_of_them_counts() -> None:
    picture = make_raster(concept="owl", is_checked=False)
    Picture.objects.update(status="fit", ocr_text="SNOW OWL")
    picture.concept, picture.ocr_text = "snow owl", "SNOW OWL"

    describe_picture(picture)

    saved = Picture.objects.get()
    assert (saved.concept, saved.status, saved.shows_concept) == ("snow owl", "unfit", True)
    assert PoolPicture.objects.get().caption == "snow owl"


def test_concept_mended_into_a_profane_one_is_unfit() -> None:
    picture = make_raster(is_checked=True)
    picture.concept = "whore"

    describe_picture(picture)

    assert Picture.objects.values_list("status", "unfit_reason").get() == ("unfit", "profane")


def test_other_media_types_are_refused() -> None:
    with pytest.raises(ValueError, match="not a picture we serve"):
        add_picture(NewPicture(content=b"x", media_type="text/html", concept="owl"))

    assert (Picture.objects.count(), kept_files()) == (0, set())


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "removed"},
        {"status": "fit", "former_status": "fit"},
        {"status": "unfit"},
        {"status": "removed", "former_status": "removed"},
    ],
    ids=["from nowhere", "and not", "for no reason", "twice"],
)
def test_database_refuses_bad_states(changes: dict[str, str]) -> None:
    make_picture()

    with pytest.raises(IntegrityError), transaction.atomic():
        Picture.objects.update(**changes)
