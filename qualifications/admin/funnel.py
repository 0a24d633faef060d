"""The funnel of a study: as a chart, as tables, and as a file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from hits.admin.parts import in_words
from hits.common.spreadsheets import Cell, write_csv
from qualifications.admin.finding import VIEW, find_study, render
from qualifications.admin.refusal_words import refusal_in_words
from qualifications.queries.funnel import Funnel, Step, funnel_of

PERIODS = {"7": "Last 7 days", "30": "Last 30 days", "90": "Last 90 days", "all": "All the time"}
USUAL = "30"
# Within a picture of 400 wide, as the template says.
LEFT, RIGHT, TOP, ROW = 150, 340, 8, 30


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One step: a bar, its name before it and its count behind it."""

    y: int
    middle: int
    width: int
    label: str
    gate: str
    words: str
    count_x: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Chart:
    bars: Sequence[Bar]
    height: int


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
        "chart": draw_funnel(funnel.steps),
        "refusals": [(refusal_in_words(code), code, count) for code, count in funnel.refusals],
        "gates": [(row, _waits(row.waits_since, now=now)) for row in funnel.gates],
        "query": urlencode({"period": period}),
    }
    return render(request, "funnel/one", context)


def file_view(request: HttpRequest, study_id: int) -> HttpResponseBase:
    study = find_study(request, study_id, VIEW)
    _, days = _period(request)
    funnel = funnel_of(study, days=days, now=timezone.now())
    name = f"funnel-{str(study.public_id)[:8]}.csv"
    return StreamingHttpResponse(
        write_csv(("part", "gate", "name", "people", "of", "per_cent"), _lines(funnel)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def draw_funnel(steps: Sequence[Step]) -> Chart | None:
    """None where there is nobody."""
    most = max((step.count for step in steps), default=0)
    if not most:
        return None
    bars = [_bar(number, step, most=most) for number, step in enumerate(steps)]
    return Chart(bars=bars, height=TOP + ROW * len(bars) + 8)


def _bar(number: int, step: Step, *, most: int) -> Bar:
    width = round((RIGHT - LEFT) * step.count / most)
    y = TOP + ROW * number
    share = "" if step.share is None else f", {step.share} % of {step.of_name}"
    return Bar(
        y=y,
        middle=y + ROW // 2,
        width=width,
        label=step.name.partition(":")[0],
        gate=step.gate,
        words=f"{step.name}{f', {step.gate}' if step.gate else ''}: {step.count}{share}",
        count_x=LEFT + width + 6,
        count=step.count,
    )


def _lines(funnel: Funnel) -> Iterator[list[Cell]]:
    for step in funnel.steps:
        yield ["step", step.gate, step.name, step.count, step.of_name, step.share]
    for row in funnel.gates:
        for name in ("waiting", "failed", "given_up"):
            yield ["gate", row.gate.name, name.replace("_", " "), getattr(row, name), "", None]
    for gate, bound, count in funnel.missed:
        yield ["failed by", gate, bound, count, f"the newest {funnel.missed_of} failed tests", None]
    yield ["withdrew", "", "took their consent back", funnel.withdrew, "", None]
    for code, count in funnel.refusals:
        yield ["refused, times", "", refusal_in_words(code), count, "", None]


def _period(request: HttpRequest) -> tuple[str, int | None]:
    asked = request.GET.get("period", USUAL)
    period = asked if asked in PERIODS else USUAL
    return period, None if period == "all" else int(period)


def _waits(since: Any, *, now: Any) -> str:
    return in_words(max(0, int((now - since).total_seconds()))) if since else ""
