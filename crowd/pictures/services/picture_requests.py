"""The sweep that fulfils requests: each picture is fetched or taken out of an archive, judged, and added."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from time import monotonic

import structlog
from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef, QuerySet

from crowd.pictures.bringing.picture_fetching import fetch
from crowd.pictures.bringing.sources import open_archive
from crowd.pictures.errors import BadPicture, NotFetched
from crowd.pictures.files.contents import read_content
from crowd.pictures.models import Import, Request
from crowd.pictures.services.picture_entry import Entered, bring_in
from crowd.pictures.services.picture_imports import line_of
from hits.core import states
from hits.core.errors import InvalidItems

# Addresses are fetched all at the same time: a round takes as long as the slowest.
AT_ONCE = 8
# A process that dies at the work leaves the row to another after so long.
LEASE = timedelta(minutes=5)
WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
MOST_TRIES = len(WAITS) + 1
SWEEP_S = 5.0
Status = Request.Status
Got = bytes | BadPicture | NotFetched
log = structlog.get_logger()


def fulfil_requests(*, now: datetime) -> int:
    """Try due requests, and return how many. No network call and no archive is read in a transaction."""
    done, until = 0, monotonic() + SWEEP_S
    while some := _claim(now=now):
        for request, got in _get(some):
            _settle(request, got, now=now)
        done += len(some)
        if monotonic() > until:
            break
    _end_imports(now=now)
    return done


def next_request(*, now: datetime) -> datetime | None:
    """The time of the next try of a picture: the first, a later one, or that after a process that died."""
    first: datetime | None = _waiting().aggregate(first=Min("try_at"))["first"]
    return first


def _waiting() -> QuerySet[Request]:
    return Request.objects.filter(status=Status.WAITING)


def _claim(*, now: datetime) -> list[Request]:
    """Claim rows that are due, each of them for this process alone for a while. A compare and swap."""
    due = _waiting().filter(try_at__lte=now).select_related("importing")
    claimed = []
    for request in due.order_by("try_at", "pk")[:AT_ONCE]:
        same = _waiting().filter(pk=request.pk, try_at=request.try_at)
        if same.update(try_at=now + LEASE, tries=F("tries") + 1):
            request.tries += 1
            claimed.append(request)
    return claimed


def _get(requests: Sequence[Request]) -> Iterator[tuple[Request, Got]]:
    by_import: defaultdict[Import, list[Request]] = defaultdict(list)
    remote = []
    for request in requests:
        if request.tries > MOST_TRIES:
            yield request, BadPicture("Every attempt at this file broke off. Look at the file.")
        elif request.url:
            remote.append(request)
        else:
            by_import[request.importing].append(request)
    with ThreadPoolExecutor(AT_ONCE) as fetchers:
        yield from zip(remote, fetchers.map(_fetch, [one.url for one in remote]), strict=True)
    for importing, members in by_import.items():
        yield from _take_out(importing, members)


def _fetch(url: str) -> Got:
    """Fetch in a thread without a database; a NotFetched is returned."""
    try:
        return fetch(url)
    except NotFetched as problem:
        return problem


def _take_out(importing: Import, requests: Sequence[Request]) -> Iterator[tuple[Request, Got]]:
    try:
        with importing.file.open("rb") as file, open_archive(file) as archive:
            for request in requests:
                try:
                    yield request, archive.read(request.member)
                except BadPicture as problem:
                    yield request, problem
    except (OSError, ValueError, InvalidItems) as problem:
        for request in requests:
            if request.status == Status.WAITING:
                yield request, NotFetched(f"The archive cannot be opened ({problem}).", is_final=False)


def _settle(request: Request, got: Got, *, now: datetime) -> None:
    try:
        if not isinstance(got, bytes):
            raise got
        content = read_content(got)
        with transaction.atomic():
            entered = bring_in(line_of(request), content=content, is_checked=request.importing.is_checked)
            _fulfil(request, entered)
    except BadPicture as problem:
        _fail(request, problem)
    except NotFetched as problem:
        if problem.is_final or request.tries >= MOST_TRIES:
            _fail(request, problem)
        else:
            again_at = now + WAITS[request.tries - 1]
            mine = _waiting().filter(pk=request.pk)
            mine.update(try_at=again_at, problem=str(problem)[:500])


def _fulfil(request: Request, entered: Entered) -> None:
    if entered.is_new:
        states.move(request, Status.ADDED, picture=entered.picture, problem="")
        return
    known = entered.picture
    differs = "" if known.concept == request.concept else f"It is in the pool as “{known.concept}”."
    states.move(request, Status.DUPLICATE, picture=known, problem=differs)


def _fail(request: Request, problem: BadPicture | NotFetched) -> None:
    states.move(request, Status.FAILED, problem=str(problem)[:500])
    log.info("picture.not_brought", request=request.pk, problem=str(problem))


def _end_imports(*, now: datetime) -> None:
    """End imports without waiting requests, and delete their archives: what failed will not come right."""
    waiting = _waiting().filter(importing=OuterRef("pk"))
    running = Import.objects.filter(begun_at__isnull=False, ended_at=None)
    for importing in running.filter(~Exists(waiting)):
        if running.filter(pk=importing.pk).update(ended_at=now) and importing.file:
            name = str(importing.file.name)
            Import.objects.filter(pk=importing.pk).update(file="")
            importing.file.storage.delete(name)
