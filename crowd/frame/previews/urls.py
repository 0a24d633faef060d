"""The frame's addresses once more, as an instance of their own: a page leads to the one it was opened at."""

from django.urls import path

from crowd.frame.previews import preview_pages, preview_requests

app_name = "frame"
urlpatterns = [
    path("<uuid:hit_id>/", preview_pages.question, name="question"),
    path("<uuid:hit_id>/answer/", preview_pages.answer, name="answer"),
    path("<uuid:hit_id>/passed/", preview_pages.passed, name="passed"),
    path("<uuid:hit_id>/beat/", preview_requests.beat, name="beat"),
    path("<uuid:hit_id>/ask/", preview_requests.ask, name="ask"),
    path("<uuid:hit_id>/verdict/", preview_requests.verdict, name="verdict"),
    path("<uuid:hit_id>/report/", preview_requests.report, name="report"),
]
