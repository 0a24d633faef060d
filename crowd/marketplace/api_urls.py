"""Addresses served under Amazon's host names, where a proxy leads programs: the APIs, and no page."""

from django.urls import path

from crowd.marketplace.site import sign_in_views

urlpatterns = [path("", sign_in_views.api)]

handler500 = "crowd.marketplace.site.refusals.server_error"
