"""Writing an example: kept as a draft whatever it lacks, and made ready once it lacks nothing."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import Max, Q

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_states import lock_pictures
from crowd.winoground.models import Example, Project
from crowd.winoground.services import posted_examples
from crowd.winoground.services.facts import changes_in_words, facts_of
from crowd.winoground.services.readiness import ASKED_OF_PICTURES, Faults, faults_of
from crowd.winoground.services.tag_list import add_tags, hold_tags
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.services.locking import held

State = Example.State
WRITABLE = (State.DRAFT, State.READY)
WORDS = tuple(ASKED_OF_PICTURES)
TICK = timedelta(microseconds=1)
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class SourcedPicture:
    """A picture, and the words on where it is from."""

    picture: Picture | None = None
    source: str = ""
    credit: str = ""
    licence: str = ""


@dataclass(frozen=True, kw_only=True)
class WrittenExample:
    """All that an author fills in. `tags`: keys of the list; `new_tags`: names that may not be in it yet."""

    caption_0: str = ""
    caption_1: str = ""
    has_altered_morpheme: bool = False
    shown: tuple[SourcedPicture, SourcedPicture] = (SourcedPicture(), SourcedPicture())
    swap: str = ""
    tags: Collection[int] = ()
    new_tags: Collection[str] = ()
    predicates: int | None = None
    is_symbolic: bool = False
    is_series: bool = False
    is_pragmatic: bool = False
    metadata_0: str = ""
    metadata_1: str = ""
    note: str = ""


PLAIN = (
    "caption_0", "caption_1", "has_altered_morpheme", "swap", "predicates", "is_symbolic", "is_series",
    "is_pragmatic", "metadata_0", "metadata_1", "note",
)  # fmt: skip
FIXED = ("caption A", "caption B", "picture A", "picture B")
STALE = (
    "A colleague has changed this example since you opened it, or you did in another window. What you typed "
    "is still here but not saved. Look at the example as it is now, and save yours again if it should stay."
)


@dataclass(frozen=True, kw_only=True)
class KeptExample:
    """A kept example. `changes`: in words, for the record. `faults`: why it is not ready as was asked."""

    example: Example
    is_new: bool = False
    changes: Sequence[str] = ()
    faults: Faults = field(default_factory=dict)
    notes: Sequence[str] = ()


def write_example(
    *,
    project: Project,
    by: User,
    key: UUID,
    written: WrittenExample,
    wants_ready: bool = False,
    now: datetime,
) -> KeptExample:
    """Write a new example, once for each key; the same key with other words is stale."""
    with _held(project, written) as pictures:
        known = Example.objects.filter(public_id=key, project=project, author=by).first()
        if known is not None:
            return _keep(known, written, pictures, by=by, seen=None, wants_ready=wants_ready, now=now)
        last = project.examples.aggregate(last=Max("number"))["last"] or 0
        example = Example.objects.create(
            project=project, public_id=key, number=last + 1, author=by, created_at=now, changed_at=now - TICK
        )
        seen = example.changed_at  # its value before it is kept, below
        kept = _keep(example, written, pictures, by=by, seen=seen, wants_ready=wants_ready, now=now)
        if not kept.changes:
            _save(kept.example, now=now)
    log.info("winoground.example_written", example=str(key))
    return KeptExample(example=kept.example, is_new=True, faults=kept.faults, notes=kept.notes)


def change_example(
    *,
    example: Example,
    by: User,
    written: WrittenExample,
    seen: datetime | None,
    wants_ready: bool = False,
    now: datetime,
) -> KeptExample:
    """Change an example. Raises RuleBroken("stale"), and changes nothing, if it has changed since `seen`."""
    with _held(example.project, written) as pictures:
        current = Example.objects.get(pk=example.pk)
        return _keep(current, written, pictures, by=by, seen=seen, wants_ready=wants_ready, now=now)


def mark_ready(*, example: Example, now: datetime) -> Faults:
    """Mark a draft as ready, unless it has faults, which are returned: then it stays a draft."""
    with held(example.project):
        current = Example.objects.get(pk=example.pk)
        faults = faults_of(current) if current.state == State.DRAFT else {}
        if not faults:
            _move(current, State.READY, now=now)
    return faults


def reopen_example(*, example: Example, now: datetime) -> bool:
    """Take a ready example back to a draft. False: it is one already. Raises RuleBroken in other states."""
    with held(example.project):
        current = Example.objects.get(pk=example.pk)
        if current.state == State.WITHDRAWN:
            raise RuleBroken("withdrawn", "This example is withdrawn. Restore it instead.")
        return _move(current, State.DRAFT, now=now)


def withdraw_example(*, example: Example, now: datetime) -> bool:
    """Withdraw an example: no new worker is asked, and answers are kept. False: it is withdrawn already."""
    with held(example.project):
        current = Example.objects.get(pk=example.pk)
        was_asked = current.state == State.ASKED
        moved = _move(current, State.WITHDRAWN, now=now)
        if was_asked:
            posted_examples.pull(current, now=now)
    return moved


def restore_example(*, example: Example, now: datetime) -> bool:
    """Restore a withdrawn example as a draft. False: it is one already. Raises RuleBroken in other states."""
    with held(example.project):
        current = Example.objects.get(pk=example.pk)
        if current.state not in (State.DRAFT, State.WITHDRAWN):
            raise RuleBroken("not_withdrawn", "This example is not withdrawn: there is nothing to restore.")
        return _move(current, State.DRAFT, now=now)


def describe_pictures(
    *, example: Example, metadata: Sequence[str], seen: datetime | None, now: datetime
) -> Sequence[str]:
    """Write what is known of both pictures of an asked example, and return the changes in words.

    Workers never see it, so it may change after they were asked. Raises RuleBroken, and changes nothing, if
    the example has changed since `seen` or is not asked about.
    """
    with held(example.project):
        current = Example.objects.get(pk=example.pk)
        if current.state != State.ASKED:
            raise RuleBroken("not_asked", "Workers are not asked about this example: write it on its form.")
        if seen != current.changed_at:
            raise RuleBroken("stale", STALE)
        before = facts_of(current)
        current.metadata_0, current.metadata_1 = metadata
        if changes := changes_in_words(before, facts_of(current)):
            _save(current, now=now)
            log.info("winoground.pictures_described", example=str(current.public_id))
    return changes


def is_writable(example: Example) -> bool:
    return example.state in WRITABLE


def is_fixed(example: Example) -> bool:
    """Whether workers have been asked: captions and pictures then stay what they were asked about."""
    return example.asked_at is not None


@contextmanager
def _held(project: Project, written: WrittenExample) -> Iterator[Mapping[int, Picture]]:
    """Lock the pictures and read them as they are now, and then lock the project."""
    keys = [shown.picture.pk for shown in written.shown if shown.picture]
    with transaction.atomic():
        pictures = {picture.pk: picture for picture in lock_pictures(keys)}
        with held(project):
            yield pictures


def _keep(
    example: Example,
    written: WrittenExample,
    pictures: Mapping[int, Picture],
    *,
    by: User,
    seen: datetime | None,
    wants_ready: bool,
    now: datetime,
) -> KeptExample:
    """Keep what was written, or raise RuleBroken. The caller holds the pictures and the project."""
    _check_writable(example)
    before, was = facts_of(example), example.state
    tags = {tag.pk: tag for tag in [*hold_tags(written.tags), *add_tags(written.new_tags, by=by)]}.values()
    notes = _put_into(example, written, pictures)
    changes = changes_in_words(before, facts_of(example, tags=tags))
    if changes and seen != example.changed_at:
        raise RuleBroken("stale", STALE)
    _check_fixed(example, before, facts_of(example, tags=tags))
    if changes:
        for picture in (example.image_0, example.image_1):
            if picture is not None:
                picture.save(update_fields=WORDS)
        example.tags.set(tags)
    faults = faults_of(example) if wants_ready else {}
    example.state = State.READY if wants_ready and not faults else State.DRAFT
    if example.state != was:
        changes.append(f"state: {State(was).label} → {State(example.state).label}")
    if changes:
        _save(example, now=now)
    return KeptExample(example=example, changes=changes, faults=faults, notes=notes)


def _put_into(example: Example, written: WrittenExample, pictures: Mapping[int, Picture]) -> list[str]:
    """Fill the example in memory. Returns notes on pictures whose source, credit and licence stay."""
    for name in PLAIN:
        setattr(example, name, getattr(written, name))
    notes = []
    for place, shown in enumerate(written.shown):
        picture = pictures[shown.picture.pk] if shown.picture else None
        setattr(example, f"image_{place}", picture)
        if picture is not None and not _describe(picture, shown, example):
            notes.append(
                f"Picture {'AB'[place]} is shown elsewhere, too: what is said there of its source, credit "
                "and licence stays."
            )
    if example.image_0_id is not None and example.image_0_id == example.image_1_id:
        raise RuleBroken("same_picture", "This is picture A once more. Choose another one.")
    return notes


def _describe(picture: Picture, shown: SourcedPicture, example: Example) -> bool:
    """Set the picture's words. False if some that others rely on would change; empty ones may be filled."""
    typed = {name: getattr(shown, name) for name in WORDS}
    changed = {name: words for name, words in typed.items() if words != getattr(picture, name)}
    fixed = {name for name in changed if getattr(picture, name)} if is_of_others(picture, example) else set()
    for name in changed.keys() - fixed:
        setattr(picture, name, changed[name])
    return not any(changed[name] for name in fixed)


