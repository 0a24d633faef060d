"""The life of a release: asked for, written by a sweep, declared as published or deleted."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Min, Q, QuerySet
from django.db.models.functions import Coalesce

from crowd.releases.family_contents import contents_of
from crowd.releases.files.places import only_one, remove, remove_files
from crowd.releases.files.stores import StoreAway, stores_of
from crowd.releases.models import Release
from crowd.releases.services import release_files
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.studies.models import Study

# How long one sweep works on a release: other work waits behind it.
A_STRETCH = timedelta(seconds=5)
# How long a release waits after its bucket was away.
WAIT_FOR_BUCKET = timedelta(minutes=1)
Clock = Callable[[], datetime]
Status = Release.Status
log = structlog.get_logger()


def make_release(*, study: Study, family: str, by: User, now: datetime, **values: Any) -> Release:
    """Ask for a release, which a sweep writes. Raises RuleBroken if it were empty or the version exists.

    `values` are fields of the release; those that are left out are chosen by the family.
    """
    release = Release(study=study, family=family, made_by=by, made_at=now, **values)
    release.sources = sorted(release.sources)
    contents = contents_of(release)
    contents.complete(release)
    threshold = release.selection_threshold
    if threshold is not None and not 1 <= threshold <= 100:
        raise RuleBroken("bad_threshold", "The selection threshold is a whole number from 1 to 100 per cent.")
    known = {value for value, _ in contents.sources}
    if known and not (release.sources and set(release.sources) <= known):
        raise RuleBroken("no_sources", f"Choose whose {contents.items} are part of it.")
    if release.hides_test and release.split_seed is None:
        raise RuleBroken("nothing_split", "Labels of a test split can stay here only where there are splits.")
    if problem := contents.lack(release):
        raise RuleBroken("nothing_to_release", problem)
    version = release.version
    try:
        with transaction.atomic():
            release.save()
            selection = "" if threshold is None else f", with a selection threshold of {threshold} %"
            words = f"Release {version} was asked for{selection}."
            audit_trail.note("release.made", words, by=by, now=now, study=study)
    except IntegrityError:
        raise RuleBroken(
            "version_taken", f"There is a version {version} of this study. Choose another one."
        ) from None
    return release


def write_releases(*, clock: Clock) -> int:
    """Continue the releases that are not ready, and return how many became ready."""
    is_due = Q(waits_until=None) | Q(waits_until__lte=clock())
    waiting = _being_made().filter(is_due).select_related("study")
    return sum(write_some(release, clock=clock) for release in waiting.order_by("pk"))


def next_release(*, now: datetime) -> datetime | None:
    """Instant from which an unfinished release is due: the process at work on its files may have died."""
    due_at = Min(Coalesce("waits_until", "made_at"))
    first: datetime | None = _being_made().aggregate(first=due_at)["first"]
    return first


def _being_made() -> QuerySet[Release]:
    return Release.objects.filter(status__in=Release.BEING_MADE)


def write_some(release: Release, *, clock: Clock, stretch: timedelta = A_STRETCH) -> bool:
    """Write for a while, in steps that can each be lost and repeated. True if the release is ready then."""
    with only_one(release, wait=False) as is_ours:
        # Read under the lock, so that what another process did before is seen.
        current = Release.objects.select_related("study").filter(pk=release.pk).first() if is_ours else None
        if current is None or not current.is_being_made:
            return False
        try:
            _work(current, clock=clock, until=clock() + stretch)
        except OSError as problem:
            _fail(current, problem)
        except StoreAway as away:
            _wait_for_bucket(current, away, until=clock() + WAIT_FOR_BUCKET)
    return current.is_complete


def publish_release(*, release: Release, by: User, now: datetime) -> None:
    """Publish a release; from then on it stays as it is. Raises RuleBroken if it is not ready."""
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
    """Make a release again from the beginning, as of the same moment. Raises RuleBroken unless it failed."""
    with only_one(release, wait=True), transaction.atomic():
        is_ours = move(
            release, Status.FREEZING, problem="", cursor=0, written=0, rows_done=0, files=[], counts={}
        )
        if not is_ours:
            raise RuleBroken("not_failed", "Only a release that has failed can be made again.")
        remove_files(release)
        audit_trail.note(
            "release.retried",
            f"Release {release.version} is made again.",
            by=by,
            now=now,
            study=release.study,
        )


def delete_release(*, release: Release, by: User, now: datetime) -> None:
    """Delete a release, its files and benchmarks. Raises RuleBroken if published: others may have it.

    Raises StoreAway if its bucket is away; it can be deleted again then, and is no longer to be published.
    """
    with only_one(release, wait=True):
        held = _give_up(release)
        if held is None:
            return
        for store in stores_of(held):
            store.remove(held)
        with transaction.atomic():
            audit_trail.note(
                "release.deleted", f"Release {held.version} was deleted.", by=by, now=now, study=held.study
            )
            held.delete()
        remove(release)


def _give_up(release: Release) -> Release | None:
    """Make sure that nobody publishes the release any more, before anything of it is removed."""
    with transaction.atomic():
        held = Release.objects.select_for_update().filter(pk=release.pk).first()
        if held and held.status == Status.RELEASED:
            raise RuleBroken("is_published", "A published release is never deleted: others may have it.")
        if held:
            move(held, Status.FAILED, problem="It was to be deleted. Delete it again.", waits_until=None)
    return held


def _wait_for_bucket(release: Release, away: StoreAway, *, until: datetime) -> None:
    """Note why the files are not in the bucket yet; a later sweep goes on."""
    release.problem, release.waits_until = str(away)[:500], until
    release.save(update_fields=["problem", "waits_until"])
    log.warning("release.bucket_away", release=str(release.public_id), problem=release.problem)


def _work(release: Release, *, clock: Clock, until: datetime) -> None:
    """Do at least one step of the release, and as many as there is time for."""
    contents = contents_of(release)
    if release.status == Status.FREEZING and not release.cursor:
        contents.begin(release)
    while release.is_being_made:
        if release.status == Status.FREEZING:
            if not contents.freeze_some(release):
                release_files.begin_writing(release)
                move(release, Status.WRITING)
        elif not release_files.write_next(release) and not release_files.copy_next(release):
            move(release, Status.READY, ready_at=clock())
            log.info("release.ready", release=str(release.public_id), rows=release.rows_done)
        if clock() >= until:
            break


def _fail(release: Release, problem: OSError) -> None:
    """Mark the release as failed, say on a full disk; a person corrects that and tries again."""
    words = f"The files cannot be written: {problem.strerror or problem}."
    move(release, Status.FAILED, problem=words[:500])
    log.warning("release.failed", release=str(release.public_id), problem=words)
