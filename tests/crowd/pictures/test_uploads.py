"""What is kept of a picture that a person uploads, and what is refused."""

import zlib
from hashlib import sha256
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms

from crowd.pictures.errors import BadPicture
from crowd.pictures.files.single_uploads import MOST_BYTES, read_upload
from tests.crowd.pictures.hostile import (
    SCRIPT,
    SECRET,
    SVG,
    chunk,
    corners,
    frames,
    jpeg_of_scans,
    png_of,
    quarters,
    webp_of,
    with_metadata,
)
from tests.crowd.pictures.images import archive, draw, encode, pixels, png

pytestmark = pytest.mark.pure
KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
RED, LIME, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
# Positions of red, lime, blue and white once the picture is upright.
UPRIGHT = {
    1: (RED, LIME, BLUE, WHITE),
    2: (LIME, RED, WHITE, BLUE),
    3: (WHITE, BLUE, LIME, RED),
    4: (BLUE, WHITE, RED, LIME),
    5: (RED, BLUE, LIME, WHITE),
    6: (BLUE, RED, WHITE, LIME),
    7: (WHITE, LIME, BLUE, RED),
    8: (LIME, WHITE, RED, BLUE),
}


def opened(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize("kind", KINDS)
def test_picture_is_drawn_anew_without_a_word_beside_its_pixels(kind: str) -> None:
    data = with_metadata(kind)
    assert SECRET in data

    upload = read_upload(data, name="weird.png")

    image = opened(upload.data)
    assert SECRET not in upload.data
    assert (dict(image.getexif()), image.info.get("xmp"), image.info.get("comment")) == ({}, None, None)
    assert (upload.media_type, upload.width, upload.height) == (KINDS[kind], 120, 80)
    assert (upload.original, upload.original_sha256) == (data, sha256(data).hexdigest())
    assert (image.format, image.size, upload.name) == (kind, (120, 80), "weird.png")


def test_pixels_of_a_png_stay_as_they_are_and_nothing_is_beside_them() -> None:
    upload = read_upload(with_metadata("PNG"))

    assert pixels(upload.data) == pixels(png())
    assert upload.data == encode(opened(png()))
    assert read_upload(upload.data).data == upload.data


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("orientation", UPRIGHT)
def test_picture_that_lies_is_turned_upright(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {} if kind == "PNG" else {"quality": 100}

    upload = read_upload(encode(quarters(), kind, exif=exif, **options))

    found = zip(corners(opened(upload.data)), UPRIGHT[orientation], strict=True)
    far = [max(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in found]
    assert (upload.width, upload.height) == ((80, 120) if orientation > 4 else (120, 80))
    assert max(far) < 25


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_mode_of_a_png_is_drawn(mode: str) -> None:
    image = quarters().convert("L").convert(mode) if mode == "I;16" else quarters().convert(mode)

    drawn = opened(read_upload(encode(image)).data)

    assert drawn.mode == ("RGBA" if mode in ("LA", "RGBA") else "RGB")
    assert drawn.size == (120, 80)


def test_colors_of_a_palette_and_what_shows_through_stay() -> None:
    image = quarters().convert("P", palette=Image.Palette.ADAPTIVE, colors=4)
    red = image.getpixel((0, 0))

    drawn = opened(read_upload(encode(image, transparency=red)).data)

    assert drawn.mode == "RGBA"
    assert [drawn.getpixel(at) for at in ((0, 0), (119, 79))] == [(255, 0, 0, 0), (255, 255, 255, 255)]


def test_gray_of_sixteen_bits_keeps_its_shades() -> None:
    image = Image.new("I;16", (64, 64), 0x8000)

    assert opened(read_upload(encode(image)).data).getpixel((0, 0)) == (128, 128, 128)


def test_colors_of_print_become_colors_of_the_web() -> None:
    drawn = opened(read_upload(encode(quarters(mode="CMYK"), "JPEG", quality=100)).data)

    assert drawn.mode == "RGB"
    assert [max(channel for channel in one) > 200 for one in corners(drawn)] == [True] * 4


@pytest.mark.parametrize("kind", KINDS)
def test_profile_of_colors_is_used_and_left_out(kind: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()

    upload = read_upload(encode(draw(), kind, icc_profile=profile))

    assert "icc_profile" not in opened(upload.data).info


@pytest.mark.parametrize("profile", [b"no profile at all", b"\0" * 128])
def test_broken_profile_is_left_out_at_once(profile: bytes) -> None:
    upload = read_upload(encode(draw(), icc_profile=profile))

    assert pixels(upload.data) == pixels(png())
    assert b"iCCP" not in upload.data


def test_several_pictures_of_one_camera_are_its_first() -> None:
    both = encode(draw(), "MPO", save_all=True, append_images=[draw(seed=1)])

    upload = read_upload(both)

    assert (upload.media_type, opened(upload.data).format) == ("image/jpeg", "JPEG")


def test_zeros_behind_a_picture_are_padding() -> None:
    assert read_upload(png() + b"\0" * 512).data == read_upload(png()).data


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "empty. Choose", id="no bytes"),
        pytest.param(b"x" * (MOST_BYTES + 1), "more than 20 MB. Make", id="large file"),
        pytest.param(b"an owl, drawn in words", "none of PNG, JPEG and WebP", id="text called .png"),
        pytest.param(SVG, r"drawing \(SVG\), whatever it is called. Save it as PNG", id="svg with a script"),
        pytest.param(b"\xef\xbb\xbf <?xml version='1.0'?>" + SVG, "drawing", id="svg behind a prolog"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "drawing", id="svg without a script"),
        pytest.param(SCRIPT, "none of PNG", id="page"),
        pytest.param(b"GIF89a" + SCRIPT, "none of PNG", id="gif with a page"),
        pytest.param(b"%PDF-1.7", "none of PNG", id="pdf"),
        pytest.param(archive({"a.txt": b"x"}), "none of PNG", id="archive"),
        pytest.param(b"RIFF\x24\0\0\0WAVEfmt " + b"\1" * 28, "none of PNG", id="sound"),
        pytest.param(png() + archive({"a.txt": b"x"}), "bytes follow the picture's end", id="png and zip"),
        pytest.param(encode(draw(), "JPEG") + SCRIPT, "77 bytes follow", id="jpeg and page"),
        pytest.param(encode(draw(), "WEBP") + SCRIPT, "77 bytes follow", id="webp and page"),
        pytest.param(b"MZ" + png(), "none of PNG", id="png behind a program"),
        pytest.param(png()[:200], "cut off", id="png cut off"),
        pytest.param(png()[:-12], "cut off", id="png without its end"),
        pytest.param(encode(draw(), "JPEG")[:-300], "cut off", id="jpeg cut off"),
        pytest.param(encode(draw(), "JPEG")[:3], "cut off", id="jpeg of three bytes"),
        pytest.param(encode(draw(), "WEBP")[:-40], "cut off", id="webp cut off"),
        pytest.param(encode(draw(size=(31, 400))), "31 x 400", id="thin"),
        pytest.param(encode(draw(size=(40, 900))), "20 times", id="long"),
        pytest.param(frames("PNG"), "moves", id="moving png"),
        pytest.param(frames("WEBP"), "moves", id="moving webp"),
        pytest.param(encode(Image.new("1", (7000, 6000))), "more than 40 million", id="42 megapixels"),
        pytest.param(encode(Image.new("1", (16_000, 12_500))), "far too many", id="200 megapixels"),
        pytest.param(png_of(60_000, 60_000, rows=b"\0" * 10), "far too many", id="bomb by its heading"),
        pytest.param(png_of(6000, 6000, rows=b"\0" * 10), "cannot? be read|damaged", id="heading that lies"),
        pytest.param(webp_of(16_000, 12_500), "pixels|damaged", id="canvas that lies"),
        pytest.param(jpeg_of_scans(2000), "damaged", id="two thousand scans"),
        pytest.param(b"\xff\xd8\xff\xd9" * 200, "cut off or damaged", id="two hundred empty pictures"),
    ],
)
def test_what_is_no_single_still_picture_is_refused_and_told_what_to_do(data: bytes, words: str) -> None:
    with pytest.raises(BadPicture, match=words):
        read_upload(data)


def test_pixels_beyond_what_the_heading_says_are_never_drawn() -> None:
    """A header of 64 x 64 is followed by fifty megabytes of rows: the file is tiny, and so is the result."""
    upload = read_upload(png_of(64, 64, rows=b"\0" * 50_000_000))

    assert (upload.width, upload.height) == (64, 64)
    assert len(upload.data) < 1000


def test_words_that_blow_up_when_they_are_unpacked_are_refused() -> None:
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * 100_000_000, 9))
    whole = png()

    with pytest.raises(BadPicture, match="damaged"):
        read_upload(whole[:33] + bomb + whole[33:])


