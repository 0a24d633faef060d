"""The admin's site: Django's own, with its first page and its navigation by task."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse

from hits.admin.home.home_page import home_context
from hits.admin.home.navigation import sections_for


class CrowdAdminSite(AdminSite):
    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the sections of the navigation; of one app, its own lists."""
        apps = super().get_app_list(request, app_label)
        return apps if app_label else sections_for(request, apps, self._registry)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        shown = {"title": "Home", **home_context(request), **(extra_context or {})}
        return super().index(request, shown)
