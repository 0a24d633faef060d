"""Roles whose people a page asks: those who took part in the study by other work than such questions."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from crowd.plain.models import Description
from hits import families
from hits.work.models.leases import Lease
from hits.work.queries.participants import participants

# The most people of one role whom one page asks.
MOST_PEOPLE = 10_000


def people_to_ask(description: Description) -> Mapping[str, Collection[int]]:
    """Workers of each role by now that the page asks."""
    page, side = description.page, families.side_roles()
    return {
        role: workers
        for role, workers in participants(description.project.study).items()
        if role not in side and (not page.roles or role in page.roles)
    }


def roles_to_ask(description: Description) -> Mapping[str, int]:
    """Roles with people who are not asked yet, each with how many answers all of its people give.

    Whoever has answered counts on when their work no longer does: their answer is nobody else's.
    """
    rows = description.rows.exclude(role="").filter(item__isnull=False)
    asked = dict(rows.values_list("role", "item__answers_needed"))
    answered = defaultdict[str, set[int]](set)
    leases = Lease.objects.filter(item__plain_row__in=rows, status=Lease.Status.ANSWERED)
    for role, worker in leases.values_list("item__plain_row__role", "worker"):
        answered[role].add(worker)
    needed = {
        role: min(len(answered[role].union(workers)), MOST_PEOPLE)
        for role, workers in people_to_ask(description).items()
    }
    return {role: count for role, count in needed.items() if count > asked.get(role, 0)}
