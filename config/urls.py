"""Addresses of the researchers' side and of the question pages. The marketplace has its own host."""

from django.contrib import admin
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.views.generic import RedirectView

from config.watching import status_page
from crowd import family
from crowd.frame.previews import preview_desk
from hits.admin.alerts import alert_pages
from hits.admin.identity import factor_pages, openid_pages, session_pages
from hits.admin.payments import epochs, halts, payment_desk, payment_queue


def health(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"ok": True})


admin.autodiscover()
admin.site.site_url = None  # "View site" would lead back to the admin
tables, app_name, namespace = admin.site.urls
of_no_table = [
    *payment_desk.urls(),
    *payment_queue.urls(),
    *halts.urls(),
    *epochs.urls(),
    *preview_desk.urls(),
    *alert_pages.urls(),
    *status_page.urls(),
    *factor_pages.urls(),
    *session_pages.urls(),
    *openid_pages.urls(),
]

# Programs below /api/ are answered in JSON, whatever goes wrong.
handler400 = "config.error_pages.bad_request"
handler403 = "config.error_pages.forbidden"
handler404 = "config.error_pages.not_found"
handler500 = "config.error_pages.server_error"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("health/", health),
    path("admin/", ([*of_no_table, *tables], app_name, namespace)),
    path("api/", include("hits.urls")),
    path("api/", include("scoring.api")),
    path("api/", include("qualifications.api")),
    path("api/", include("crowd.pictures.api")),
    path("api/", include("crowd.releases.api.urls")),
    path("api/", include("crowd.benchmarks.api")),
    path("api/", include("crowd.boards.api")),
    path("api/", include("crowd.statistics_api")),
    path("api/", include("crowd.papers.api")),
    path("q/", include("crowd.frame.urls")),
    path("q/preview/", include("crowd.frame.previews.urls", namespace="frame_preview")),
    path("data/", include("crowd.boards.urls")),
    path("statement/", include("crowd.statement.urls")),
    path("pictures/", include("crowd.pictures.urls")),
    *(path(below, include(urls)) for one in family.registered() for below, urls in one.urls.items()),
]
