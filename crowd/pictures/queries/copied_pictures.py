"""Check that every picture that copied rows name is in the copy, with the digest that the row says."""

from collections.abc import Iterator, Mapping
from itertools import chain

from crowd.pictures.models import Original, Picture
from hits.common.health.findings import Finding


def examine_copied_pictures(pictures: Mapping[str, str]) -> Iterator[Finding]:
    """Compare with the digests of the copy's files, by their names below the folder of media."""
    rows = chain(
        Picture.objects.values_list("file", "sha256").iterator(),
        Original.objects.values_list("file", "sha256").iterator(),
    )
    count, wrong = 0, list[str]()
    for name, digest in rows:
        count += 1
        if pictures.get(name) != digest:
            wrong.append(f"{name} is {'another file' if name in pictures else 'missing'}")
    saw = f"{len(wrong)} of {count} pictures: {wrong[0]}" if wrong else f"{count} pictures with their digests"
    yield Finding(name="pictures", ok=not wrong, saw=saw)
