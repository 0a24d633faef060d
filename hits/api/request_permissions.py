"""Permissions of a request: no more than its owner's, and no more than its token's scopes."""

from dataclasses import dataclass
from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from hits.identity.api_tokens import Scope
from hits.identity.models.api_tokens import ApiToken


@dataclass(frozen=True)
class Need:
    """What one action needs: a scope of the token, and permissions of its owner."""

    scope: Scope
    permissions: tuple[str, ...]


def need(scope: Scope, *permissions: str) -> Need:
    return Need(scope, tuple(f"hits.{permission}" for permission in permissions))


class IsAllowed(BasePermission):
    """Allow an action if the view names its Need and the request meets it; unnamed actions are closed."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not request.user or not request.user.is_authenticated:
            return False
        if view.action in (None, "metadata"):
            return True  # no action for this method: DRF answers 405 next
        wanted: Need = view.needs[view.action]
        if isinstance(request.auth, ApiToken) and wanted.scope not in request.auth.scopes:
            self.message = f"This token lacks the scope “{wanted.scope}”. Make one that has it."
            return False
        lacking = [name for name in wanted.permissions if not request.user.has_perm(name)]
        if lacking:
            self.message = f"You lack the permission {', '.join(lacking)}. Ask your operator."
        return not lacking
