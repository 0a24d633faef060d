"""A table of statistics as a file of its study."""

from collections.abc import Callable, Iterable

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from hits.datasets.stat_table import StatTable, json_text
from hits.studies.models import Study


def send_table(tables: Iterable[StatTable], name: str, *, form: str, study: Study) -> HttpResponseBase:
    table = next((table for table in tables if table.name == name), None)
    if table is None:
        raise Http404
    return attached(_file_of(table, form=form), study=study, name=f"{name}.{form}")


def file_paths(address: str, view: Callable[..., HttpResponseBase], *, name: str) -> list[URLPattern]:
    """Return the addresses of a page's tables as files; the view takes a table's name, and csv or json."""
    return [
        path(f"{address}<slug:name>.{form}", view, {"form": form}, name=f"{name}_{form}")
        for form in ("csv", "json")
    ]


def send_alone(table: StatTable, *, form: str) -> HttpResponseBase:
    """Send a table that belongs to no single study."""
    answer = _file_of(table, form=form)
    answer["Content-Disposition"] = f'attachment; filename="{table.name}.{form}"'
    return answer


def _file_of(table: StatTable, *, form: str) -> HttpResponseBase:
    if form == "csv":
        return StreamingHttpResponse(table.csv(), content_type="text/csv; charset=utf-8")
    return HttpResponse(json_text(table.as_json()), content_type="application/json")


def attached(answer: HttpResponseBase, *, study: Study, name: str) -> HttpResponseBase:
    answer["Content-Disposition"] = f'attachment; filename="study-{str(study.public_id)[:8]}-{name}"'
    return answer
