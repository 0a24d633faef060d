from django.urls import path

from crowd.boards.pages import public_pages, submit_pages

app_name = "boards"
TABLE = "<uuid:release_id>/<slug:task>/<slug:name>"
urlpatterns = [
    path("", public_pages.index, name="index"),
    path("submit/<str:token>/", submit_pages.desk, name="desk"),
    path("submit/<str:token>/<uuid:submission_id>/", submit_pages.submission, name="submission"),
    path("submit/<str:token>/<slug:task>/", submit_pages.submit, name="submit"),
    path("submit/<str:token>/<slug:task>/items.jsonl", submit_pages.items, name="items"),
    path("<uuid:release_id>/", public_pages.page, name="page"),
    path("<uuid:release_id>/files/<str:name>", public_pages.file, name="file"),
    path(f"{TABLE}.csv", public_pages.table, {"form": "csv"}, name="csv"),
    path(f"{TABLE}.json", public_pages.table, {"form": "json"}, name="json"),
]
