"""What a file really is, and what of it is kept."""

from hashlib import sha256
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from crowd.pictures.domain import are_near
from crowd.pictures.errors import BadPicture
from crowd.pictures.files import raster
from crowd.pictures.files.contents import MOST_BYTES, MOST_SVG_BYTES, read_content
from crowd.pictures.files.svg import words_in_svg
from tests.crowd.pictures.images import SVG, draw, encode, pixels, png, svg

pytestmark = pytest.mark.pure
SECRET = b"Serial 4711, 52.5 north"


def with_metadata(kind: str, *, orientation: int = 1) -> bytes:
    image = draw(size=(120, 80))
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = orientation, SECRET.decode()
    if kind == "PNG":
        words = PngImagePlugin.PngInfo()
        words.add_text("Comment", SECRET.decode())
        words.add_itxt("XML:com.adobe.xmp", SECRET.decode())
        return encode(image, kind, exif=exif, pnginfo=words)
    if kind == "JPEG":
        return encode(image, kind, exif=exif, xmp=SECRET, comment=SECRET, quality=90, progressive=True)
    return encode(image, kind, exif=exif, xmp=SECRET, quality=90)


@pytest.mark.parametrize(
    ("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")]
)
def test_metadata_go_and_pixels_stay(kind: str, media_type: str) -> None:
    data = with_metadata(kind)
    assert SECRET in data

    content = read_content(data)

    assert SECRET not in content.data
    assert pixels(content.data) == pixels(data)
    assert (content.media_type, content.original_sha256) == (media_type, sha256(data).hexdigest())
    assert read_content(content.data).data == content.data


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_turned_picture_is_kept_upright(kind: str) -> None:
    content = read_content(with_metadata(kind, orientation=6))

    with Image.open(BytesIO(content.data)) as image:
        assert image.size == (80, 120)
        assert dict(image.getexif()) == {}
    assert SECRET not in content.data


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_color_profile_stays(kind: str) -> None:
    profile = b"a profile of colors"

    with Image.open(BytesIO(read_content(encode(draw(), kind, icc_profile=profile)).data)) as image:
        assert image.info["icc_profile"] == profile


def test_what_follows_the_end_of_a_picture_goes() -> None:
    whole = encode(draw(), "JPEG")

    assert read_content(whole + SECRET).data == read_content(whole).data
    assert read_content(png() + SECRET).data == png()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"x" * (MOST_BYTES + 1), "more than 20 MB", id="large file"),
        pytest.param(b"<html><script>1</script></html>", "no picture", id="page"),
        pytest.param(b"GIF89a", "no picture", id="gif"),
        pytest.param(png()[:200], "no picture", id="cut off"),
        pytest.param(png()[:-12], "damaged", id="without its end"),
        pytest.param(encode(draw(), "JPEG")[:-300], "no picture", id="jpeg cut off"),
        pytest.param(encode(draw(size=(31, 400))), "31 x 400", id="thin"),
        pytest.param(encode(draw(size=(40, 900))), "20 times", id="long"),
        pytest.param(encode(draw(), save_all=True, append_images=[draw(seed=1)]), "moves", id="moving"),
        pytest.param(encode(Image.new("1", (7000, 6000))), "more than 40 million", id="bomb"),
        pytest.param(encode(Image.new("1", (14_000, 14_000))), "far too many", id="large bomb"),
    ],
)
def test_what_is_no_picture_is_refused_and_told_why(data: bytes, words: str) -> None:
    with pytest.raises(BadPicture, match=words):
        read_content(data)


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow warns about broken files
@given(st.data())
def test_damaged_file_is_refused_or_read_and_nothing_else(data: st.DataObject) -> None:
    whole = with_metadata(data.draw(st.sampled_from(["PNG", "JPEG", "WEBP"])))
    at = data.draw(st.integers(0, len(whole) - 1))
    broken = whole[:at] + data.draw(st.binary(min_size=1, max_size=4)) + whole[at + 1 :]

    try:
        content = read_content(broken)
    except BadPicture:
        return
    pixels(content.data)


