"""Lists, folders and archives of pictures, as researchers have them."""

from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from crowd.pictures.bringing import import_lines, sources
from crowd.pictures.bringing.import_lines import ConceptFrom, Line, read_list, read_source
from crowd.pictures.bringing.sources import Folder, open_archive
from crowd.pictures.errors import BadPicture
from crowd.pictures.files.contents import MOST_BYTES
from hits.core.errors import InvalidItems
from tests.crowd.pictures.images import archive, png

pytestmark = pytest.mark.pure
QUOTE = "Put a field that holds the separator into quotation marks."


def test_list_with_all_columns_in_any_order() -> None:
    text = "License;URL;concept;Credit\nCC0;https://example.org/a.png;snow owl;A. Museum\n\n"

    reading = read_list(text.encode("utf-8-sig"), files=())

    assert reading.problems == []
    assert reading.lines == [
        Line(
            place="Line 2",
            concept="snow owl",
            url="https://example.org/a.png",
            licence="CC0",
            credit="A. Museum",
        )
    ]


def test_every_wrong_line_is_named_and_the_others_are_read() -> None:
    rows = [
        "concept,file,url,caption",
        "owl,owl.png,,",
        ",owl.png,,",
        "cat,,,",
        "cat,owl.png,https://example.org/a,",
        "cat,cat.png,,",
        "dog,,ftp://example.org/a,",
        "dog,,http://127.0.0.1/a,",
        "dog,,https://example.org/dog.png",
        f"{'x' * 65},owl2.png,,",
        f"cow,owl2.png,,{'x' * 501}",
        'cow,owl2.png,,"two\nlines"',
        "eagle,owl.png,,",
    ]

    reading = read_list("\n".join(rows).encode(), files={"owl.png", "owl2.png"})

    assert [line.place for line in reading.lines] == ["Line 2"]
    assert reading.problems == [
        "Line 3: it has no concept. Say in a word what the picture shows.",
        "Line 4: it needs a file or a url, and not both.",
        "Line 5: it needs a file or a url, and not both.",
        "Line 6: there is no file “cat.png” beside the list.",
        "Line 7: Give a whole address, such as https://example.org/cat.png.",
        "Line 8: 127.0.0.1 is not a public address. CROWD_FETCH_PRIVATE lets pictures come from one.",
        f"Line 9: it has 3 fields, and the heading 4. {QUOTE}",
        "Line 10: the concept has more than 64 characters.",
        "Line 11: the caption has more than 500 characters.",
        "Line 12: the caption holds a line break or another control character.",
        "Line 14: it is the same picture as line 2.",
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"concept,file\n", "no line below"),
        (b"concept,file,colour\n", "unknown columns: colour"),
        (b"concept,caption\n", "must have concept, and file or url"),
        (b"concept,file,filename\n", "twice: file"),
        (b'concept,file\nowl,"a\n', "quotation mark"),
        (b"concept,file\n\xff,a\n", "Line 2 is not UTF-8"),
        (b"\xd0\xcf\x11\xe0\0\0", "not UTF-8"),
        (b"concept\0,file\n", "not a text file"),
    ],
    ids=["nothing", "heading", "unknown", "no file", "twice", "open quotation", "latin", "workbook", "nul"],
)
def test_file_that_is_no_list_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(InvalidItems, match=words):
        read_list(content, files=())


def test_list_of_too_many_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_lines, "MOST_LINES", 2)

    with pytest.raises(InvalidItems, match="at most 2 lines"):
        read_list(b"concept,file\n" + b"owl,a.png\n" * 3, files={"a.png"})


def test_folder_is_read_by_the_names_in_it(tmp_path: Path) -> None:
    for name in ("snow_owl-1.png", "snow_owl-2.png", "cat/007.jpg", ".hidden.png", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(png())

    by_file = read_source(Folder(tmp_path), concept_from=ConceptFrom.FILE)
    by_folder = read_source(Folder(tmp_path), concept_from=ConceptFrom.FOLDER)

    assert [(line.file, line.concept) for line in by_file.lines] == [
        ("snow_owl-1.png", "snow owl"),
        ("snow_owl-2.png", "snow owl"),
    ]
    assert by_file.problems == ["cat/007.jpg: it has no concept. Say in a word what the picture shows."]
    assert [(line.file, line.concept) for line in by_folder.lines] == [("cat/007.jpg", "cat")]


def test_folder_gives_nothing_that_lies_outside_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "secret.png")
    folder = Folder(tmp_path / "in")

    assert [name in folder for name in ("../secret.png", "link.png", "a\0b")] == [False] * 3
    with pytest.raises(BadPicture, match="outside the folder"):
        folder.read("../secret.png")


def test_archive_with_a_list_is_read_by_it() -> None:
    files = {"set/list.csv": b"concept,file\nowl,set/1.png\ncat,2.png\n", "set/1.png": png()}
    files["__MACOSX/set/._1.png"] = b"x"

    with open_archive(BytesIO(archive(files))) as source:
        reading = read_source(source, concept_from=ConceptFrom.FILE)
        content = source.read("set/1.png")

    assert [(line.concept, line.file) for line in reading.lines] == [("owl", "set/1.png")]
    assert reading.problems == ["Line 3: there is no file “2.png” beside the list."]
    assert content == png()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.txt": b"x"}, "no pictures"),
        ({"a.csv": b"x", "b.csv": b"x"}, "2 lists"),
    ],
    ids=["no pictures", "two lists"],
)
def test_archive_that_says_nothing_is_refused(files: dict[str, bytes], words: str) -> None:
    with open_archive(BytesIO(archive(files))) as source, pytest.raises(InvalidItems, match=words):
        read_source(source, concept_from=ConceptFrom.FILE)


def test_archive_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidItems, match="no ZIP archive"), open_archive(BytesIO(b"PK\x03\x04 and more")):
        pass


def test_archive_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_FILES", 1)

    with (
        pytest.raises(InvalidItems, match="at most 1 files"),
        open_archive(BytesIO(archive({"a.png": b"", "b.png": b""}))),
    ):
        pass


def test_file_that_swells_is_read_no_further_than_allowed() -> None:
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as zip_file:
        zip_file.writestr("bomb.png", bytes(MOST_BYTES + 1))
    assert len(content.getvalue()) < 100_000

    with open_archive(content) as source, pytest.raises(BadPicture, match="more than 20 MB"):
        source.read("bomb.png")


def test_damaged_file_of_an_archive_is_told() -> None:
    data = bytearray(archive({"a.png": png()}))
    data[60] ^= 0xFF

    with open_archive(BytesIO(bytes(data))) as source, pytest.raises(BadPicture, match="damaged"):
        source.read("a.png")
