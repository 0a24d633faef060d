"""The whole release as one ZIP file: every file, and each contained picture under its digest."""

from pathlib import Path
from shutil import copyfileobj
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from crowd.pictures.models import Picture
from crowd.releases.models import Release
from crowd.releases.services.survey import pictures_of
from hits.datasets.whole_files import replacing

FOLDER = "pictures"
# Texts that get smaller. Parquet and pictures are compressed already.
TEXTS = (".csv", ".jsonl", ".json", ".md")
PIECE = 1024 * 1024
PICTURES = Picture._meta.get_field("file").storage


def write_zip(release: Release, path: Path) -> None:
    """Write the ZIP file. The same release gives the same bytes, whenever it is written."""
    moment = release.made_at.utctimetuple()[:6]
    seen: set[str] = set()
    with replacing(path) as out, ZipFile(out, "w", allowZip64=True) as whole:

        def add(name: str, source: Path | str) -> None:
            info = ZipInfo(name, date_time=moment)
            info.compress_type = ZIP_DEFLATED if name.endswith(TEXTS) else ZIP_STORED
            opened = source.open("rb") if isinstance(source, Path) else PICTURES.open(source)
            with opened as file, whole.open(info, "w", force_zip64=True) as member:
                copyfileobj(file, member, PIECE)

        for file in release.files:
            add(file["name"], release.folder / file["name"])
        for picture in pictures_of(release):
            if picture.stored and picture.file not in seen:
                seen.add(picture.file)
                add(f"{FOLDER}/{picture.file}", picture.stored)
