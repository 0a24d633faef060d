"""Pages of designers: invitations, what each sent and earned, and the pay that is outstanding."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.whoops import domain
from crowd.whoops.design.admin.designer_forms import InviteForm, PlacesForm
from crowd.whoops.design.queries.designers import designers_with_figures
from crowd.whoops.design.services import designer_pay, invitations
from crowd.whoops.images.admin.addresses import by_post, images_url, page_url
from crowd.whoops.models import Designer, Image, Project
from hits.admin.data.take_files import send_csv
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import TAKE, ProjectPages
from hits.admin.selection import signed_in
from hits.common.count_together import count_together
from hits.common.spreadsheets import Cell
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus

LOOK, ADD, CHANGE = "whoops.view_designer", "whoops.add_designer", "whoops.change_designer"
PAY = "whoops.decide_image"
PAGE = 50
LONGEST_SEARCH = 80
# Orders of the list.
ORDERS: dict[str, tuple[str, Sequence[str]]] = {
    "name": ("Name", ("name", "pk")),
    "sent": ("Images sent", ("-sent", "name")),
    "accepted": ("Images accepted", ("-accepted", "name")),
    "seen": ("Last seen", ("-seen_at", "name")),
    "unowed": ("Not owed yet", ("-unowed", "name")),
}
WHICH: dict[str, tuple[str, Q]] = {
    "active": ("May send", Q(is_active=True)),
    "inactive": ("May not send", Q(is_active=False)),
    "paid": ("Paid", Q(is_paid=True)),
    "volunteers": ("Volunteers", Q(is_paid=False)),
}
HEADER = (
    "designer", "designer_id", "worker", "is_paid", "image", "image_id", "accepted_at", "amount", "currency",
    "state",
)  # fmt: skip


def designer_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/designers/", list_view, "designers"),
        pages.at("<int:pk>/designers/invite/", invite_view, "invite"),
        pages.at("<int:pk>/designers/places/", places_view, "places"),
        pages.at("<int:pk>/designers/owe/", by_post(owe_view), "owe_images"),
        pages.at("<int:pk>/designers/accepted.csv", csv_view, "accepted_csv"),
    ]


def designers_card(project: Project, user: User) -> Card:
    counts = count_together(
        designers=project.designers.all(),
        sent=project.images.all(),
        accepted=project.images.filter(state=Image.State.ACCEPTED),
        unowed=designer_pay.outstanding(project),
    )
    designers, unowed = counts["designers"], counts["unowed"]
    taken, free = invitations.places_of(project)
    list_url = page_url("designers", project)
    invite_url, categories_url = page_url("invite", project), reverse("admin:whoops_category_changelist")
    unowed_words = f"{unowed} accepted image{_s(unowed)} of paid workers {_is(unowed)} not owed yet."
    return Card(
        key="designers",
        title="Designers",
        about="They make the images, in a workspace of their own: invited by a link, or workers who took the "
        "HIT. Paid ones earn a bonus for each accepted image.",
        metrics=[
            Metric(name="Designers", count=designers, url=list_url if user.has_perm(LOOK) else ""),
            Metric(name="Images sent", count=counts["sent"], url=images_url(project)),
            Metric(
                name="Images accepted",
                count=counts["accepted"],
                url=images_url(project, state=Image.State.ACCEPTED),
            ),
            Metric(name="Places taken by the HIT", count=taken, of=taken + free),
        ],
        links=[
            CardLink(name="Designers", url=list_url, permission=LOOK),
            CardLink(name="Invite a designer…", url=invite_url, is_first=not designers, permission=ADD),
            CardLink(name="Categories", url=categories_url, permission="whoops.view_category"),
        ],
        stage=Metric(name="Designers", count=designers),
        next="Invite the first designers, or offer the HIT."
        if user.has_perm(ADD) and not designers and not free
        else "",
        problems=[f"{unowed_words} The page of designers says why."] if unowed else [],
        tasks=(domain.DESIGN,),
    )


def list_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, LOOK)
    sought = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
    order = request.GET.get("o", "") if request.GET.get("o") in ORDERS else "name"
    which = request.GET.get("which", "") if request.GET.get("which") in WHICH else ""
    rows = _found(designers_with_figures(project), sought=sought, which=which)
    taken, free = invitations.places_of(project)
    context = {
        "title": "Designers",
        "page": Paginator(rows.order_by(*ORDERS[order][1]), PAGE).get_page(request.GET.get("page")),
        "any": bool(sought or which) or project.designers.exists(),
        "q": sought,
        "orders": [(name, label, name == order) for name, (label, _) in ORDERS.items()],
        "which": [(name, label, name == which) for name, (label, _) in WHICH.items()],
        "now": timezone.now(),
        "outstanding": _reasons(project),
        "taken": taken,
        "free": free,
        "places": PlacesForm(initial={"places": taken + free}, label_suffix=""),
        "may_add": request.user.has_perm(ADD),
        "may_change": request.user.has_perm(CHANGE),
        "may_pay": request.user.has_perm(PAY),
        "may_take": request.user.has_perm(TAKE),
        **_addresses(project),
    }
    return pages.render(request, "admin/whoops/designers.html", context, project=project)


def invite_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, LOOK, ADD)
    user = signed_in(request)
    form = InviteForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        try:
            designer = invitations.invite_designer(
                project=project, by=user, now=timezone.now(), **form.cleaned_data
            )
        except RuleBroken as refusal:
            form.add_error("name" if refusal.code.startswith("name") else None, str(refusal))
        else:
            pages.log_change(request, project, f"Invited the designer “{designer}”.")
            messages.success(request, f"{designer} is invited. Copy the link, and send it to them.")
            return redirect(page_url("designer", project, designer.public_id))
    context = {
        "title": "Invite a designer",
        "form": form,
        "back": page_url("designers", project),
        "button": "Invite, and make the link",
        "about": "They get a link to a workspace of their own, and need no account.",
    }
    return pages.render(request, "admin/whoops/designer_form.html", context, project=project)


def places_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Set how many workers may take the HIT, from the list of designers."""
    project = pages.find(request, pk, LOOK, CHANGE)
    form = PlacesForm(request.POST)
    if request.method == "POST" and form.is_valid():
        try:
            invitations.want_designers(project=project, **form.cleaned_data)
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            taken, free = invitations.places_of(project)
            messages.success(request, f"{free} place{_s(free)} {_is(free)} free, and {taken} taken.")
    elif request.method == "POST":
        messages.error(request, f"Nothing was changed. {form.errors['places'][0]}")
    return redirect(page_url("designers", project))


