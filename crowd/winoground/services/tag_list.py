"""The controlled list of tags: added, renamed, merged where two mean the same, and deleted while unused."""

from collections.abc import Collection, Iterable
from typing import Any

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower

from crowd.questions.domain import is_unfit, trim
from crowd.winoground.models import Example, Tag
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

LONGEST = Tag._meta.get_field("name").max_length or 0
log = structlog.get_logger()


def add_tags(names: Iterable[str], *, by: User | None) -> list[Tag]:
    """Find the tags of these names, in any case, and add those that are missing: all of them or none."""
    wanted = {name.casefold(): name for name in map(_checked, names)}
    with transaction.atomic():
        return [_find(name) or _make(name, by=by) for name in wanted.values()]


def rename_tag(tag: Tag, *, name: str) -> None:
    """Rename a tag, on all examples that have it. Raises RuleBroken if another tag has the name."""
    new = _checked(name)
    with transaction.atomic():
        _held([tag.pk])
        other = _find(new)
        if other is not None and other.pk != tag.pk:
            raise RuleBroken("tag_taken", f"There is a tag “{other}” already. Merge the two instead.")
        Tag.objects.filter(pk=tag.pk).update(name=new)
    tag.name = new


def merge_tags(tags: Collection[Tag], *, into: Tag) -> int:
    """Merge tags: all examples of the others get `into`, and those are deleted. Returns how many got it."""
    gone = {tag.pk for tag in tags} - {into.pk}
    with transaction.atomic():
        held = {tag.pk for tag in _held([*gone, into.pk])}
        if into.pk not in held:
            raise RuleBroken("tag_gone", f"The tag “{into}” is not there any more. Choose another one.")
        bearing = Example.tags.through.objects
        examples = set(bearing.filter(tag__in=gone).values_list("example", flat=True))
        examples -= set(bearing.filter(tag=into).values_list("example", flat=True))
        rows: Any = [bearing.model(example_id=example, tag_id=into.pk) for example in sorted(examples)]
        bearing.bulk_create(rows, ignore_conflicts=True)
        Tag.objects.filter(pk__in=gone & held).delete()
    log.info("winoground.tags_merged", into=into.pk, gone=len(gone & held), examples=len(examples))
    return len(examples)


def drop_tags(tags: Collection[Tag]) -> int:
    """Delete tags. Raises RuleBroken, and deletes none, if an example has one of them."""
    with transaction.atomic():
        held = _held([tag.pk for tag in tags])
        used = [tag for tag in held if tag.examples.exists()]
        if used:
            names = ", ".join(f"“{tag}”" for tag in used)
            raise RuleBroken("tag_used", f"Examples have these tags: {names}. Merge them into others.")
        Tag.objects.filter(pk__in=[tag.pk for tag in held]).delete()
    return len(held)


def hold_tags(keys: Collection[int]) -> list[Tag]:
    """Lock the tags that still exist; none of them goes away before the caller's transaction ends."""
    return list(_held(keys))


def _held(keys: Collection[int]) -> QuerySet[Tag]:
    return Tag.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True)


def _checked(name: str) -> str:
    tidy = trim(name)
    if not tidy or len(tidy) > LONGEST or is_unfit(tidy):
        raise RuleBroken("bad_tag", f"A tag has a name of at most {LONGEST} letters, on one line.")
    return tidy


def _find(name: str) -> Tag | None:
    return Tag.objects.annotate(lower=Lower("name")).filter(lower=name.lower()).order_by("pk").first()


def _make(name: str, *, by: User | None) -> Tag:
    """Add a tag, or get the very same: one added meanwhile, or in letters whose case SQLite does not know."""
    tag, _ = Tag.objects.get_or_create(name=name, defaults={"added_by": by})
    return tag
