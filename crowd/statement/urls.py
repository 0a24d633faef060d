from django.urls import path

from crowd.statement import consent_pages, pages, standing

app_name = "statement"
urlpatterns = [
    path("<str:token>/", pages.pay, name="pay"),
    path("<str:token>/work/<uuid:work_id>/", pages.outcome, name="outcome"),
    path("<str:token>/standing/", standing.standing, name="standing"),
    path("<str:token>/ask/<uuid:work_id>/", pages.ask, name="ask"),
    path("<str:token>/take-back/<uuid:appeal_id>/", pages.take_back, name="take_back"),
    path("<str:token>/consent/", consent_pages.consent, name="consent"),
]
