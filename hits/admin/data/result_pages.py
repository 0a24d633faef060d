"""The pages below a project on which a model's results are uploaded, replaced and removed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.data.result_forms import ResultsForm, UploadedFile, answer_upload
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.core.domain.counted_nouns import plural
from hits.data.services.model_results import (
    ModelResults,
    Upload,
    add_results,
    remove_results,
    replace_results,
)

TEMPLATE = "admin/hits/results_upload.html"
Pages = ProjectPages[Any]
Made = TypeVar("Made", bound=Model)


@dataclass(frozen=True, kw_only=True)
class ResultsPages(Generic[Made]):
    """Pages for one kind of results, called `what`, each about one `thing`; `key` is in their address names.

    `page` is the page that shows them, and `title` its title. `file` describes what is uploaded to a project.
    `count` is how many things a model's results are about. `lacking` is said if a file could say more.
    """

    results: ModelResults[Any, Made]
    key: str
    what: str
    thing: str
    add: str
    remove: str
    page: str
    title: str
    count: Callable[[Made], int]
    file: Callable[[Any], UploadedFile]
    lacking: str = ""
    # The lookup for results that came as files, if others did not.
    replaced: Mapping[str, Any] = field(default_factory=dict)
    comes_back: Callable[[Made], str] = lambda _: "Only the file they came from can bring them back."
    anchor: str = ""
    base: str = "admin/hits/project_base.html"
    # Finds the project, for a user who may see it and has these permissions.
    find: Callable[..., Any] = ProjectPages.find

    def urls(self, pages: Pages, below: str) -> Sequence[URLPattern]:
        return [
            pages.at(f"<int:pk>/{below}/upload/", self.upload_view, f"upload_{self.key}"),
            pages.at(f"<int:pk>/{below}/<int:made>/replace/", self.replace_view, f"replace_{self.key}"),
            pages.at(f"<int:pk>/{below}/<int:made>/remove/", self.remove_view, f"remove_{self.key}"),
        ]

    def upload_view(self, pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
        project = self.find(pages, request, pk, self.add)
        take = partial(add_results, self.results, of=project, by=signed_in(request), now=timezone.now())
        return self._answer(pages, request, project, None, take=take)

    def replace_view(self, pages: Pages, request: HttpRequest, pk: int, made: int) -> HttpResponse:
        project = self.find(pages, request, pk, self.add, self.remove)
        chosen = self._find_made(project, made, **self.replaced)
        take = partial(replace_results, self.results, made=chosen, by=signed_in(request), now=timezone.now())
        return self._answer(pages, request, project, chosen, take=take)

    def remove_view(self, pages: Pages, request: HttpRequest, pk: int, made: int) -> HttpResponse:
        return self._removing(pages).answer(request, "remove", pk=pk, made=made)

    def _answer(
        self,
        pages: Pages,
        request: HttpRequest,
        project: Any,
        made: Made | None,
        *,
        take: Callable[..., Upload[Made]],
    ) -> HttpResponse:
        def done(upload: Upload[Made]) -> HttpResponse:
            self._tell(request, upload)
            verb = "replaced" if made else "uploaded"
            pages.log_change(request, project, f"The {self.what} of {upload.made} were {verb}.")
            return redirect(f"{pages.address(project, self.page)}{self.anchor}")

        def show(found: Mapping[str, Any]) -> HttpResponse:
            context = {**self._told(pages, project, made), **found}
            return pages.render(request, TEMPLATE, context, project=project)

        form = ResultsForm(request, results=self.results, made=made)
        return answer_upload(request, form, take=lambda values: take(**values), done=done, show=show)

    def _told(self, pages: Pages, project: Any, made: Made | None) -> Mapping[str, Any]:
        back = pages.address(project, self.page)
        return {
            "title": f"Replace the {self.what} of {made}" if made else f"Upload a model's {self.what}",
            "made": made,
            "what": self.what,
            "things": plural(self.count(made), self.thing) if made else "",
            "back": back,
            "trail": [(self.title, back)],
            "base": self.base,
            "file": self.file(project),
        }

    def _tell(self, request: HttpRequest, upload: Upload[Made]) -> None:
        things = plural(upload.count, self.thing)
        messages.success(request, f"The {self.results.name} of {upload.made} for {things} are counted.")
        if upload.missing:
            messages.warning(request, self.lacking.format(upload.missing))

    def _removing(self, pages: Pages) -> ActionPages[Made]:
        def find(request: HttpRequest, pk: int, made: int) -> Sequence[Made]:
            return [self._find_made(self.find(pages, request, pk, self.remove), made)]

        def back(made: Made) -> str:
            return pages.address(self._project_of(made), self.page)

        remove = Action(
            label=f"Remove the {self.results.name}",
            confirm=self._ask_to_remove,
            run=self._remove,
            is_grave=True,
        )
        return project_actions(
            pages,
            {"remove": remove},
            find=find,
            back=back,
            base=self.base,
            trail=lambda made: [(self.title, back(made))],
        )

    def _ask_to_remove(self, call: Call[Made]) -> Confirm:
        made = call.row
        return Confirm(
            title=f"Remove the {self.what} of {made}?",
            text=emphasize(
                "You remove the {what} of {} for {things} of {}. {comes_back}",
                made,
                self._project_of(made).study,
                what=self.what,
                things=plural(self.count(made), self.thing),
                comes_back=self.comes_back(made),
            ),
        )

    def _remove(self, call: Call[Made]) -> Outcome:
        remove_results(self.results, made=call.row)
        words = f"The {self.what} of {call.row}"
        return Outcome(said=f"{words} are removed.", history=f"{words} were removed.")

    def _find_made(self, project: Any, pk: int, **kind: Any) -> Made:
        of, by = self.results.header["of"], self.results.header["by"]
        rows = self.results.of._default_manager.select_related(by, f"{of}__study")
        return get_object_or_404(rows, pk=pk, **{of: project}, **kind)

    def _project_of(self, made: Made) -> Any:
        return getattr(made, self.results.header["of"])
