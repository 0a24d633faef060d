"""The page of a project's nouns, to search them and to add more."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern

from crowd.winoventi.admin.forms import NounsForm
from crowd.winoventi.models import Noun
from crowd.winoventi.procedure.services.projects import add_nouns
from hits.admin.projects.project_page import ProjectPages

Pages = ProjectPages[Any]
SHOWN_NOUNS = 100


def urls(pages: Pages) -> list[URLPattern]:
    return [pages.at("<int:pk>/nouns/", nouns_view, "nouns")]


def nouns_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    keep = pages.permission("change")
    project = pages.find(request, pk, *([keep] if request.method == "POST" else []))
    form = NounsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        count = add_nouns(project=project, words=form.cleaned_data["nouns"])
        pages.log_change(request, project, f"{count} nouns were added.")
        messages.success(request, f"{count} nouns were added after the existing ones.")
        return redirect(pages.address(project, "nouns"))
    sought = request.GET.get("q", "").strip()[:64]
    rows = Noun.objects.filter(project=project, word__icontains=sought) if sought else project.nouns.all()
    context = {
        "title": "Nouns",
        "form": form,
        "may_keep": request.user.has_perm(keep),
        "q": sought,
        "count": rows.count(),
        "nouns": rows.order_by("number")[:SHOWN_NOUNS],
    }
    return pages.render(request, "admin/winoventi/nouns.html", context, project=project)