def is_of_others(picture: Picture, example: Example | None) -> bool:
    """Whether the picture is in the pool, or also in another example."""
    others = Example.objects.filter(Q(image_0=picture) | Q(image_1=picture))
    if example is not None:
        others = others.exclude(pk=example.pk)
    return picture.in_pool or others.exists()


def _check_writable(example: Example) -> None:
    if not is_writable(example):
        state = example.get_state_display().lower()
        raise RuleBroken(
            "not_writable", f"This example is {state} meanwhile: it was not changed. See it as it is now."
        )


def _check_fixed(example: Example, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    if is_fixed(example) and any(before[name] != after[name] for name in FIXED):
        raise RuleBroken(
            "fixed",
            "Workers have been asked about these captions and pictures: they stay. Write a new example.",
        )


def _move(example: Example, to: str, *, now: datetime) -> bool:
    """Move an example. False: it is there already. Raises RuleBroken if no transition leads there."""
    if example.state == to:
        return False
    if to not in Example.TRANSITIONS[State(example.state)]:
        raise RuleBroken(
            "not_so", f"This example is {example.get_state_display().lower()}: that cannot be done to it now."
        )
    example.state = to
    _save(example, now=now)
    log.info("winoground.example_moved", example=str(example.public_id), to=str(to))
    return True


def _save(example: Example, *, now: datetime) -> None:
    """Save with a `changed_at` later than any before, so that pages that were opened before are stale."""
    example.changed_at = max(now, example.changed_at + TICK)
    example.save()
