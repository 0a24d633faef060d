"""What models make of a release: uploaded, shown in the paper's Table 4, taken as CSV."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winogavil.releases.admin.finding import PREDICT, find_release, render
from crowd.winogavil.releases.admin.forms import PredictionForm
from crowd.winogavil.releases.models import Prediction, Release
from crowd.winogavil.releases.queries.comparing import COLUMNS, table
from crowd.winogavil.releases.services import predicting
from crowd.winogavil.releases.services.taking import download_name
from hits.admin.results import answer_upload
from hits.admin.selecting import signed_in
from hits.admin.taking import send_csv
from hits.common.spreadsheets import Cell


def urls(releases: admin.ModelAdmin[Release]) -> list[URLPattern]:
    def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
        shown = releases.admin_site.admin_view(partial(view, releases))
        return path(f"<int:pk>/predictions{address}", shown, name=f"winogavil_releases_{name}")

    return [
        at("/add/", add_view, "predict"),
        at(".csv", table_view, "table"),
    ]


def add_view(releases: admin.ModelAdmin[Release], request: HttpRequest, pk: int) -> HttpResponse:
    release = find_release(request, pk, PREDICT)

    def take(values: Mapping[str, Any]) -> Prediction:
        return predicting.add_prediction(release=release, by=signed_in(request), now=timezone.now(), **values)

    def done(added: Prediction) -> HttpResponse:
        messages.success(request, f"{added.model}: {added.rows} predictions are scored.")
        return redirect("admin:winogavil_releases_release_change", release.pk)

    def show(found: Mapping[str, Any]) -> HttpResponse:
        example = release.items.filter(selected=True).order_by("pk").first()
        context = {"title": "Add a model's predictions", "release": release, "example": example, **found}
        return render(releases.admin_site, request, "predict", context)

    form = PredictionForm(request.POST or None, request.FILES or None)
    return answer_upload(request, form, take=take, done=done, show=show, named="model")


def table_view(releases: admin.ModelAdmin[Release], request: HttpRequest, pk: int) -> HttpResponseBase:
    release = find_release(request, pk)
    name = download_name(release, "models.csv")
    return send_csv(["model", "associations", *COLUMNS], _rows(release), name=name)


def _rows(release: Release) -> Iterator[Sequence[Cell]]:
    for line in table(release) if release.is_complete else ():
        yield [line.name, line.items, *line.means.values()]
