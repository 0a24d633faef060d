"""Addresses of the marketplace's host."""

from django.urls import include, path

urlpatterns = [
    path("desk/", include("crowd.marketplace.desk.urls")),
    path("", include("crowd.marketplace.site.urls")),
]

handler400 = "crowd.marketplace.site.refusals.bad_request"
handler403 = "crowd.marketplace.site.refusals.forbidden"
handler404 = "crowd.marketplace.site.refusals.not_found"
handler500 = "crowd.marketplace.site.refusals.server_error"
