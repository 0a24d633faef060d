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
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.releases.admin import release_parts
from crowd.releases.admin.permitted_rows import find_release
from crowd.releases.admin.release_actions import beside, page_of
from crowd.releases.admin.release_parts import ReleasePart
from crowd.releases.models import Release
from crowd.releases.services.file_downloads import download_name
from crowd.winogavil.releases.admin.data_permissions import PREDICT, UNPREDICT
from crowd.winogavil.releases.admin.forms import PredictionForm
from crowd.winogavil.releases.admin.prediction_actions import PREDICTIONS
from crowd.winogavil.releases.models import Prediction
from crowd.winogavil.releases.queries.model_table import columns_of, table
from crowd.winogavil.releases.services import prediction_scores
from hits.admin.data.result_forms import UploadedFile, answer_upload
from hits.admin.data.take_files import send_csv
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.projects.project_cards import CardLink
from hits.admin.selection import signed_in
from hits.common.spreadsheets import Cell


@admin.register(Prediction)
class PredictionAdmin(ReadOnlyAdmin[Prediction]):
    """Predictions stand on the page of their release, and have no list of their own."""

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        return {}

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            shown = self.admin_site.admin_view(view)
            return path(f"<int:pk>{address}", shown, name=f"winogavil_releases_{name}")

        return [
            at("/add/", partial(add_view, self), "predict"),
            at(".csv", partial(table_view, self), "table"),
            at("/<int:prediction_id>/delete/", PREDICTIONS.view("delete"), "unpredict"),
            *super().get_urls(),
        ]


def table_context(request: HttpRequest, release: Release) -> Mapping[str, Any]:
    return {
        "lines": table(release),
        "columns": columns_of(release),
        "may_unpredict": request.user.has_perm(UNPREDICT),
    }


def links(request: HttpRequest, release: Release) -> Sequence[CardLink]:
    add = CardLink(
        name="Add a model's predictions…", url=reverse("admin:winogavil_releases_predict", args=[release.pk])
    )
    return [add] if request.user.has_perm(PREDICT) else []


release_parts.register(
    "winogavil",
    ReleasePart(template="admin/winogavil_releases/models.html", context=table_context, links=links),
)


def add_view(releases: admin.ModelAdmin[Prediction], request: HttpRequest, pk: int) -> HttpResponse:
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
        return redirect("admin:releases_release_change", release.pk)

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


def table_view(releases: admin.ModelAdmin[Prediction], request: HttpRequest, pk: int) -> HttpResponseBase:
    release = find_release(request, pk)
    name = download_name(release, "models.csv")
    return send_csv(["model", "associations", *columns_of(release)], _rows(release), name=name)


def _rows(release: Release) -> Iterator[Sequence[Cell]]:
    for line in table(release) if release.is_complete else ():
        yield [line.name, line.items, *line.means.values()]
