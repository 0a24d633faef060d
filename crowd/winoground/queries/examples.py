"""Which examples somebody sees, and which of them they may change: authors their own, researchers all."""

from collections.abc import Mapping

from django.db.models import Count, QuerySet

from crowd.winoground.models import Example, Project
from hits.identity.models.users import User
from hits.work.access import studies_of

WRITE, CHANGE = "winoground.add_example", "winoground.change_example"
KEEP = "winoground.change_project"
State = Example.State


def examples_for(user: User) -> QuerySet[Example]:
    """Of this person's studies; of an author, who writes and does not keep the project, their own."""
    seen = Example.objects.filter(project__study__in=studies_of(user))
    return seen.filter(author=user) if sees_own_only(user) else seen


def sees_own_only(user: User) -> bool:
    return user.has_perm(WRITE) and not user.has_perm(KEEP)


def may_change(user: User, example: Example) -> bool:
    """Somebody else's only if they keep the project. The caller has looked whether they see it."""
    return user.has_perm(CHANGE) and (user.has_perm(KEEP) or example.author_id == user.pk)


def counts_by_state(project: Project, *, user: User) -> Mapping[str, int]:
    rows = examples_for(user).filter(project=project).order_by().values_list("state")
    return {**dict.fromkeys(State.values, 0), **dict(rows.annotate(Count("pk")))}
