"""The page on which a project's data are downloaded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from hits.admin.data.take_files import TakeForm, take_file, words_of
from hits.admin.projects.project_page import TAKE, ProjectPages
from hits.data.project_exports import ProjectExport
from hits.datasets.columns import Column

Pages = ProjectPages[Any]
ON_RECORD = "Your download is put on record."


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What can be downloaded. `note` says why a file would have a first line and no rows."""

    about: str
    lists: Sequence[tuple[str, Sequence[Column]]]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class TakePage:
    """A download page: `said` goes on record, `everything` labels the box for more than what counts.

    `source`: what files are made from, if that is not the project. `find` is given the permission.
    """

    export: ProjectExport
    offer: Callable[[Any], Offer]
    said: Callable[[Any], str]
    everything: str
    key: str = "take"
    title: str = "Export the data"
    source: Callable[[HttpRequest, Any], Any] = lambda _, project: project
    find: Callable[..., Any] = ProjectPages.find

    def urls(self, pages: Pages) -> Sequence[URLPattern]:
        return [pages.at("<int:pk>/data/", self.view, self.key)]

    def form(self, data: QueryDict | None, source: Any) -> TakeForm:
        return TakeForm(data, what=words_of(self.export.files_of(source)), everything=self.everything)

    def take(self, request: HttpRequest, source: Any, **wanted: Any) -> HttpResponseBase:
        return take_file(request, self.export, source, said=self.said(source), **wanted)

    def view(self, pages: Pages, request: HttpRequest, pk: int) -> HttpResponseBase:
        project = self.find(pages, request, pk, TAKE)
        source = self.source(request, project)
        form = self.form(request.POST or None, source)
        if form.is_valid():
            return self.take(request, source, study=project.study, **form.cleaned_data)
        context = {
            "title": self.title,
            "form": form,
            "family": self.export.family,
            "offer": self.offer(source),
        }
        return pages.render(request, "admin/hits/take.html", context, project=project)
