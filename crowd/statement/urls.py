from django.urls import path

from crowd.statement import consent_pages, statement_pages, worker_standing

app_name = "statement"
urlpatterns = [
    path("<str:token>/", statement_pages.pay, name="pay"),
    path("<str:token>/work/<uuid:work_id>/", statement_pages.outcome, name="outcome"),
    path("<str:token>/standing/", worker_standing.standing, name="standing"),
    path("<str:token>/ask/<uuid:work_id>/", statement_pages.ask, name="ask"),
    path("<str:token>/take-back/<uuid:appeal_id>/", statement_pages.take_back, name="take_back"),
    path("<str:token>/consent/", consent_pages.consent, name="consent"),
]
