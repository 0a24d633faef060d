"""What each family releases: which rows are frozen, and which files are made from them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from django.db.models import QuerySet

from crowd.pictures.models import Picture
from crowd.releases.models import Release
from hits.core.errors import CrowdError
from hits.datasets.columns import Column, Row
from hits.studies.models import Study

# Between a column of nested rows and a column of these.
INSIDE = "/"
_contents: dict[str, "ReleaseContents"] = {}


def _any(_: Row) -> bool:
    return True


def _as_it_is(row: Row) -> Iterable[Row]:
    return (row,)


@dataclass(frozen=True, kw_only=True)
class ReleaseFile:
    """Rows of a release that have files of their own, by this name, in every format.

    `part` names the frozen rows that it is made from, of which it has those that are `wanted`. `divide` makes
    several rows of one, in a file without images; each has the columns of the one as well. `item` is the
    column by which a row belongs to an item, and to the splits of that. `pair` is the column of what must not
    be divided in the split by halves. `images` maps a column with the image itself, in Parquet, to the column
    with its SHA-256. `labels` names the columns that tell the answer, “pictures/chosen” one of nested rows.
    Where `tells` is true, each row tells the answer by being there, and none of a hidden split is written.
    """

    name: str
    words: str
    part: str
    columns: Sequence[Column]
    item: str
    wanted: Callable[[Row], bool] = _any
    divide: Callable[[Row], Iterable[Row]] = _as_it_is
    pair: str = ""
    images: Mapping[str, str] = field(default_factory=dict)
    labels: Sequence[str] = ()
    tells: bool = False

    def rows_of(self, frozen: Row) -> Iterable[Row]:
        """Return the rows that it has of a frozen one."""
        return self.divide(frozen) if self.wanted(frozen) else ()


@dataclass(frozen=True, kw_only=True)
class NamedPicture:
    """A picture as a frozen row names it. A recording may have its name alone."""

    name: str
    sha256: str
    licence: str = ""
    credit: str = ""
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class ExamplePicture:
    """A picture of an example, with what is said of it there."""

    name: str
    sha256: str
    mark: str = ""


@dataclass(frozen=True, kw_only=True)
class ReleaseExample:
    """An item as the public page shows it, with its answer: its own words, pictures, and named texts."""

    words: str
    pictures: Sequence[ExamplePicture] = ()
    texts: Sequence[tuple[str, str]] = ()


class ReleaseContents(ABC):
    """What one family releases.

    Rows are frozen in steps, each of which can be lost and made again. Everything after that is made from
    the frozen rows alone, which lie in `frozen_path` and are sent to nobody.
    """

    family: ClassVar[str]
    # What its items are called: "associations".
    items: ClassVar[str]
    # Whose items can be chosen, as pairs of a value and its words; empty: there is one source.
    sources: ClassVar[Sequence[tuple[str, str]]] = ()
    # Sources that are chosen at first.
    first_sources: ClassVar[Sequence[str]] = ()
    sources_help: ClassVar[str] = ""
    has_threshold: ClassVar[bool] = False
    # Values of the standard's header of dataset cards.
    tasks: ClassVar[Sequence[str]] = ()
    # The words of the field that includes what was collected and not selected.
    rest_label: ClassVar[str] = "Include what was withdrawn or not selected, in the full form"

    def complete(self, release: Release) -> None:  # noqa: B027 - a family without settings has none
        """Fill in what the family chooses where nobody did. Raises RuleBroken for a setting it has not."""

    @abstractmethod
    def lack(self, release: Release) -> str:
        """Return in words why there is nothing to release; empty if there is something."""

    @abstractmethod
    def begin(self, release: Release) -> None:
        """Store what holds for all steps, before the first of them."""

    @abstractmethod
    def freeze_some(self, release: Release) -> bool:
        """Freeze some rows, and return False once there are no more. Files are whole before a row says so."""

    @abstractmethod
    def files(self, release: Release) -> Sequence[ReleaseFile]:
        """Return the files, the most important first."""

    @abstractmethod
    def pictures_of(self, row: Row) -> Iterator[NamedPicture]:
        """Yield each picture of a row of the first file."""

    @abstractmethod
    def pictures_in(self, study: Study) -> QuerySet[Picture]:
        """Return the pictures that a release of this study could name."""

    @abstractmethod
    def example(self, row: Row) -> ReleaseExample:
        """Return a frozen row of the first file, whose labels are public, as an example."""

    def blind(self, release: Release, row: Row) -> Row:
        """Return a row of a hidden split without what its order or its id would tell of the answer."""
        return row

    @abstractmethod
    def card(self, release: Release) -> str:
        """Return the middle of the card in Markdown: how the data came about, and their limits."""

    def count(self, release: Release, rows: Iterable[Row]) -> dict[str, Any]:
        """Return numbers for the card, counted in one pass over the frozen rows of the first file."""
        for _ in rows:
            pass
        return {}


def register(contents: ReleaseContents) -> None:
    """Register a family's contents. Called from an AppConfig.ready of the family."""
    _contents[contents.family] = contents


def registered() -> Mapping[str, ReleaseContents]:
    return dict(sorted(_contents.items()))


def get(family: str) -> ReleaseContents:
    """Raises CrowdError for a family that releases nothing."""
    if family not in _contents:
        raise CrowdError(f"{family!r} has no releases. Known: {', '.join(sorted(_contents))}.")
    return _contents[family]


def contents_of(release: Release) -> ReleaseContents:
    return get(release.family)
