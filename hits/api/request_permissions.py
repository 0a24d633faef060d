"""What a request may do: no more than its owner, and no more than its token's scopes."""

from dataclasses import dataclass
from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from hits.identity.api_tokens import Scope
from hits.identity.models.api_tokens import ApiToken


@dataclass(frozen=True)
class Need:
    """Of one action: a scope of the token, and permissions of its owner."""

    scope: Scope
    permissions: tuple[str, ...]


def need(scope: Scope, *permissions: str) -> Need:
    return Need(scope, tuple(f"hits.{permission}" for permission in permissions))


class IsAllowed(BasePermission):
    """Each view names a Need for each of its actions; one that it does not name is closed."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        if view.action in (None, "metadata"):
            return True  # a method that is not there; DRF says so next
        wanted: Need = view.needs[view.action]
        if isinstance(request.auth, ApiToken) and wanted.scope not in request.auth.scopes:
            self.message = f"This token lacks the scope “{wanted.scope}”. Make one that has it."
            return False
        lacking = [name for name in wanted.permissions if not request.user.has_perm(name)]
        if lacking:
            self.message = f"You lack the permission {', '.join(lacking)}. Ask your operator."
        return not lacking
