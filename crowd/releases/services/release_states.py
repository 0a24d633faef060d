"""The life of a release: asked for, written by a sweep, declared as published or deleted."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Min, QuerySet

from crowd.winogavil.models import Association
from crowd.winogavil.releases.files.places import only_one, remove
from crowd.winogavil.releases.models import Release, ReleaseItem
from crowd.winogavil.releases.services import frozen_rows, writing
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.studies.models import Study

# So long one sweep stays at it: other work waits behind.
A_STRETCH = timedelta(seconds=5)
Clock = Callable[[], datetime]
Status = Release.Status
log = structlog.get_logger()


def make_release(
    *,
    study: Study,
    title: str,
    version: str,
    licence: str,
    sources: Collection[str],
    by: User,
    now: datetime,
    notes: str = "",
    with_rest: bool = False,
    linkable: bool = False,
) -> Release:
    """Asks for one; a sweep writes it. Raises RuleBroken where there is nothing, or this version exists."""
    if not sources or not set(sources) <= set(Association.Source.values):
        raise RuleBroken("no_sources", "Choose whose associations are part of it.")
    release = Release(
        study=study, title=title, version=version, licence=licence, notes=notes, sources=sorted(sources),
        with_rest=with_rest, linkable=linkable, made_by=by, made_at=now,
    )  # fmt: skip
    if not frozen_rows.belonging(release).exists():
        raise RuleBroken(
            "nothing_to_release", "Nothing of these sources is final yet: there is nothing to release."
        )
    try:
        with transaction.atomic():
            release.save()
            audit_trail.note("release.made", f"Release {version} was asked for.", by=by, now=now, study=study)
    except IntegrityError:
        raise RuleBroken(
            "version_taken", f"There is a version {version} of this study. Choose another one."
        ) from None
    return release


def write_releases(*, clock: Clock) -> int:
    """Whatever is not ready goes on where it was. How many became ready."""
    waiting = _being_made().select_related("study")
    return sum(write_some(release, clock=clock) for release in waiting.order_by("pk"))


def next_release(*, now: datetime) -> datetime | None:
    """Whatever is not ready is due: who was at work on its files may have died."""
    first: datetime | None = _being_made().aggregate(first=Min("made_at"))["first"]
    return first


def _being_made() -> QuerySet[Release]:
    return Release.objects.filter(status__in=Release.BEING_MADE)


def write_some(release: Release, *, clock: Clock, stretch: timedelta = A_STRETCH) -> bool:
    """For a stretch of time, in steps that can each be lost and made again. True if it is ready by that."""
    with only_one(release, wait=False) as is_ours:
        # Read under the lock: what another process did of it before has been noted.
        current = Release.objects.select_related("study").filter(pk=release.pk).first() if is_ours else None
        if current is None or not current.is_being_made:
            return False
        try:
            _work(current, clock=clock, until=clock() + stretch)
        except OSError as problem:
            _fail(current, problem)
    return current.is_complete


def publish_release(*, release: Release, by: User, now: datetime) -> None:
    """From now on it stays as it is, for good."""
    with transaction.atomic():
        if not move(release, Status.RELEASED, released_at=now, released_by=by):
            raise RuleBroken("not_ready", "Only a release that is ready can be published.")
        audit_trail.note(
            "release.published",
            f"Release {release.version} was published.",
            by=by,
            now=now,
            study=release.study,
        )


def try_again(*, release: Release, by: User, now: datetime) -> None:
    """From the beginning, as of the same moment."""
    with only_one(release, wait=True), transaction.atomic():
        ReleaseItem.objects.filter(release=release).delete()
        remove_files = move(
            release, Status.FREEZING, problem="", cursor=0, written=0, rows_done=0, files=[], counts={}
        )
        if not remove_files:
            raise RuleBroken("not_failed", "Only a release that has failed is made anew.")
        audit_trail.note(
            "release.retried",
            f"Release {release.version} is made again.",
            by=by,
            now=now,
            study=release.study,
        )


def delete_release(*, release: Release, by: User, now: datetime) -> None:
    """With its files and what was held against it. What was published stays."""
    with only_one(release, wait=True):
        with transaction.atomic():
            held = Release.objects.select_for_update().filter(pk=release.pk).first()
            if held is None:
                return
            if held.status == Status.RELEASED:
                raise RuleBroken("is_published", "A published release is never deleted: others may have it.")
            audit_trail.note(
                "release.deleted", f"Release {held.version} was deleted.", by=by, now=now, study=held.study
            )
            ReleaseItem.objects.filter(release=held).delete()
            held.delete()
        remove(release)


def _work(release: Release, *, clock: Clock, until: datetime) -> None:
    """At least one piece of it, and as many as there is time for."""
    if release.status == Status.FREEZING and not release.cursor:
        frozen_rows.begin(release)
    naming = frozen_rows.naming_of(release)
    while release.is_being_made:
        if release.status == Status.FREEZING:
            if not frozen_rows.freeze_some(release, naming=naming):
                frozen_rows.end(release)
                move(release, Status.WRITING)
        elif not writing.write_next(release):
            move(release, Status.READY, ready_at=clock())
            log.info("release.ready", release=str(release.public_id), rows=release.rows_done)
        if clock() >= until:
            break


def _fail(release: Release, problem: OSError) -> None:
    """A full disk, say: a person mends it and tries again."""
    words = f"The files cannot be written: {problem.strerror or problem}."
    move(release, Status.FAILED, problem=words[:500])
    log.warning("release.failed", release=str(release.public_id), problem=words)