def test_drawing_is_kept_as_it_is() -> None:
    data = svg("<text>STOP <tspan>here</tspan></text><use href='#a'/><g id='a'/>")

    assert read_content(data).data == data
    assert words_in_svg(data) == "STOP here"


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<script>1</script>", "<script>"),
        ("<foreignObject/>", "<foreignObject>"),
        ("<b xmlns='http://www.w3.org/1999/xhtml'/>", "<b>"),
        ("<rect onload='x()'/>", "onload"),
        ("<image href='https://example.org/a.png'/>", "outside itself"),
        ("<image xlink:href='//example.org/a.png'/>", "outside itself"),
        ("<a href='javascript:x()'><rect/></a>", "outside itself"),
        ("<use href='data:image/svg+xml,x#a'/>", "outside itself"),
        ("<g xml:base='https://example.org/'/>", "outside itself"),
        ("<rect fill='url(https://example.org/a#b)'/>", "outside itself"),
        ("<rect style='fill:url( \"//example.org/a\" )'/>", "outside itself"),
        ("<style>rect { fill: u/**/rl(//example.org/a) }</style>", "outside itself"),
        ("<style>@import 'a.css';</style>", "imports or escapes"),
        ("<style>rect { fill: \\75rl(//example.org/a) }</style>", "imports or escapes"),
        ("<animate attributeName='xlink:href' to='javascript:1'/>", "changes a reference"),
        ("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>", "contain themselves"),
        ("<g>", "well-formed"),
    ],
    ids=lambda value: value[:40],
)
def test_drawing_that_does_more_than_draw_is_refused(inside: str, words: str) -> None:
    with pytest.raises(BadPicture, match=words):
        read_content(svg(inside))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("<?xml-stylesheet href='a.css'?>" + SVG, "processing instruction"),
        ("<!DOCTYPE svg [<!ENTITY a 'b'>]>" + SVG, "entities"),
        ("<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'x()'>]>" + SVG, "onload"),
        ("<svg><rect/></svg>", "outermost"),
        ("<!-- " + "x" * MOST_SVG_BYTES + " -->" + SVG, "no picture"),
        (SVG.format("<!-- " + "x" * MOST_SVG_BYTES + " -->"), "more than 2 MB"),
    ],
    ids=["style sheet", "entity", "attribute by default", "no name space", "late", "large"],
)
def test_document_that_is_no_mere_drawing_is_refused(data: str, words: str) -> None:
    with pytest.raises(BadPicture, match=words):
        read_content(data.replace("{}", "").encode())


def test_copies_of_copies_are_counted_before_a_browser_draws_them() -> None:
    layers = ["<g id='l0'><rect/></g>"]
    layers += [f"<g id='l{n}'>" + f"<use href='#l{n - 1}'/>" * 4 + "</g>" for n in range(1, 20)]

    with pytest.raises(BadPicture, match="200000 shapes"):
        read_content(svg("".join(layers)))


@pytest.mark.parametrize(
    "style", ["fill: url(#a)", "fill: url( '#a' )", "mask: none", "/* url(//x) */ fill: red"]
)
def test_references_within_a_drawing_are_fine(style: str) -> None:
    data = svg(f'<rect style="{style}"/><image href="data:image/png;base64,AAAA"/>')

    assert read_content(data).data == data


def test_prepared_picture_has_two_thumbnails_in_its_shape() -> None:
    found = raster.prepare(encode(draw(size=(1200, 600)), "JPEG"), sizes=(160, 480))

    sizes = {}
    for size, content in found.thumbnails.items():
        with Image.open(BytesIO(content)) as image:
            sizes[size] = (image.format, image.size)
    assert (found.width, found.height) == (1200, 600)
    assert sizes == {160: ("WEBP", (160, 80)), 480: ("WEBP", (480, 240))}


def test_thumbnail_is_never_larger_than_the_picture() -> None:
    found = raster.prepare(png(size=(100, 50)), sizes=(160,))

    with Image.open(BytesIO(found.thumbnails[160])) as image:
        assert image.size == (100, 50)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_mode_can_be_drawn(mode: str) -> None:
    image = draw().convert("L").convert(mode) if mode == "I;16" else draw().convert(mode)

    found = raster.prepare(encode(image), sizes=(160,))

    with Image.open(BytesIO(found.thumbnails[160])) as small:
        assert small.size == (120, 80)


def test_cmyk_can_be_drawn_and_read() -> None:
    data = encode(draw(mode="CMYK"), "JPEG")

    assert raster.prepare(data, sizes=(160,)).thumbnails[160][:4] == b"RIFF"
    assert raster.for_reading(data).startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_hash_of_the_same_picture_saved_and_scaled_is_near(kind: str) -> None:
    first = raster.prepare(png(size=(900, 600)), sizes=(160,)).perceptual_hash
    small = encode(draw(size=(900, 600)).resize((300, 200)), kind, quality=70)
    other = raster.prepare(png(seed=1, size=(900, 600)), sizes=(160,)).perceptual_hash

    assert are_near(first, raster.prepare(small, sizes=(160,)).perceptual_hash)
    assert not are_near(first, other)
