"""A study's own list of categories, in place of the list that all studies share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from crowd.questions.domain import is_unfit, trim
from crowd.whoops.models import Category, Image, Project
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.services.locking import held

LONGEST_NAME = Category._meta.get_field("name").max_length or 0
LONGEST_ABOUT = Category._meta.get_field("about").max_length or 0
MOST = 200


@dataclass(frozen=True, kw_only=True)
class TypedCategory:
    name: str
    about: str


@dataclass(frozen=True, kw_only=True)
class ListChange:
    """What another list changes: the images that move to a category of the same name, and those that do not.

    `lacking`: how many images have each category that the new list lacks. `kept_out`: those of them that are
    the study's own, which would be lost; nothing can be replaced while there are any.
    """

    moved: int
    lacking: Mapping[str, int]
    kept_out: Sequence[str] = ()


def read_categories(text: str) -> list[TypedCategory]:
    """Read a category from each line, "name" or "name: about". Raises RuleBroken at the first bad line."""
    found: dict[str, TypedCategory] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name, _, about = (trim(part) for part in line.partition(":"))
        if not (name or about):
            continue
        if not name or len(name) > LONGEST_NAME or len(about) > LONGEST_ABOUT or is_unfit(name + about):
            raise RuleBroken(
                "bad_line",
                f"Line {number}: write a name of at most {LONGEST_NAME} letters, and if you like a colon and "
                f"what it is about, in at most {LONGEST_ABOUT}.",
            )
        if name.casefold() in found:
            raise RuleBroken("twice", f"Line {number}: “{name}” is there already.")
        found[name.casefold()] = TypedCategory(name=name, about=about)
    if not 2 <= len(found) <= MOST:
        raise RuleBroken("too_few", f"A list has two categories at least, and {MOST} at most.")
    return list(found.values())


def plan_list(*, project: Project, typed: Sequence[TypedCategory] | None) -> ListChange:
    """What a list would change; None stands for the list that all studies share."""
    names = {one.name.casefold() for one in typed} if typed is not None else _names(None)
    rows = Image.objects.filter(project=project, category__isnull=False).order_by()
    counted = rows.values_list("category__name", "category__project").annotate(n=Count("pk"))
    target = None if typed is None else project.pk
    moved = sum(n for name, of, n in counted if name.casefold() in names and of != target)
    lacking = {name: n for name, _, n in counted if name.casefold() not in names}
    lost = sorted(name for name, of, _ in counted if of == project.pk and name.casefold() not in names)
    return ListChange(moved=moved, lacking=dict(sorted(lacking.items())), kept_out=lost)


def replace_list(*, project: Project, typed: Sequence[TypedCategory], by: User, now: datetime) -> ListChange:
    """Give the study a list of its own, or another one. Images follow by the names of their categories.

    An image whose shared category the list lacks keeps it. Raises RuleBroken, and changes nothing, if the
    study's own list would lose a category that images have.
    """
    with held(project) as locked:
        change = plan_list(project=locked, typed=typed)
        names = {one.name.casefold() for one in typed}
        own = {row.name.casefold(): row for row in locked.categories.select_for_update().order_by("pk")}
        _refuse_used([row for name, row in own.items() if name not in names])
        Category.objects.filter(pk__in=[row.pk for name, row in own.items() if name not in names]).delete()
        origins = {row.name.casefold(): row.origin for row in Category.objects.filter(project=None)}
        for one in typed:
            row = own.get(one.name.casefold()) or Category(project=locked)
            row.name, row.about = one.name, one.about
            row.origin = origins.get(one.name.casefold(), Category.Origin.ADDED)
            row.save()
        _move_images(locked, to=locked)
        words = (
            f"{locked} has a list of {len(typed)} categories of its own. Images that moved: {change.moved}."
        )
        note("whoops.categories_replaced", words, by=by, now=now, study=locked.study)
    return change


def share_list(*, project: Project, by: User, now: datetime) -> ListChange:
    """Go back to the shared list. Raises RuleBroken if images have a category that it lacks."""
    with held(project) as locked:
        change = plan_list(project=locked, typed=None)
        _move_images(locked, to=None)
        own = list(locked.categories.select_for_update().order_by("pk"))
        _refuse_used(own)
        locked.categories.all().delete()
        words = f"{locked} has the shared list of categories again. Images that moved: {change.moved}."
        note("whoops.categories_shared", words, by=by, now=now, study=locked.study)
    return change


def _names(project: Project | None) -> set[str]:
    rows = Category.objects.filter(project=project)
    return {name.casefold() for name in rows.values_list("name", flat=True)}


def _move_images(project: Project, *, to: Project | None) -> None:
    """Give images of categories of other lists the category of the same name, in whatever case."""
    targets = {row.name.casefold(): row for row in Category.objects.filter(project=to)}
    has = Category.objects.filter(images__project=project).distinct()
    for row in has.exclude(pk__in=[one.pk for one in targets.values()]).order_by("pk"):
        if target := targets.get(row.name.casefold()):
            Image.objects.filter(project=project, category=row).update(category=target)


def _refuse_used(rows: Sequence[Category]) -> None:
    used = Category.objects.filter(pk__in=[row.pk for row in rows], images__isnull=False).distinct()
    if names := ", ".join(f"“{name}”" for name in used.values_list("name", flat=True)):
        raise RuleBroken(
            "in_use",
            f"Images have these categories: {names}. Keep them in the list, or set another category of these "
            "images first. Nothing was changed.",
        )
