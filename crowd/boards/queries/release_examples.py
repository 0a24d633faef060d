"""A few items of a release, as its public page shows them: with pictures, and never one of a hidden split."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from crowd.pictures.models import Picture
from crowd.releases.family_contents import ReleaseExample, contents_of
from crowd.releases.models import Release
from crowd.releases.services.release_rows import visible_rows
from crowd.releases.services.survey_file import path_of, reading

SHOWN = 6
# So many rows are looked at: those whose pictures are left out are passed over.
LOOKED_AT = 200


@dataclass(frozen=True, kw_only=True)
class ShownPicture:
    """A picture of an example; without a key it is not contained in the release, or was removed since."""

    key: str
    name: str
    mark: str


@dataclass(frozen=True, kw_only=True)
class ShownExample:
    example: ReleaseExample
    pictures: Sequence[ShownPicture]


def examples_of(release: Release) -> Sequence[ShownExample]:
    """Return the first items all of whose pictures are contained, and others only where there are none."""
    contents = contents_of(release)
    file = contents.files(release)[0]
    if not (path_of(release).exists() and (release.frozen / f"{file.part}.jsonl").exists()):
        return []
    rows = islice(visible_rows(release, file), LOOKED_AT)
    read = [contents.example(row) for row in rows]
    with reading(release) as found:
        digests = {one.sha256 for example in read for one in example.pictures}
        contained = {digest for digest in digests if found.find(digest) is not None}
    whole = [one for one in read if all(picture.sha256 in contained for picture in one.pictures)]
    return list(_shown((whole or read)[:SHOWN], contained))


def _shown(examples: Sequence[ReleaseExample], contained: AbstractSet[str]) -> Iterator[ShownExample]:
    digests = {one.sha256 for example in examples for one in example.pictures} & contained
    fit = Picture.objects.filter(sha256__in=digests, status=Picture.Status.FIT)
    keys = dict(fit.values_list("sha256", "key"))
    for example in examples:
        pictures = [
            ShownPicture(key=keys.get(one.sha256, ""), name=one.name, mark=one.mark)
            for one in example.pictures
        ]
        yield ShownExample(example=example, pictures=pictures)
