"""The admin's site: Django's own, with its first page and its navigation by task."""

from functools import partial, update_wrapper
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse

from hits.admin.home import list_files
from hits.admin.home.current_study import current_study, remember_study
from hits.admin.home.home_page import home_context
from hits.admin.home.navigation import sections_for
from hits.admin.home.search_page import search_view


class CrowdAdminSite(AdminSite):
    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the sections of the navigation; of one app, its own lists; nothing before the sign-in."""
        apps = super().get_app_list(request, app_label)
        return sections_for(request, apps, self._registry) if apps and not app_label else apps

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**super().each_context(request), "current_study": current_study(request)}

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Offer the identity provider beside the password, if there is one."""
        query = urlencode({"next": request.GET.get("next", "")})
        openid = f"{reverse('admin:hits_openid')}?{query}" if settings.OIDC_ISSUER else ""
        return super().login(request, {"openid": openid, **(extra_context or {})})

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        shown = super().admin_view(view, cacheable)

        def remembering(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            response: HttpResponseBase = shown(request, *args, **kwargs)
            remember_study(request, response)
            return response

        return update_wrapper(remembering, shown)

    def get_urls(self) -> list[Any]:
        search = self.admin_view(partial(search_view, self))
        files = list_files.urls(list(self._registry.values()))
        return [path("search/", search, name="search"), *files, *super().get_urls()]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        shown = {"title": "Home", **home_context(request), **(extra_context or {})}
        return super().index(request, shown)
