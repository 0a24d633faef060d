"""Who may grant the appeals of a study, for somebody who may not."""

from django.db.models import Q, QuerySet

from hits.identity.models.users import User
from hits.identity.permissions import BACKEND
from hits.studies.models import Study
from hits.work.access import SEES_ALL

CHANGES = "hits.change_study"
MOST_NAMED = 5


def words_on_who_may_grant(study: Study, *, needed: tuple[str, ...]) -> str:
    """Name the members with all of these permissions; if there is none, say who may add one."""
    members = Q(pk__in=study.members.values("pk"))
    if names := _names(_staff_with(*needed).filter(members)):
        return f"Ask a member of the study who may: {names}."
    sees = members | Q(pk__in=_staff_with(SEES_ALL).values("pk"))
    names = _names(_staff_with(CHANGES).filter(sees))
    return f"No member of the study may. One can be added by {names or 'an operator'}."


def _staff_with(*permissions: str) -> QuerySet[User]:
    users = User.objects.filter(is_staff=True, is_active=True)
    for permission in permissions:
        users = users.filter(pk__in=User.objects.with_perm(permission, backend=BACKEND).values("pk"))
    return users


def _names(users: QuerySet[User]) -> str:
    names = list(users.order_by("username").values_list("username", flat=True)[: MOST_NAMED + 1])
    more = " and others" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
