from django.urls import path

from crowd.frame import asking, beats, pages, reports, verdicts

app_name = "frame"
urlpatterns = [
    path("<uuid:hit_id>/", pages.question, name="question"),
    path("<uuid:hit_id>/answer/", pages.answer, name="answer"),
    path("<uuid:hit_id>/agree/", asking.agree, name="agree"),
    path("<uuid:hit_id>/tell/", asking.tell, name="tell"),
    path("<uuid:hit_id>/beat/", beats.beat, name="beat"),
    path("<uuid:hit_id>/ask/", verdicts.ask, name="ask"),
    path("<uuid:hit_id>/verdict/", verdicts.verdict, name="verdict"),
    path("<uuid:hit_id>/report/", reports.report, name="report"),
]
