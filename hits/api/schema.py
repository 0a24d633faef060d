"""The API's own description: each operation has its own words and names its parameters."""

import inspect
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema

from hits.api.idempotency import PARAMETER, Repeatable
from hits.api.request_permissions import Need
from hits.api.resources import Resource

OURS = ("hits.", "scoring.", "qualifications.", "crowd.")
WORDS = {
    "list": "List {many}",
    "retrieve": "Read one {one}",
    "create": "Make a {one}, once for each Idempotency-Key",
    "partial_update": "Change a {one}",
}


class Schema(AutoSchema):
    """drf-spectacular's schema, extended by our filters, scopes and inputs."""

    view: Any

    def get_summary(self) -> str:
        if method := _own_method(self.view):
            return str(inspect.getdoc(method)).partition(". ")[0].rstrip(".")
        options = self.view.queryset.model._meta
        return WORDS[self.view.action].format(one=options.verbose_name, many=options.verbose_name_plural)

    def get_description(self) -> str:  # type: ignore[override]
        words = inspect.getdoc(method) if (method := _own_method(self.view)) else ""
        need: Need | None = getattr(self.view, "needs", {}).get(self.view.action)
        if need is None:
            return str(words)
        permissions = ", ".join(need.permissions)
        return f"{words}\n\nNeeds the scope {need.scope.value}, and its owner {permissions}.".strip()

    def get_tags(self) -> list[str]:
        return [self.path.strip("/").split("/")[1]]

    def get_override_parameters(self) -> list[Any]:
        given = list(super().get_override_parameters())
        if not isinstance(self.view, Resource):
            return given
        query = self.view.query_of(self.view.action)
        given += [query] if query().fields else []
        is_repeatable = self.view.action == "create" and isinstance(self.view, Repeatable)
        return [*given, PARAMETER] if is_repeatable else given

    def get_filter_backends(self) -> list[Any]:
        """None: get_override_parameters describes the filters."""
        return []

    def get_request_serializer(self) -> Any:
        if self.view.action in ("create", "partial_update") and getattr(self.view, "input_class", None):
            return self.view.input_class
        return super().get_request_serializer()


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "hits.api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token of the admin, under API tokens."}


def _own_method(view: Any) -> Any:
    """The view's action, if it is ours and has a docstring."""
    method = getattr(view, str(getattr(view, "action", "")), None)
    own = method is not None and method.__module__.startswith(OURS) and method.__doc__
    return method if own else None
