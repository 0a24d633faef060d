"""The files of a release, each made from the frozen rows. A file that is there is whole."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from crowd.pictures.models import Picture
from crowd.releases.family_contents import ReleaseContents, ReleaseFile, contents_of
from crowd.releases.files.stores import current_store
from crowd.releases.models import LAST_FILE, Release
from crowd.releases.services import card, croissant
from crowd.releases.services.card import PICTURES
from crowd.releases.services.release_rows import columns_in, rows_in
from crowd.releases.services.survey import PART, pictures_of, survey
from crowd.releases.services.survey_file import ReleasedPicture, reading
from crowd.releases.services.zip_file import write_zip
from hits.datasets.columns import FLAG, IMAGE, TEXT, Column, column
from hits.datasets.text_formats import csv_lines, jsonl
from hits.datasets.whole_files import describe, replacing, write_pieces

CARD, CROISSANT, SUMS, EVERYTHING = "README.md", "croissant.json", "SHA256SUMS", LAST_FILE
DRAWING = ".svg"
STORAGE = Picture._meta.get_field("file").storage
Write = Callable[[Path], None]
IMAGE_COLUMN = column("image", IMAGE, "the picture; empty where it is left out")
# Columns of the list of pictures, which has each picture of a release once.
PICTURE_COLUMNS: Sequence[Column] = (
    column("name", TEXT, "as rows name it"),
    column("sha256", TEXT, "of the file"),
    column("file", TEXT, "its name in the folder of pictures; empty where it is left out"),
    column("licence", TEXT, "of the picture"),
    column("credit", TEXT, "whom to name with it"),
    column("source", TEXT, "where it was found"),
    column("contained", FLAG, "whether the release has the picture itself", of=lambda one: bool(one.stored)),
    column("left_out", TEXT, "why it has not"),
)


def begin_writing(release: Release) -> None:
    """Look over the rows once: what that finds decides which files there are."""
    release.counts = survey(release, contents_of(release))
    release.save(update_fields=["counts"])


def write_next(release: Release) -> bool:
    """Write one more file; False once all of them are there."""
    done = {file["name"] for file in release.files}
    files = files_of(release)
    name = next((name for name in files if name not in done), None)
    if name is None:
        return False
    path = release.folder / name
    files[name](path)
    release.files = [*release.files, describe(path)]
    release.save(update_fields=["files"])
    return True


def copy_next(release: Release) -> bool:
    """Bring one more file to where releases are kept; False once all of them are there.

    A file whose copy was not noted is looked for there, and not sent again. Files stay here until the last.
    """
    store = current_store()
    for place, file in enumerate(release.files):
        if not store.holds(file):
            release.files[place] = dict(store.keep(release, file))
            release.problem, release.waits_until = "", None
            release.save(update_fields=["files", "problem", "waits_until"])
            return True
    for file in release.files:
        if file.get("bucket"):
            (release.folder / file["name"]).unlink(missing_ok=True)
    return False


def files_of(release: Release) -> Mapping[str, Write]:
    """Files of a release, in the order in which they are written: the last ones tell of the others."""
    if not release.counts:
        return {}
    contents = contents_of(release)
    return {
        **{name: write for file in contents.files(release) for name, write in _forms(release, file)},
        **dict(_of_pictures(release)),
        CROISSANT: partial(_write_croissant, release, contents),
        CARD: partial(_write_card, release, contents),
        SUMS: partial(_write_sums, release),
        EVERYTHING: partial(write_zip, release),
    }


def shards(name: str, rows: int) -> Sequence[str]:
    """Names of the Parquet files of this many rows with images, as the `datasets` library numbers them."""
    count = max(1, -(-rows // PART))
    if count == 1:
        return [f"{name}.parquet"]
    return [f"{name}-{number:05}-of-{count:05}.parquet" for number in range(count)]


def _forms(release: Release, file: ReleaseFile) -> Iterator[tuple[str, Write]]:
    yield f"{file.name}.csv", partial(_write_csv, release, file)
    yield f"{file.name}.jsonl", partial(_write_jsonl, release, file)
    if not file.images:
        yield f"{file.name}.parquet", partial(_write_parquet, release, file)
        return
    for place, name in enumerate(shards(file.name, release.counts["files"][file.name])):
        yield name, partial(_write_shard, release, file, place)


def _write_csv(release: Release, file: ReleaseFile, path: Path) -> None:
    write_pieces(path, csv_lines(columns_in(release, file), rows_in(release, file)))


def _write_jsonl(release: Release, file: ReleaseFile, path: Path) -> None:
    write_pieces(path, jsonl(columns_in(release, file), rows_in(release, file)))


def _write_parquet(release: Release, file: ReleaseFile, path: Path) -> None:
    from hits.datasets.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

    with replacing(path) as out:
        write_parquet(columns_in(release, file), rows_in(release, file), out)


def _write_shard(release: Release, file: ReleaseFile, place: int, path: Path) -> None:
    """Write rows with the images themselves, each in a column before the words about it."""
    from hits.datasets.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

    columns = [
        *(column(name, IMAGE, "the picture itself") for name in file.images),
        *columns_in(release, file),
    ]
    with replacing(path) as out, reading(release) as found:
        rows = (
            {**row, **{name: row[digest] or None for name, digest in file.images.items()}}
            for row in islice(rows_in(release, file, byte=found.first_byte(file.name, place)), PART)
        )
        write_parquet(columns, rows, out, images=lambda digest: _image(found.find(digest)))


def _of_pictures(release: Release) -> Iterator[tuple[str, Write]]:
    yield f"{PICTURES}.csv", partial(_write_picture_list, release)
    if contained := release.counts["pictures_contained"]:
        for place, name in enumerate(shards(PICTURES, contained)):
            yield name, partial(_write_pictures, release, place)


def _write_picture_list(release: Release, path: Path) -> None:
    rows = ({one.name: _told(one, picture) for one in PICTURE_COLUMNS} for picture in pictures_of(release))
    write_pieces(path, csv_lines(PICTURE_COLUMNS, rows))


def _write_pictures(release: Release, place: int, path: Path) -> None:
    """Write pictures that are contained, each once, whichever rows name them."""
    from hits.datasets.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

    columns = (IMAGE_COLUMN, *PICTURE_COLUMNS[:6])
    with replacing(path) as out, reading(release) as found:
        rows = (
            {"image": one.sha256, **{told.name: _told(told, one) for told in PICTURE_COLUMNS[:6]}}
            for one in found.contained(first=place * PART, count=PART)
        )
        write_parquet(columns, rows, out, images=lambda digest: _image(found.find(digest)))


def _told(one: Column, picture: ReleasedPicture) -> object:
    return getattr(picture, one.name) if one.of is None else one.of(picture)


def _image(picture: ReleasedPicture | None) -> tuple[bytes, str] | None:
    """Return the picture itself. A drawing is None: those who load Parquet decode pixels alone."""
    if picture is None or picture.file.endswith(DRAWING):
        return None
    with STORAGE.open(picture.stored) as file:
        return file.read(), picture.file


def _write_card(release: Release, contents: ReleaseContents, path: Path) -> None:
    write_pieces(path, [card.write_card(release, contents).encode()])


def _write_croissant(release: Release, contents: ReleaseContents, path: Path) -> None:
    write_pieces(path, [croissant.write_croissant(release, contents).encode()])


def _write_sums(release: Release, path: Path) -> None:
    """Write the digests in the format that sha256sum -c reads."""
    write_pieces(path, [f"{file['sha256']}  {file['name']}\n".encode() for file in release.files])
