"""Models' predictions on a release: uploaded, shown in the paper's Table 4, downloaded as CSV."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winogavil.releases.admin.finding import PREDICT, find_release
from crowd.winogavil.releases.admin.forms import PredictionForm
from crowd.winogavil.releases.admin.release_actions import beside, page_of
from crowd.winogavil.releases.models import Prediction, Release
from crowd.winogavil.releases.queries.model_table import COLUMNS, table
from crowd.winogavil.releases.services import prediction_scores
from crowd.winogavil.releases.services.taking import download_name
from hits.admin.data.result_forms import UploadedFile, answer_upload
from hits.admin.data.take_files import send_csv
from hits.admin.selection import signed_in
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
        return prediction_scores.add_prediction(
            release=release,
            model=values["name"],
            notes=values["about"],
            file=values["file"],
            is_part=values["is_part"],
            by=signed_in(request),
            now=timezone.now(),
        )

    def done(added: Prediction) -> HttpResponse:
        messages.success(request, f"{added.model}: {added.rows} predictions are scored.")
        return redirect("admin:winogavil_releases_release_change", release.pk)

    def show(found: Mapping[str, Any]) -> HttpResponse:
        context = {
            **releases.admin_site.each_context(request),
            **beside(release),
            "title": "Add a model's predictions",
            "base": "admin/hits/action_base.html",
            "button": "Upload and score",
            "back": page_of(release),
            "file": _file(release),
            **found,
        }
        return TemplateResponse(request, "admin/hits/results_upload.html", context)

    form = PredictionForm(request, results=prediction_scores.PREDICTIONS)
    return answer_upload(request, form, take=take, done=done, show=show)


def _file(release: Release) -> UploadedFile:
    item = release.items.filter(selected=True).order_by("pk").first()
    line = {"ID": str(item.public_id), "prediction": list(item.candidates)[: item.k]} if item else {}
    return UploadedFile(
        columns=prediction_scores.PREDICTIONS.columns,
        about=f"What a model picks for the {release.counts.get('selected', 0)} selected associations of "
        f"{release}. Its scores are computed here.",
        examples=[json.dumps(line, ensure_ascii=False)] if item else (),
    )


def table_view(releases: admin.ModelAdmin[Release], request: HttpRequest, pk: int) -> HttpResponseBase:
    release = find_release(request, pk)
    name = download_name(release, "models.csv")
    return send_csv(["model", "associations", *COLUMNS], _rows(release), name=name)


def _rows(release: Release) -> Iterator[Sequence[Cell]]:
    for line in table(release) if release.is_complete else ():
        yield [line.name, line.items, *line.means.values()]
