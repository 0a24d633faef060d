from django.urls import path

from crowd.frame import pages

app_name = "frame"
urlpatterns = [
    path("<uuid:hit_id>/", pages.question, name="question"),
    path("<uuid:hit_id>/answer/", pages.answer, name="answer"),
]
