"""The page of a study's own list of categories: replaced after a look, or given up for the shared one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import URLPattern

from crowd.whoops.images.admin.addresses import page_url
from crowd.whoops.images.queries.categories import categories_of
from crowd.whoops.images.services.own_categories import (
    ListChange,
    TypedCategory,
    plan_list,
    read_categories,
    replace_list,
    share_list,
)
from crowd.whoops.models import Project
from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken

CHANGE, LOOK = "whoops.change_category", "whoops.view_category"
ABOUT = (
    "Designers of this study choose from this list alone. A category with the name of one of the shared list "
    "keeps its mark: whether the paper names it, or it is ours."
)


class ListForm(forms.Form):
    lines = forms.CharField(
        label="Categories",
        widget=forms.Textarea(attrs={"rows": 20}),
        help_text="One a line: its name, and if you like a colon and what it is about.",
    )

    def clean_lines(self) -> Sequence[TypedCategory]:
        try:
            return read_categories(self.cleaned_data["lines"])
        except RuleBroken as refusal:
            raise forms.ValidationError(str(refusal)) from refusal


def own_category_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/categories/", categories_view, "own_categories"),
        pages.at("<int:pk>/categories/<slug:verb>/", verb_view, "own_categories_verb"),
    ]


def categories_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, LOOK)
    rows = list(categories_of(project))
    is_own = bool(rows) and rows[0].project_id is not None
    context = {
        "title": "Categories of this study",
        "rows": rows,
        "is_own": is_own,
        "offered": _offered(pages, request, project, is_own=is_own),
    }
    return pages.render(request, "admin/whoops/own_categories.html", context, project=project)


def verb_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    return _pages(pages).answer(request, verb, pk=pk)


def _offered(
    pages: ProjectPages[Any], request: HttpRequest, project: Project, *, is_own: bool
) -> Sequence[RowButton]:
    if not request.user.has_perm(CHANGE):
        return ()
    return [_pages(pages).offer(project, key) for key in (("replace", "share") if is_own else ("replace",))]


def _pages(pages: ProjectPages[Any]) -> ActionPages[Project]:
    return project_actions(
        pages,
        ACTIONS,
        find=lambda request, pk: [pages.find(request, pk, LOOK, CHANGE)],
        back=lambda project: page_url("own_categories", project),
        url=lambda project, key: page_url("own_categories_verb", project, key),
    )


def _form(data: QueryDict | None, call: Call[Project]) -> ListForm:
    lines = [f"{row.name}: {row.about}" if row.about else row.name for row in categories_of(call.row)]
    return ListForm(data, initial={"lines": "\n".join(lines)}, label_suffix="")


def _ask(call: Call[Project]) -> Confirm:
    about = Confirm(title="Replace the list of categories", text=ABOUT, button="Replace the list")
    if not call.values:
        return about
    typed = call.values["lines"]
    said = emphasize("{} This study alone has them.", f"{plural(len(typed), 'line')} read as categories.")
    change = plan_list(project=call.row, typed=typed)
    return replace(
        about,
        consequences=[said, *_consequences(change)],
        problem=_problem(change),
        is_blocked=bool(change.kept_out),
    )


def _consequences(change: ListChange) -> Sequence[str]:
    said = [f"Images that move to the category of the same name: {change.moved}."]
    if change.lacking:
        named = ", ".join(f"{name} ({count})" for name, count in change.lacking.items())
        said.append(f"The new list lacks categories that images have: {named}. Set these images' categories.")
    return said


def _problem(change: ListChange) -> str:
    if not change.kept_out:
        return ""
    named = ", ".join(f"“{name}”" for name in change.kept_out)
    return f"Add these own categories to the list, since images have them: {named}. Then look again."


def _replace(call: Call[Project]) -> Outcome:
    typed = call.values["lines"]
    change = replace_list(project=call.row, typed=typed, by=call.by, now=call.now)
    done = f"The study has {len(typed)} categories of its own."
    return Outcome(said=f"{done} Images that moved: {change.moved}.", history=done)


def _ask_share(call: Call[Project]) -> Confirm:
    change = plan_list(project=call.row, typed=None)
    return Confirm(
        text="The study's own list is deleted, and its designers choose from the shared one again.",
        consequences=_consequences(change),
        is_blocked=bool(change.lacking),
    )


def _share(call: Call[Project]) -> Outcome:
    share_list(project=call.row, by=call.by, now=call.now)
    done = "The study has the shared list of categories again."
    return Outcome(said=done, history=done)


ACTIONS: Mapping[str, Action[Project]] = {
    "replace": Action(
        label="Replace the list",
        permissions=(CHANGE,),
        form=_form,
        looks_first="See what changes",
        confirm=_ask,
        run=_replace,
    ),
    "share": Action(
        label="Back to the shared list", permissions=(CHANGE,), confirm=_ask_share, run=_share, is_grave=True
    ),
}
