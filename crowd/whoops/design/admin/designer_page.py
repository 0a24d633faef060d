"""The page of one designer: the link, their details, their images, and whether they may go on."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.design.admin.designer_forms import DesignerForm
from crowd.whoops.design.admin.designers import CHANGE, LOOK
from crowd.whoops.design.queries.designers import designers_with_figures
from crowd.whoops.design.services import invitations, workspace_links
from crowd.whoops.images.admin.addresses import by_post, images_url, page_url
from crowd.whoops.models import Designer, Project
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.link_forms import DaysForm
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.core import held_links
from hits.core.errors import RuleBroken

SHOWN_IMAGES = 30
ONE = "<int:pk>/designers/<uuid:designer>/"


def designer_page_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at(ONE, designer_view, "designer"),
        pages.at(f"{ONE}change/", change_view, "change_designer"),
        pages.at(f"{ONE}link/", by_post(link_view), "designer_link"),
        pages.at(f"{ONE}active/", active_view, "designer_active"),
    ]


def designer_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, designer: UUID) -> HttpResponse:
    project = pages.find(request, pk, LOOK)
    found = _find(project, designer)
    images = found.images.select_related("picture", "bonus").order_by("-number")[:SHOWN_IMAGES]
    now = timezone.now()
    may_change = request.user.has_perm(CHANGE)
    context = {
        "title": str(found),
        "designer": found,
        "images": [(image, file_url(image.picture, 160)) for image in images],
        "images_url": images_url(project, designer__id__exact=str(found.pk)),
        "may_change": may_change,
        "is_over": found.link_until is None or now >= found.link_until,
        "address": workspace_links.address_of(found) if may_change else "",
        "form": DaysForm(label_suffix=""),
        "back": page_url("designers", project),
        "change_url": page_url("change_designer", project, designer),
        "link_url": page_url("designer_link", project, designer),
        "active_url": page_url("designer_active", project, designer),
    }
    return pages.render(request, "admin/whoops/designer.html", context, project=project)


def change_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, designer: UUID) -> HttpResponse:
    project = pages.find(request, pk, LOOK, CHANGE)
    found = _find(project, designer)
    form = DesignerForm(request.POST or None, user=signed_in(request), designer=found)
    if request.method == "POST" and form.is_valid():
        try:
            invitations.change_designer(designer=found, **form.cleaned_data)
        except RuleBroken as refusal:
            form.add_error("name" if refusal.code.startswith("name") else "worker", str(refusal))
        else:
            pages.log_change(request, project, f"Changed the designer “{found}”.")
            messages.success(request, "The designer is saved.")
            return redirect(page_url("designer", project, designer))
    context = {
        "title": f"Change {found}",
        "form": form,
        "back": page_url("designer", project, designer),
        "button": "Save the designer",
        "about": "",
    }
    return pages.render(request, "admin/whoops/designer_form.html", context, project=project)


def link_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, designer: UUID) -> HttpResponse:
    """Make a new link, which ends every earlier one; or prolong the present one."""
    project = pages.find(request, pk, LOOK, CHANGE)
    found = _find(project, designer)
    form = DaysForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Nothing was changed. {form.errors['days'][0]}")
    elif request.POST.get("deed") == "new":
        invitations.renew_link(designer=found, now=timezone.now(), **form.cleaned_data)
        pages.log_change(request, project, f"Made a new link for the designer “{found}”.")
        messages.success(
            request, "Here is the new link. Send it to the designer: earlier ones no longer work."
        )
    else:
        held_links.prolong_link(found, now=timezone.now(), **form.cleaned_data)
        pages.log_change(request, project, f"Prolonged the link of the designer “{found}”.")
        messages.success(request, "The link is valid longer, and stays the same.")
    return redirect(page_url("designer", project, designer))


def active_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, designer: UUID) -> HttpResponse:
    """Shut a designer out after one more question; the same button lets them in again."""

    def find(request: HttpRequest) -> Sequence[Designer]:
        return [_find(pages.find(request, pk, LOOK, CHANGE), designer)]

    actions = project_actions(
        pages,
        {"active": Action(label="Shut out", confirm=_ask_about_active, run=_set_active)},
        find=find,
        back=lambda found: page_url("designer", found.project, designer),
    )
    return actions.answer(request, "active")


def _ask_about_active(call: Call[Designer]) -> Confirm:
    found = call.row
    if found.is_active:
        return Confirm(
            title=f"Shut {found} out?",
            text=f"{found} still sees their images, but cannot send any: neither new ones nor those that "
            "came back. What they have sent stays, and is paid. They can be let in again.",
            button="Shut them out",
            hidden=[("deed", "out")],
        )
    return Confirm(
        title=f"Let {found} in again?",
        text=f"{found} can send images again, by the link that they have or by a new one.",
        button="Let them in again",
        hidden=[("deed", "in")],
    )


def _set_active(call: Call[Designer]) -> Outcome:
    """Do what the page said, whatever a colleague has done meanwhile."""
    is_active = call.sent.get("deed") == "in"
    invitations.set_active(designer=call.row, is_active=is_active)
    words = f"{call.row} may send images again." if is_active else f"{call.row} can no longer send images."
    return Outcome(said=words, history=words)


def _find(project: Project, designer: UUID) -> Designer:
    found = designers_with_figures(project).filter(public_id=designer).first()
    if found is None:
        raise Http404
    return found
