"""The funnel of a study: as a chart, as tables, and as a file."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from hits.admin.data.take_files import send_csv
from hits.common.spreadsheets import Cell
from qualifications.admin.finding_gates import VIEW, find_study, render
from qualifications.admin.funnel_tables import funnel_tables
from qualifications.admin.refusal_words import refusal_in_words
from qualifications.queries.funnel import Funnel, funnel_of

PERIODS = {"7": "Last 7 days", "30": "Last 30 days", "90": "Last 90 days", "all": "All the time"}
USUAL = "30"


def funnel_view(request: HttpRequest, study_id: int) -> HttpResponse:
    study = find_study(request, study_id, VIEW)
    period, days = _period(request)
    now = timezone.now()
    funnel = funnel_of(study, days=days, now=now)
    context = {
        "title": f"Funnel of {study}",
        "study": study,
        "funnel": funnel,
        "period": period,
        "periods": PERIODS.items(),
        "tables": funnel_tables(funnel, now=now),
        "query": urlencode({"period": period}),
    }
    return render(request, "funnel/one", context)


def file_view(request: HttpRequest, study_id: int) -> HttpResponseBase:
    study = find_study(request, study_id, VIEW)
    _, days = _period(request)
    funnel = funnel_of(study, days=days, now=timezone.now())
    name = f"funnel-{str(study.public_id)[:8]}.csv"
    return send_csv(("part", "gate", "name", "people", "of", "per_cent"), _lines(funnel), name=name)


def _lines(funnel: Funnel) -> Iterator[list[Cell]]:
    for step in funnel.steps:
        yield ["step", step.gate, step.name, step.count, step.of_name, step.share]
    for row in funnel.gates:
        for name in ("waiting", "failed", "given_up"):
            yield ["gate", row.gate.name, name.replace("_", " "), getattr(row, name), "", None]
    for gate, bound, count in funnel.missed:
        yield ["failed by", gate, bound, count, f"the newest {funnel.missed_of} failed tests", None]
    yield ["withdrew", "", "withdrew their consent", funnel.withdrew, "", None]
    for code, count in funnel.refusals:
        yield ["refused, times", "", refusal_in_words(code), count, "", None]


def _period(request: HttpRequest) -> tuple[str, int | None]:
    asked = request.GET.get("period", USUAL)
    period = asked if asked in PERIODS else USUAL
    return period, None if period == "all" else int(period)
