"""Examples that a person may see or change: authors their own, researchers all of their studies."""

from collections.abc import Mapping

from django.db.models import Count, QuerySet

from crowd.winoground.models import Example, Project
from hits.identity.models.users import User
from hits.work.access import studies_of

WRITE, CHANGE = "winoground.add_example", "winoground.change_example"
KEEP = "winoground.change_project"
State = Example.State


def examples_for(user: User) -> QuerySet[Example]:
    """Examples of this person's studies; for an author who does not keep the project, only their own."""
    seen = Example.objects.filter(project__study__in=studies_of(user))
    return seen.filter(author=user) if sees_own_only(user) else seen


def sees_own_only(user: User) -> bool:
    return user.has_perm(WRITE) and not user.has_perm(KEEP)


def may_change(user: User, example: Example) -> bool:
    """Whether this person may change an example they see: another author's only if they keep the project."""
    return user.has_perm(CHANGE) and (user.has_perm(KEEP) or example.author_id == user.pk)


def counts_by_state(project: Project, *, user: User) -> Mapping[str, int]:
    rows = examples_for(user).filter(project=project).order_by().values_list("state")
    return {**dict.fromkeys(State.values, 0), **dict(rows.annotate(Count("pk")))}
