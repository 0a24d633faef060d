"""Staff who may do something about a study."""

from django.contrib.auth.models import Permission
from django.db.models import Exists, OuterRef, Q, QuerySet

from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.access import SEES_ALL


def staff_with(permission: str, *, study: Study) -> QuerySet[User]:
    """Active staff who see the study and have the permission."""
    member = Exists(Study.members.through.objects.filter(study=study.pk, user=OuterRef("pk")))
    people = User.objects.filter(is_active=True, is_staff=True)
    return people.filter(Q(is_superuser=True) | (_granted(permission) & (Q(member) | _granted(SEES_ALL))))


def _granted(permission: str) -> Q:
    label, _, codename = permission.partition(".")
    named = Permission.objects.filter(content_type__app_label=label, codename=codename)
    return Q(Exists(named.filter(user=OuterRef("pk")))) | Q(Exists(named.filter(group__user=OuterRef("pk"))))
