"""One page of open work: candidates are read in chunks until the page is full, up to a bound."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import QueryDict

from crowd.marketplace import queries
from crowd.marketplace.models import HITType
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.queries.keysets import Mark, write_mark
from crowd.marketplace.site.access import Access, Doorkeeper

SIZE = 20
CHUNK = 60
MOST = 600  # candidates looked at for one page; further ones are on the next


@dataclass(frozen=True, kw_only=True)
class Find:
    """The worker's search, as read from the address. A senseless value there means the default."""

    text: str = ""
    sort: str = "newest"
    is_mine: bool = False  # only what this worker may accept
    after: str = ""
    before: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> "Find":
        sort = query.get("sort", "")
        return cls(
            text=" ".join(queries.words_of(query.get("q", ""))),
            sort=sort if sort in queries.LISTED else "newest",
            is_mine=query.get("mine") == "1",
            after=query.get("after", ""),
            before=query.get("before", ""),
        )

    def address(self, **changes: object) -> str:
        """The address of the same search with these changes."""
        query = QueryDict(mutable=True)
        values: dict[str, Any] = {"q": self.text, "sort": self.sort, "mine": "1" if self.is_mine else ""}
        query.update({name: value for name, value in {**values, **changes}.items() if value})
        return f"?{query.urlencode()}"


@dataclass(frozen=True)
class Offer:
    access: Access

    @property
    def hits(self) -> int:
        return self.access.group.hits_left  # type: ignore[attr-defined,no-any-return]

    @property
    def is_many(self) -> bool:
        return self.hits > queries.COUNTED


@dataclass(frozen=True, kw_only=True)
class Listing:
    offers: list[Offer]
    before: str
    after: str
    left_out: bool  # a group that the worker may discover, but not accept


def read_listing(find: Find, *, worker: Worker, now: datetime) -> Listing:
    keyset = queries.LISTED[find.sort]
    backwards = bool(find.before) and not find.after
    start = keyset.read_mark(find.before if backwards else find.after)
    reading = _read(find, worker=worker, start=start, backwards=backwards and start is not None, now=now)
    came_from = keyset.mark(reading.shown[0].group) if start and reading.shown else start
    ends = (came_from, reading.end)
    if backwards and start:
        reading.shown.reverse()
        ends = ends[::-1]
    before, after = (write_mark(mark) if mark else "" for mark in ends)
    return Listing(
        offers=list(map(Offer, reading.shown)), before=before, after=after, left_out=reading.left_out
    )


@dataclass(kw_only=True)
class _Reading:
    """The groups read for one page. `end` is where the next page begins, if there is more."""

    shown: list[Access] = field(default_factory=list)
    left_out: bool = False
    end: Mark | None = None


def _read(find: Find, *, worker: Worker, start: Mark | None, backwards: bool, now: datetime) -> _Reading:
    reading, last = _Reading(), start
    candidates = _candidates(find, worker=worker, start=start, backwards=backwards, now=now)
    for number, (group, access) in enumerate(candidates, start=1):
        if access and access.can_discover:
            if find.is_mine and not access.can_accept:
                reading.left_out = True
            elif len(reading.shown) == SIZE:
                reading.end = last
                break
            else:
                reading.shown.append(access)
        last = queries.LISTED[find.sort].mark(group)
        if number == MOST:
            reading.end = last
            break
    return reading


def _candidates(
    find: Find, *, worker: Worker, start: Mark | None, backwards: bool, now: datetime
) -> Iterator[tuple[HITType, Access | None]]:
    """Every listed group in order; with None if no HIT of it is left for this worker."""
    doorkeeper, words = Doorkeeper(worker), queries.words_of(find.text)
    mark, most = start, SIZE + 1
    while True:
        chunk = queries.read_groups(
            worker=worker, words=words, order=find.sort, after=mark, backwards=backwards, most=most, now=now
        )
        left = [group for group in chunk if group.hits_left]  # type: ignore[attr-defined]
        judged = {access.group.pk: access for access in doorkeeper.judge(left)}
        for group in chunk:
            yield group, judged.get(group.pk)
        if len(chunk) < most:
            return
        mark, most = queries.LISTED[find.sort].mark(chunk[-1]), CHUNK