def owe_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, LOOK, PAY)
    found = designer_pay.owe_outstanding(project=project, by=signed_in(request), now=timezone.now())
    said, problems = words_of_owing(found)
    if said:
        messages.success(request, said)
    for problem in problems:
        messages.warning(request, problem)
    return redirect(page_url("designers", project))


def words_of_owing(found: designer_pay.Outcome) -> tuple[str, Sequence[str]]:
    """Say how many images are owed now, and why others are not yet."""
    problems = [
        f"{count} image{_s(count)} {_is(count)} not owed yet. {why}" for why, count in found.reasons.items()
    ]
    if found.owed:
        said = f"{found.owed} image{_s(found.owed)} {_is(found.owed)} owed now. Put them into the next run."
        return said, problems
    return "" if problems else "Nothing is outstanding.", problems


def csv_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponseBase:
    """Send every accepted image as CSV, for designers who are paid elsewhere and for the books."""
    project = pages.find(request, pk, LOOK, TAKE)
    return send_csv(HEADER, _accepted(project), name="accepted-images.csv")


def _accepted(project: Project) -> Iterator[Sequence[Cell]]:
    rows = project.images.filter(state=Image.State.ACCEPTED).select_related("designer__worker", "bonus")
    rows = rows.defer("designer__worker__external_id").order_by("designer__name", "number")
    for image in rows.iterator():
        designer, bonus = image.designer, image.bonus
        pay = project.image_pay if designer.is_paid else None
        unpaid = "Not owed yet" if designer.is_paid_here else ("Paid elsewhere" if pay else "Volunteer")
        yield (
            designer.name,
            str(designer.public_id),
            designer.worker.pseudonym if designer.worker else "",
            "yes" if designer.is_paid else "no",
            image.number,
            str(image.public_id),
            image.accepted_at,
            bonus.amount if bonus else pay,
            bonus.currency if bonus else project.study.currency,
            Bonus.Status(bonus.status).label if bonus else unpaid,
        )


def _found(rows: QuerySet[Designer], *, sought: str, which: str) -> QuerySet[Designer]:
    rows = rows.filter(WHICH[which][1]) if which else rows
    if not sought:
        return rows
    return rows.filter(Q(name__icontains=sought) | Q(worker__pseudonym=sought.casefold()))


def _reasons(project: Project) -> dict[str, Any]:
    """Summarize what is outstanding: how many images, how much, and why."""
    rows = designer_pay.outstanding(project).order_by()
    reasons: dict[str, int] = {}
    for why in rows.values_list("unowed", flat=True):
        reasons[why or "Not tried yet."] = reasons.get(why or "Not tried yet.", 0) + 1
    owed = Bonus.objects.filter(pk__in=project.images.filter(bonus__isnull=False).values("bonus"))
    waiting = owed.filter(status=Bonus.Status.OWED).aggregate(sum=Sum("amount"))["sum"]
    count = sum(reasons.values())
    return {"count": count, "amount": count * project.image_pay, "reasons": reasons, "to_pay": waiting or 0}


def _addresses(project: Project) -> dict[str, str]:
    return {
        "invite_url": page_url("invite", project),
        "places_url": page_url("places", project),
        "owe_url": page_url("owe_images", project),
        "csv_url": page_url("accepted_csv", project),
        "draft_url": page_url("draft", project, domain.DESIGN),
    }


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
