"""Letters on drawn pictures, read by the real Tesseract."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from crowd.pictures.files import raster
from crowd.pictures.letter_reading import Reader, installed_reader
from crowd.pictures.models import Picture
from crowd.pictures.services.preparation import read_pictures
from crowd.pictures.tasks import tend_pool
from tests.crowd.pictures.images import make_raster

pytestmark = pytest.mark.needs_tesseract


def real_reader() -> Reader:
    found = installed_reader()
    assert found is not None
    return found


def draw(words: str, *, size: int = 48) -> bytes:
    image = Image.new("RGB", (640, 240), "#d8e4ea")
    ImageDraw.Draw(image).text((40, 80), words, fill="#202020", font=ImageFont.load_default(size))
    content = BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


@pytest.mark.pure
def test_words_on_a_picture_are_read() -> None:
    read = real_reader().read(raster.for_reading(draw("SNOW OWL 1987")))

    assert read.split() == ["SNOW", "OWL", "1987"]


@pytest.mark.pure
def test_a_picture_without_letters_has_no_words() -> None:
    assert real_reader().read(raster.for_reading(draw(""))) == ""


@pytest.mark.django_db
def test_a_picture_of_the_pool_keeps_what_is_written_on_it() -> None:
    written, plain = make_raster(seed=1, concept="owl"), make_raster(seed=2, concept="owl")
    Path(written.file.path).write_bytes(draw("Snow OWL"))
    Path(plain.file.path).write_bytes(draw(""))

    count = read_pictures(reader=real_reader())

    assert count == 2
    rows = Picture.objects.order_by("pk").values_list("ocr_text", "shows_words", "shows_concept")
    assert list(rows) == [("Snow OWL", True, True), ("", False, False)]
    assert set(Picture.objects.values_list("read_by", flat=True)) == {real_reader().name}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "concept", "status", "reason"),
    [
        ("BRARY", "library", "unfit", "concept"),
        ("OPEN DAILY", "library", "unfit", "words"),
        ("", "library", "fit", ""),
    ],
)
def test_an_import_that_was_marked_as_checked_is_read_and_flagged(
    words: str, concept: str, status: str, reason: str
) -> None:
    picture = make_raster(concept=concept, is_checked=True)
    Path(picture.file.path).write_bytes(draw(words))

    tend_pool()

    picture.refresh_from_db()
    assert (picture.status, picture.unfit_reason) == (status, reason)
    assert picture.read_by.startswith("tesseract ")
