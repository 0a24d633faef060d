"""The content host: pages that requesters wrote themselves, in a sandbox."""

from django.urls import path

from crowd.marketplace.content import pages

app_name = "content"
urlpatterns = [
    path("hits/<str:signed>/", pages.preview, name="preview"),
    path("work/<str:signed>/", pages.work, name="work"),
    path("tests/<str:signed>/", pages.test, name="test"),
]
