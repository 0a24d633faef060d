"""Addresses of the players' host, which serves no others."""

from django.urls import include, path

from crowd.frame import frame_verdicts, page_reports
from crowd.winogavil.play.queries.leaderboards import Kind
from crowd.winogavil.play.site import (
    first_page,
    own_data_pages,
    pages,
    practice_pages,
    sign_in_views,
    turn_pages,
)

play = (
    [
        path("", pages.home, name="home"),
        path("join/", first_page.join, name="join"),
        path("try/", first_page.try_one, name="try_one"),
        path("register/<uuid:game_id>/", sign_in_views.register, name="register"),
        path("sign-in/", sign_in_views.sign_in, name="sign_in"),
        path("sign-out/", sign_in_views.sign_out, name="sign_out"),
        path("consent/", sign_in_views.consent, name="consent"),
        path("leave/", sign_in_views.leave, name="leave"),
        path("play/", turn_pages.play, name="play"),
        path("play/answer/", turn_pages.answer, name="answer"),
        path("play/skip/", turn_pages.skip, name="skip"),
        path("turns/<uuid:work_id>/", turn_pages.result, name="result"),
        path("turns/<uuid:work_id>/share/", turn_pages.share, name="share"),
        path("turns/<uuid:work_id>/unshare/", turn_pages.stop_sharing, name="stop_sharing"),
        path("turns/<uuid:work_id>/withdraw/", own_data_pages.withdraw, name="withdraw"),
        path("my-data/", own_data_pages.download, name="my_data"),
        path("shared/<uuid:shared_as>/", turn_pages.shared, name="shared"),
        path("practice/", practice_pages.practice, name="practice"),
        path("practice/<int:number>/", practice_pages.practice, name="practice_set"),
        path("practice/ask/", practice_pages.ask, name="practice_ask"),
        path("practice/report/", practice_pages.report, name="practice_report"),
        path("practice/verdict/", practice_pages.verdict, name="practice_verdict"),
        path("leaders/creators/", pages.leaderboard, {"kind": Kind.CREATORS}, name="creators"),
        path("leaders/solvers/", pages.leaderboard, {"kind": Kind.SOLVERS}, name="solvers"),
        path("leaders/models/", pages.models_leaderboard, name="models"),
        path("survey/", pages.survey, name="survey"),
    ],
    "play",
)
# Requests of a turn's page in the background, authorized by its token, as in a frame.
frame = (
    [
        path("<uuid:hit_id>/ask/", frame_verdicts.ask, name="ask"),
        path("<uuid:hit_id>/verdict/", frame_verdicts.verdict, name="verdict"),
        path("<uuid:hit_id>/report/", page_reports.report, name="report"),
    ],
    "frame",
)
urlpatterns = [
    path("", include(play)),
    path("q/", include(frame)),
    path("pictures/", include("crowd.pictures.urls")),
]
handler404 = "crowd.winogavil.play.site.pages.not_found"
