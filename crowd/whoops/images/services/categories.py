"""Changes to the shared list of categories: merged into one, or deleted while no image has them."""

from collections.abc import Collection

import structlog
from django.db import transaction
from django.db.models import ProtectedError

from crowd.whoops.models import Category, Image
from hits.core.errors import RuleBroken

log = structlog.get_logger()


def merge_categories(*, categories: Collection[Category], into: Category) -> int:
    """Move the images of the other categories to `into`, delete those, and return how many moved."""
    gone = sorted(category.pk for category in categories if category.pk != into.pk)
    with transaction.atomic():
        held = Category.objects.select_for_update().filter(pk__in=[*gone, into.pk]).order_by("pk")
        if len(held) != len(gone) + 1:
            raise RuleBroken("gone", "One of these categories is gone by now. Look at the list again.")
        if len({row.project_id for row in held}) > 1:
            raise RuleBroken(
                "other_list", "These categories are of different lists. Merge those of one list."
            )
        moved = Image.objects.filter(category__in=gone).update(category=into)
        _delete(gone)
    log.info("whoops.categories_merged", into=into.name, count=len(gone), images=moved)
    return moved


def mark_anew(category: Category) -> None:
    """Set the mark, unsaved, that a new name has: the one of the shared list, or else that staff added it."""
    shared = Category.objects.filter(project=None, name__iexact=category.name).exclude(pk=category.pk).first()
    category.origin = shared.origin if shared else Category.Origin.ADDED


def delete_categories(*, categories: Collection[Category]) -> None:
    """Delete the categories. Raises RuleBroken, and deletes none, if an image has one of them."""
    with transaction.atomic():
        _delete([category.pk for category in categories])


def _delete(keys: Collection[int]) -> None:
    try:
        Category.objects.filter(pk__in=keys).delete()
    except ProtectedError:
        raise RuleBroken(
            "in_use", "An image has one of these categories by now. Merge it into another one instead."
        ) from None
