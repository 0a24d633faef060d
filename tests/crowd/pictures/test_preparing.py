"""Thumbnails, perceptual hashes and recognized letters, made in the background."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from crowd.pictures import letter_reading
from crowd.pictures.errors import BadPicture
from crowd.pictures.letter_reading import Tesseract, installed_reader, words_in_table
from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import are_near_duplicates
from crowd.pictures.services import preparation
from crowd.pictures.services.preparation import prepare_anew, prepare_pictures, read_pictures
from tests.crowd.pictures.images import kept_files, make_raster, png, svg
from tests.factories import NOW, make_picture

pytestmark = pytest.mark.django_db
TABLE = 'level\tconf\ttext\n1\t-1\t\n5\t91.5\tSnow\n5\t88\t"OWL\n5\t30.1\tlll\n5\tx\tno\n'


class FakeReader:
    name = "fake 1"

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.given: list[bytes] = []

    def read(self, content: bytes) -> str:
        self.given.append(content)
        answer = self.answers.pop(0)
        if answer is None:
            raise BadPicture("The letters dance.")
        return answer


def test_prepare_pictures_makes_thumbnails_and_a_hash_once() -> None:
    picture = make_raster()

    counts = [prepare_pictures(now=NOW), prepare_pictures(now=NOW)]

    picture.refresh_from_db()
    assert counts == [1, 0]
    assert (picture.width, picture.height, picture.has_thumbnails) == (120, 80, True)
    assert picture.perceptual_hash is not None
    assert kept_files() == {
        picture.file.name, f"thumbnails/{picture.key}-160.webp", f"thumbnails/{picture.key}-480.webp"
    }  # fmt: skip


def test_prepared_drawing_says_what_it_writes_and_has_no_hash() -> None:
    picture = make_picture(content=svg("<text>Snow storm!</text>"), concept="owl")

    prepare_pictures(now=NOW)

    picture.refresh_from_db()
    assert (picture.ocr_text, picture.shows_words, picture.shows_concept) == ("Snow storm!", True, False)
    assert (picture.perceptual_hash, picture.has_thumbnails, picture.problem) == (None, False, "")


def test_picture_that_cannot_be_prepared_says_why_and_holds_up_no_other() -> None:
    missing, broken, whole = (make_raster(seed=seed) for seed in range(3))
    Path(missing.file.path).unlink()
    Path(broken.file.path).write_bytes(png(seed=1)[:90])

    counts = [prepare_pictures(now=NOW), prepare_pictures(now=NOW)]

    problems = dict(Picture.objects.values_list("pk", "problem"))
    assert counts == [3, 0]
    assert "cannot be opened" in problems[missing.pk]
    assert "damaged" in problems[broken.pk]
    assert problems[whole.pk] == ""
    assert set(Picture.objects.values_list("prepared_at", flat=True)) == {NOW}


def test_prepare_anew_after_the_file_came_back() -> None:
    picture = make_raster()
    path = Path(picture.file.path)
    path.rename(path.with_suffix(".away"))
    prepare_pictures(now=NOW)
    path.with_suffix(".away").rename(path)

    prepare_anew(Picture.objects.all())
    prepare_pictures(now=NOW)

    picture.refresh_from_db()
    assert (picture.has_thumbnails, picture.problem) == (True, "")


def test_sweep_leaves_off_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(3):
        make_raster(seed=seed)
    monkeypatch.setattr(preparation, "SWEEP_S", -1)

    assert [prepare_pictures(now=NOW) for _ in range(4)] == [1, 1, 1, 0]


def test_near_duplicates_are_found_by_what_they_show() -> None:
    first, same, other = make_raster(seed=1), make_raster(seed=2), make_raster(seed=3)
    Path(same.file.path).write_bytes(png(seed=1, size=(360, 240)))
    drawings = make_picture(), make_picture()

    prepare_pictures(now=NOW)

    for one in (first, same, other, *drawings):
        one.refresh_from_db()
    assert are_near_duplicates(first, same)
    assert not are_near_duplicates(first, other)
    assert not are_near_duplicates(*drawings)


def test_read_pictures_keeps_the_letters_and_the_flags() -> None:
    named, written, plain = (make_raster(seed=seed, concept="owl") for seed in range(3))
    reader = FakeReader("A snow OWL", "exit", "")

    count = read_pictures(reader=reader)

    rows = Picture.objects.order_by("pk").values_list("ocr_text", "shows_words", "shows_concept", "read_by")
    assert count == 3
    assert list(rows) == [
        ("A snow OWL", True, True, "fake 1"), ("exit", True, False, "fake 1"), ("", False, False, "fake 1")
    ]  # fmt: skip
    assert set(Picture.objects.values_list("status", flat=True)) == {"fit"}
    with Image.open(BytesIO(reader.given[0])) as image:
        assert (image.format, image.size) == ("PNG", (120, 80))
    assert {named, written, plain} == set(Picture.objects.all())


def test_reader_that_fails_is_not_asked_for_that_picture_again() -> None:
    for seed in range(2):
        make_raster(seed=seed)

    counts = [read_pictures(reader=FakeReader(None, "owl")), read_pictures(reader=FakeReader())]

    assert counts == [2, 0]
    assert list(Picture.objects.order_by("pk").values_list("problem", "ocr_text")) == [
        ("The letters dance.", ""), ("", "owl")
    ]  # fmt: skip


def test_pictures_wait_where_nobody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    make_raster()
    monkeypatch.setattr(preparation, "installed_reader", lambda: None)

    assert read_pictures() == 0
    assert Picture.objects.get().read_by == ""


def test_drawings_are_not_given_to_a_reader_of_pixels() -> None:
    make_picture()

    assert read_pictures(reader=FakeReader()) == 0


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An executable named tesseract that is found first on the PATH; the test writes what it does."""
    path = tmp_path / "bin" / "tesseract"
    path.parent.mkdir()
    path.touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    return path


