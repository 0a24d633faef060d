"""What models make of a release: uploaded, shown in the paper's Table 4, taken as CSV."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.winogavil.releases.admin.finding import PREDICT, find_release, render
from crowd.winogavil.releases.admin.forms import PredictionForm
from crowd.winogavil.releases.models import Release
from crowd.winogavil.releases.queries.comparing import COLUMNS, table
from crowd.winogavil.releases.services import predicting
from crowd.winogavil.releases.services.taking import download_name
from hits.admin.selecting import signed_in
from hits.common.spreadsheets import Cell, write_csv
from hits.errors import InvalidItems, RuleBroken


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
    form = PredictionForm(request.POST or None, request.FILES or None)
    problems: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            added = predicting.add_prediction(
                release=release, by=signed_in(request), now=timezone.now(), **form.cleaned_data
            )
        except InvalidItems as refusal:
            problems = refusal.problems
        except RuleBroken as refusal:
            form.add_error("model", str(refusal))
        else:
            messages.success(request, f"{added.model}: {added.rows} predictions are scored.")
            return redirect("admin:winogavil_releases_release_change", release.pk)
    context = {
        "title": "Add a model's predictions",
        "release": release,
        "form": form,
        "problems": problems,
        "example": release.items.filter(selected=True).order_by("pk").first(),
    }
    return render(releases.admin_site, request, "predict", context)


def table_view(releases: admin.ModelAdmin[Release], request: HttpRequest, pk: int) -> HttpResponseBase:
    release = find_release(request, pk)
    lines = write_csv(["model", "associations", *COLUMNS], _rows(release))
    name = download_name(release, "models.csv")
    return StreamingHttpResponse(
        lines,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _rows(release: Release) -> Iterator[Sequence[Cell]]:
    for line in table(release) if release.is_complete else ():
        yield [line.name, line.items, *line.means.values()]
