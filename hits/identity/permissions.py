"""Permissions of a user, in one query instead of two on every page."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission
from django.db.models import Q

BACKEND = "hits.identity.permissions.Backend"


class Backend(ModelBackend):
    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Return the user's own permissions and those of the groups. Django would query the two apart."""
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if user_obj.is_superuser:
            return super().get_all_permissions(user_obj)
        kept = vars(user_obj)
        if "_perm_cache" not in kept:  # Django's own name for it
            granted = Permission.objects.filter(Q(user=user_obj) | Q(group__user=user_obj))
            names = granted.order_by().values_list("content_type__app_label", "codename").distinct()
            kept["_perm_cache"] = {f"{app}.{name}" for app, name in names}
        cached: set[str] = kept["_perm_cache"]
        return cached
