"""The form that describes a page beside its preview, and keeps it once nothing is wrong with it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.plain.asking.ask import PlainTask
from crowd.plain.asking.shown_parts import ShownRow, names_of
from crowd.plain.domain.description_parser import MOST_LETTERS, read_page, tidy
from crowd.plain.domain.pages import Page
from crowd.plain.models import Description, Project, Row
from crowd.plain.queries.described_pages import described
from crowd.plain.queries.ready import ready_descriptions
from crowd.plain.services.page_descriptions import describe_page, stamp_of
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.core.errors import InvalidItems, RuleBroken
from hits.identity.models.users import User

Pages = ProjectPages[Any]
CHANGE = "plain.change_project"
# A little more than can be kept, so that a text that is too long gets a message.
MOST_SENT = 2 * MOST_LETTERS


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/page/", describe_view, "describe"),
        pages.at("<int:pk>/page/preview/", preview_view, "preview"),
        pages.at("<int:pk>/page/look/", look_view, "look"),
    ]


def page_card(project: Project, user: User) -> Card:
    description = described(project)
    name = "Change the page…" if description else "Describe the page…"
    url, is_first = _address(project, "describe"), description is None
    ways = [CardLink(name=name, url=url, is_first=is_first, permission=CHANGE)]
    if description:
        ways.append(CardLink(name="See it as workers do", url=_address(project, "look")))
    return Card(
        key="page",
        title="The page",
        about=_about(description),
        metrics=[Metric(name="Questions", count=len(description.page.questions))] if description else (),
        stage=Metric(name="Questions", count=len(description.page.questions) if description else 0),
        links=ways,
        next="" if description else "Describe the page that workers see.",
    )


def describe_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the form, and keep the page. `preview` is sent where no script runs: then nothing is kept."""
    project = pages.find(request, pk, CHANGE)
    description = described(project)
    text, seen = _text(request, description), request.POST.get("seen", stamp_of(description))
    refusal = ""
    if request.method == "POST" and "preview" not in request.POST:
        try:
            kept = describe_page(
                project=project, text=text, seen=seen, by=signed_in(request), now=timezone.now()
            )
        except InvalidItems as error:
            refusal = "Nothing was kept. Correct what is listed above the preview, and keep the page again."
            if not read_page(tidy(text)).faults:
                refusal = f"Nothing was kept. {' '.join(error.problems)}"
        except RuleBroken as broken:
            refusal, seen = str(broken), stamp_of(described(project))
        else:
            pages.log_change(request, project, f"The page was kept: {kept}.")
            messages.success(request, f"The page is kept: {kept}.")
            return redirect(pages.address(project))
    context = {
        "title": "The page",
        "text": text,
        "seen": seen,
        "refusal": refusal,
        "is_asked": description is not None and description.asked_at is not None,
        "ready": [(name, name.replace("-", " ").capitalize()) for name in ready_descriptions()],
        "most": MOST_LETTERS,
        **_previewed(text, description),
    }
    return pages.render(request, "admin/plain/describe.html", context, project=project)


def preview_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """The preview beside the description while it is written; nothing is kept."""
    project = pages.find(request, pk, CHANGE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    text = request.POST.get("text", "")[:MOST_SENT]
    return render(request, "admin/plain/preview.html", _previewed(text, described(project)))


def look_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """The kept page with its first row, as a preview of the HIT would show it."""
    description = described(pages.find(request, pk))
    if description is None:
        raise Http404
    shown = PlainTask().shown_alone(_asked(description.page, description.rows.first()))
    return render(request, shown.template, {**shown.context, "preview": True})


def _previewed(text: str, description: Description | None) -> dict[str, Any]:
    read = read_page(tidy(text))
    row = description.rows.first() if description else None
    shown = PlainTask().shown_alone(_asked(read.page, row))
    return {**shown.context, "page": read.page, "faults": read.faults, "is_blank": not text.strip()}


def _asked(page: Page, row: Row | None) -> ShownRow:
    """A row on the page; a column that no row has yet is shown by its name."""
    cells = names_of(page) | (row.cells if row else {})
    pictures = row.pictures.select_related("picture") if row else ()
    return ShownRow(
        page=page,
        cells=cells,
        pictures={one.column: one.picture for one in pictures},
        role=row.role if row else "",
    )


def _text(request: HttpRequest, description: Description | None) -> str:
    """The text that was sent, a ready description that was chosen, or the text that is kept."""
    if request.method == "POST":
        return request.POST.get("text", "")[:MOST_SENT]
    chosen = ready_descriptions().get(request.GET.get("ready", ""), "")
    return chosen or (description.text if description else "")


def _about(description: Description | None) -> str:
    if description is None:
        return (
            "What workers read and answer: texts, pictures and questions, with columns of your rows in them."
        )
    if description.asked_at:
        return f"“{description}”. Workers are asked by it, so it stays; what you keep now is a new version."
    return f"“{description}”. Nobody is asked by it yet, so it may change."


def _address(project: Project, name: str) -> str:
    return reverse(f"admin:plain_{name}", args=[project.pk])
