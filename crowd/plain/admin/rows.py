"""The rows of a page: how many wait, are asked and are answered, and each of them in a list."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse

from crowd.plain.admin.row_actions import CHANGE, action_view, offered_for
from crowd.plain.admin.uploading import example_view, upload_view
from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project, Row
from crowd.plain.queries.described_pages import described
from crowd.plain.services.posted_rows import waiting_rows
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import page_of, signed_in
from hits.identity.models.users import User
from hits.studies.models import Batch
from hits.work.models.leases import Lease

Pages = ProjectPages[Any]
RUNNING = (Batch.Status.LAUNCHING, Batch.Status.OPEN, Batch.Status.PAUSED, Batch.Status.DRAINING)


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/rows/", rows_view, "rows"),
        pages.at("<int:pk>/rows/upload/", upload_view, "upload"),
        pages.at("<int:pk>/rows/example.csv", example_view, "example"),
        pages.at("<int:pk>/rows/<slug:key>/", action_view, "do"),
    ]


def rows_card(project: Project, user: User) -> Card:
    description = described(project)
    waiting = waiting_rows(description) if description else 0
    asked = Row.objects.filter(description=description, item__pulled_at=None, item__isnull=False)
    answered = Lease.objects.filter(item__plain_row__in=asked, status=Lease.Status.ANSWERED)
    rows = asked.count()
    there = answered.aggregate(answers=Count("pk"), workers=Count("worker", distinct=True))
    needed = asked.aggregate(needed=Sum("item__answers_needed"))["needed"] or 0
    answers = Metric(name="Answers", count=there["answers"], of=needed)
    return Card(
        key="rows",
        title="Rows",
        about=_about(project, description),
        stage=answers,
        metrics=[
            Metric(name="Rows that wait", count=waiting),
            Metric(name="Rows that workers are asked about", count=rows),
            answers,
            Metric(name="Workers who have answered", count=there["workers"]),
        ],
        links=list(_ways(project, description, waiting)) if user.has_perm(CHANGE) else (),
        next=_next(project, description, waiting, lacking=needed - there["answers"]),
        problems=list(_problems(description)),
        tasks=(ASK,),
    )


def rows_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk)
    description = described(project)
    rows = Row.objects.filter(description=description).select_related("item").order_by("number")
    columns = description.page.columns if description else []
    waiting = waiting_rows(description) if description else 0
    page = page_of(rows, number=request.GET.get("page"), total=rows.count())
    context = {
        "title": "Rows",
        "page": page,
        "columns": columns,
        "table": [(row, [row.cells.get(name, "") for name in columns]) for row in page],
        "offered": offered_for(pages, project, user=signed_in(request)) if waiting else (),
        "upload_url": pages.address(project, "upload")
        if description and description.page.takes_rows and request.user.has_perm(CHANGE)
        else "",
    }
    return pages.render(request, "admin/plain/rows.html", context, project=project)


def _about(project: Project, description: Description | None) -> str:
    if description and description.page.role_column:
        return "Each role that people have had in the study is a row, and all of its people are asked once."
    people = f"{project.answers_wanted}"
    if project.answers_most:
        people += f" to {project.answers_most}, until an answer is {project.sure_percent} % sure"
    return f"Different people who are asked about each row: {people}. A page without columns is one row."


def _ways(project: Project, description: Description | None, waiting: int) -> Iterator[CardLink]:
    def address(name: str, *more: str) -> str:
        return reverse(f"admin:plain_{name}", args=[project.pk, *more])

    if description is None:
        return
    if waiting:
        yield CardLink(name="Ask about the rows that wait…", url=address("do", "ask"), is_first=True)
    if description.page.takes_rows:
        is_first = not description.rows.exists()
        yield CardLink(name="Upload rows…", url=address("upload"), is_first=is_first)
    if description.rows.exists():
        yield CardLink(name="See the rows", url=address("rows"))


def _next(project: Project, description: Description | None, waiting: int, *, lacking: int) -> str:
    if description is None:
        return ""
    if waiting:
        return f"Ask about the rows that wait: {waiting}."
    if not description.rows.exists():
        return "Upload rows for the page."
    if lacking > 0 and not _runs(project):
        return f"Launch a batch: {lacking} answers are needed."
    return ""


def _runs(project: Project) -> bool:
    return Batch.objects.filter(study=project.study_id, task=ASK, status__in=RUNNING).exists()


def _problems(description: Description | None) -> Iterator[str]:
    away = Row.objects.filter(description=description, item__pulled_at__isnull=False).count()
    if description and away:
        yield f"Rows that nobody new is asked about, for their picture was taken away: {away}."
