"""Posting of rows: they become questions for workers, and cease to be asked."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from crowd.pictures.models import Picture
from crowd.pictures.services.picture_states import lock_pictures
from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project, Row, RowPicture
from crowd.plain.queries.asked_roles import roles_to_ask
from crowd.plain.queries.described_pages import described
from hits.core.errors import RuleBroken
from hits.work.models.items import Item
from hits.work.services.answers_needed import ask_about, new_item, want_answers
from hits.work.services.locking import held, lock_items

AT_ONCE = 500
MOST_NAMED = 10
log = structlog.get_logger()


def ask_rows(*, project: Project, seen: int, now: datetime) -> int:
    """Ask about every row that waits, and no longer about rows of earlier versions of the page.

    `seen`: how many waited when the action was confirmed. Raises RuleBroken, and then no row is asked.
    """
    waiting = Row.objects.filter(description__project=project, item=None)
    with transaction.atomic():
        shown = RowPicture.objects.filter(row__in=waiting)
        lock_pictures(set(shown.values_list("picture", flat=True)))
        with held(project) as locked:
            description = _described(locked)
            people = roles_to_ask(description) if description.page.role_column else {}
            rows = _rows_of_roles(description, people) if people else _rows_to_ask(description)
            if len(rows) != seen:
                raise RuleBroken("stale", "Rows were added or deleted meanwhile. Look again, then ask.")
            _refuse_away(description)
            _pull_others(description, now=now)
            _post(rows, project=locked, people=people)
            Description.objects.filter(pk=description.pk, asked_at=None).update(asked_at=now)
    log.info("plain.asked", study=str(project.study.public_id), rows=len(rows))
    return len(rows)


def waiting_rows(description: Description) -> int:
    """Number of rows that `ask_rows` would ask about. Rows of roles, or the one row of all, need no file."""
    if description.page.role_column:
        return len(roles_to_ask(description))
    if description.page.columns:
        return description.rows.filter(item=None).count()
    return 0 if description.rows.exists() else 1


def want_anew(project: Project) -> None:
    """Want as many answers as the project's current rule says, but for those that are in or on their way.

    Rows of roles ask all people of theirs, whatever the rule.
    """
    with held(project) as locked:
        keys = [item.pk for item in lock_items(_items_of(locked).filter(plain_row__role=""))]
        for start in range(0, len(keys), AT_ONCE):
            want_answers(dict.fromkeys(keys[start : start + AT_ONCE], locked.answers_wanted))


def follow_pictures(*, picture_ids: Collection[int], shown: bool, now: datetime) -> None:
    """Ask nobody about rows whose picture is away. Called by the pool, in its transaction."""
    items = Item.objects.filter(pk__in=items_of_pictures(picture_ids))
    if not shown:
        items.filter(pulled_at=None).update(pulled_at=now)
        return
    away = RowPicture.objects.filter(row=OuterRef("plain_row")).exclude(picture__status=Picture.Status.FIT)
    newest = Description.objects.filter(project=OuterRef("plain_row__description__project"))
    current = newest.filter(asked_at__isnull=False).order_by("-version").values("pk")[:1]
    items.filter(~Exists(away), plain_row__description=current).update(pulled_at=None)


def items_of_pictures(picture_ids: Collection[int]) -> set[int]:
    """Items that show these pictures; the pool holds them while it changes the pictures."""
    with_them = RowPicture.objects.filter(row=OuterRef("plain_row"), picture__in=picture_ids)
    return set(Item.objects.filter(Exists(with_them)).values_list("pk", flat=True))


def _described(project: Project) -> Description:
    description = described(project)
    if description is None:
        raise RuleBroken("no_page", "Describe the page first.")
    return description


def _rows_to_ask(description: Description) -> Sequence[Row]:
    if waiting_rows(description) and not description.page.columns:
        Row.objects.create(description=description, number=1)
    rows = list(description.rows.filter(item=None).order_by("number"))
    if not rows and description.page.role_column:
        raise RuleBroken("nobody", "Everybody of these roles is asked already, or nobody has worked yet.")
    if not rows:
        raise RuleBroken("nothing_waits", "No row waits to be asked any more.")
    return rows


def _rows_of_roles(description: Description, roles: Collection[str]) -> Sequence[Row]:
    """Rows of these roles, made where there is none yet."""
    column, last = description.page.role_column, description.rows.count()
    known = {row.role: row for row in description.rows.filter(role__in=roles)}
    new = [role for role in roles if role not in known]
    for number, role in enumerate(new, start=last + 1):
        known[role] = Row.objects.create(
            description=description, number=number, cells={column: role}, role=role
        )
    return [known[role] for role in roles]


def _refuse_away(description: Description) -> None:
    """Raise RuleBroken if a waiting row's picture is away. The caller holds the pictures."""
    waiting = RowPicture.objects.filter(row__description=description, row__item=None)
    away = waiting.exclude(picture__status=Picture.Status.FIT).order_by("row__number")
    numbers = list(dict.fromkeys(away.values_list("row__number", flat=True)))
    if numbers:
        named = ", ".join(map(str, numbers[:MOST_NAMED])) + (" and more" if len(numbers) > MOST_NAMED else "")
        raise RuleBroken(
            "picture_away",
            f"A picture of these rows was taken away after they were uploaded: {named}. Nothing was asked.",
        )


def _post(rows: Sequence[Row], *, project: Project, people: Mapping[str, int]) -> None:
    """Ask about rows for the first time, and ask people who have come to a role since it was asked."""

    def item_of(row: Row) -> Item:
        needed = people.get(row.role, project.answers_wanted)
        return new_item(study_id=project.study_id, task=ASK, answers_needed=needed)

    again = {row.item_id: people[row.role] for row in rows if row.item_id is not None}
    lock_items(again)
    want_answers(again)
    ask_about([row for row in rows if row.item_id is None], item_of)


def _pull_others(description: Description, *, now: datetime) -> None:
    """Pull items of earlier versions: their answers stay, and nobody new is asked."""
    others = lock_items(_items_of(description.project).exclude(plain_row__description=description))
    Item.objects.filter(pk__in=[item.pk for item in others]).update(pulled_at=now)


def _items_of(project: Project) -> QuerySet[Item]:
    return Item.objects.filter(plain_row__description__project=project, pulled_at=None)
