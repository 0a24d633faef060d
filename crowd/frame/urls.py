from django.urls import path

from crowd.frame import before_work, frame_verdicts, heartbeat, page_reports, question_pages

app_name = "frame"
urlpatterns = [
    path("<uuid:hit_id>/", question_pages.question, name="question"),
    path("<uuid:hit_id>/answer/", question_pages.answer, name="answer"),
    path("<uuid:hit_id>/agree/", before_work.agree, name="agree"),
    path("<uuid:hit_id>/tell/", before_work.tell, name="tell"),
    path("<uuid:hit_id>/english/", before_work.say_english, name="say_english"),
    path("<uuid:hit_id>/beat/", heartbeat.beat, name="beat"),
    path("<uuid:hit_id>/ask/", frame_verdicts.ask, name="ask"),
    path("<uuid:hit_id>/verdict/", frame_verdicts.verdict, name="verdict"),
    path("<uuid:hit_id>/report/", page_reports.report, name="report"),
]