def test_page_within_a_comment_is_gone() -> None:
    inside = encode(draw(), "JPEG", comment=SCRIPT)
    hidden = png()[:33] + chunk(b"tEXt", b"a\0" + SCRIPT) + png()[33:]

    assert [b"<script>" in read_upload(data).data for data in (inside, hidden)] == [False, False]


def test_picture_in_another_kind_of_file_is_known_by_its_bytes() -> None:
    assert read_upload(encode(draw(), "JPEG"), name="a.png").media_type == "image/jpeg"


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow warns about broken files
@given(st.data())
def test_damaged_file_is_refused_or_drawn_and_nothing_else(data: st.DataObject) -> None:
    whole = with_metadata(data.draw(st.sampled_from(["PNG", "JPEG", "WEBP"])))
    at = data.draw(st.integers(0, len(whole) - 1))
    broken = whole[:at] + data.draw(st.binary(min_size=1, max_size=4)) + whole[at + 1 :]

    try:
        upload = read_upload(broken)
    except BadPicture:
        return
    pixels(upload.data)
    assert SECRET not in upload.data


def test_heading_is_judged_before_anything_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(Image.Image, "load", drawn.append)
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", drawn.append)

    with pytest.raises(BadPicture, match="6400 x 6400"):
        read_upload(png_of(6400, 6400, rows=b""))

    assert drawn == []