def test_installed_reader_is_tesseract_where_there_is_one(program: Path) -> None:
    (program.parent / "table").write_text(TABLE)
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "tesseract 5.3.0" && exit\n'
        'echo "$@" > "$0.args"; cat > "$0.in"; cat "$(dirname "$0")/table"\n'
    )

    reader = installed_reader.__wrapped__()

    assert reader is not None
    assert (reader.name, reader.read(b"pixels")) == ("tesseract 5.3.0", 'Snow "OWL')
    assert program.with_suffix(".args").read_text() == "stdin stdout --psm 11 -l eng tsv\n"
    assert program.with_suffix(".in").read_bytes() == b"pixels"


def test_no_reader_is_installed_where_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert installed_reader.__wrapped__() is None


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("#!/bin/sh\necho 'No language eng' >&2; exit 1\n", "failed: No language eng"),
        ("#!/bin/sh\nexec sleep 9\n", "took more than"),
        ("#!/bin/sh\necho nothing\n", "no table"),
        ("#!/nowhere\n", "could not be started"),
    ],
    ids=["fails", "hangs", "other answer", "cannot start"],
)
def test_tesseract_that_gives_nothing_says_why(
    program: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    monkeypatch.setattr(letter_reading, "TIMEOUT_S", 0.5)
    program.write_text(script)

    with pytest.raises(BadPicture, match=words):
        Tesseract(str(program), version="5").read(b"pixels")


def test_words_in_table_are_those_it_is_sure_of() -> None:
    assert words_in_table(TABLE) == 'Snow "OWL'


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ([(78.0, "="), (60.2, "tre")], ""),
        ([(62.4, "AG"), (69.7, "~"), (62.7, "te"), (69.1, "Ne")], ""),
        ([(92.5, "ay"), (94.5, "4")], ""),
        ([(96.0, "1987")], ""),
        ([(96.1, "TV")], "TV"),
        ([(91.0, "OWL"), (61.0, "in")], "OWL in"),
        ([(62.0, "brary")], "brary"),
    ],
)
def test_short_words_of_a_photograph_without_letters_are_noise(
    read: list[tuple[float, str]], words: str
) -> None:
    rows = [f"5\t{confidence}\t{text}" for confidence, text in read]

    assert words_in_table("\n".join(["level\tconf\ttext", *rows])) == words
