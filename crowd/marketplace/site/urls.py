from django.urls import path

from crowd.marketplace.site import doors, pages, submit

app_name = "marketplace"
urlpatterns = [
    path("", doors.root, name="list"),
    path("invitation/<str:token>/", doors.invitation, name="invitation"),
    path("sign-out/", doors.sign_out, name="sign_out"),
    path("groups/<str:group_id>/", pages.preview, name="preview"),
    path("groups/<str:group_id>/accept/", pages.accept, name="accept"),
    path("work/", pages.queue, name="queue"),
    path("work/<str:assignment_id>/", pages.work, name="work"),
    path("work/<str:assignment_id>/return/", pages.return_work, name="return"),
    path("history/", pages.history, name="history"),
    path("submit/<str:signed>/mturk/externalSubmit", submit.external_submit, name="submit"),
    path("mturk/externalSubmit", submit.preview_submit),
    path("health/", doors.health, name="health"),
]
