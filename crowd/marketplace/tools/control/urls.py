"""The marketplace's host where a control key is set: its pages, and the control API beside them."""

from django.urls import path

from crowd.marketplace import urls
from crowd.marketplace.tools.control.control_api import control
from crowd.marketplace.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

urlpatterns = [path("control/<str:verb>/", control), *urls.urlpatterns]
