"""The whole of the marketplace's host."""

from django.urls import include, path

urlpatterns = [path("", include("crowd.marketplace.site.urls"))]
