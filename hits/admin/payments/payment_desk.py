"""The payments desk: what waits, what is unclear, what is overdue, and how long the money lasts."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.home import navigation, waiting
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.admin.home.waiting import Waiting
from hits.admin.page_parts import read_number
from hits.admin.payments.downloads import FormatForm, send
from hits.admin.payments.money_charts import money_tables
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_alone
from hits.core.domain.months import Month, month_of, read_month
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.queries.month_closes import transfers_by_month
from hits.payments.queries.payment_tasks import IN_RUN, Desk, desk_of, whole_runs
from hits.payments.queries.run_list import drafts_of, owed_free, owed_held, runs_to_decide
from hits.payments.services import finance_files
from hits.review.queries.appeal_queue import WaitingAppeals, waiting_for
from hits.studies.models import Study
from hits.work.access import studies_of, visible

MONTHS = 36
SOON_DAYS = 14
Status = Bonus.Status


class CloseForm(FormatForm):
    """A form for the monthly close of one study, or of all."""

    field_order = ("month", "study", "format", "with_ids", "reason")
    month = forms.TypedChoiceField(label="Month", coerce=read_month)
    study = forms.ModelChoiceField(
        Study.objects.none(), empty_label="All studies that you see", required=False
    )

    def __init__(self, request: HttpRequest, *, now: datetime) -> None:
        months, studies = _months_until(now), studies_of(request.user)
        study = read_number(request.GET.get("study", ""))
        counts = transfers_by_month(studies.filter(pk=study) if study else studies)
        super().__init__(request, initial={"month": _month_to_close(months, counts, now=now), "study": study})
        self.fields["month"].choices = [(str(month), _in_words(month, counts, now=now)) for month in months]  # type: ignore[attr-defined]
        self.fields["study"].queryset = studies.order_by("name")  # type: ignore[attr-defined]


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    """Yield bonus runs that this user may decide on, their own drafts, bonuses in no run, and held ones."""
    runs = reverse("admin:hits_run_changelist")
    for rows, words, one, listed in (
        (runs_to_decide(user), "bonus runs to approve", "bonus run to approve", "waits=me"),
        (drafts_of(user), "bonus runs that you prepare", "bonus run that you prepare", "waits=mine"),
    ):
        keys = list(rows.values_list("pk", flat=True))
        # Of one, its own page, where it is decided on.
        url = reverse("admin:hits_run_change", args=keys) if len(keys) == 1 else f"{runs}?{listed}"
        yield Waiting(count=len(keys), words=words, one=one, url=url)
    if user.has_perm("hits.prepare_run"):
        owed = visible(owed_free(), user).count()
        yield Waiting(
            count=owed,
            words="bonuses owed, in no run yet",
            one="bonus owed, in no run yet",
            url=reverse("admin:hits_payments"),
        )
    if user.has_perm("hits.hold_bonus"):
        yield Waiting(
            count=owed_held(user).count(),
            words="bonuses held, until somebody releases them",
            one="bonus held, until somebody releases it",
            url=f"{reverse('admin:hits_bonus_changelist')}?hold=yes",
        )


waiting.register(_waiting, permissions=["hits.prepare_run", "hits.approve_run", "hits.hold_bonus"])
navigation.add_page(
    Page(
        place=MenuPlace(Section.MONEY, 1, "Payments"),
        route="admin:hits_payments",
        permissions=["hits.view_bonus", "hits.view_run"],
    )
)


def urls() -> list[URLPattern]:
    """The desk's addresses, directly under the admin's: they belong to no single table."""
    view = admin.site.admin_view
    return [
        path("payments/", view(desk_view), name="hits_payments"),
        path("payments/<slug:name>.<slug:form>", view(table_view), name="hits_payments_table"),
        path("payments/close/", view(close_view), name="hits_close"),
        path("payments/run/<int:pk>/file/", view(run_file_view), name="hits_run_file"),
    ]


def desk_view(request: HttpRequest) -> HttpResponseBase:
    user = signed_in(request)
    if not (user.has_perm("hits.view_bonus") or user.has_perm("hits.view_run")):
        raise PermissionDenied
    now = timezone.now()
    desk, appeals = desk_of(user, now=now), waiting_for(user, overdue_before=now)
    context = {
        **admin.site.each_context(request),
        "title": "Payments",
        "desk": desk,
        "appeals": appeals,
        "bonuses": {key: desk.bonuses.get(key) for key in (*Status.values, IN_RUN)},
        "overdue": _overdue(desk),
        "is_clear": _is_clear(request, desk, appeals),
        "soon_days": SOON_DAYS,
        "tables": money_tables(user, now=now),
    }
    return TemplateResponse(request, "admin/hits/payments.html", context)


def table_view(request: HttpRequest, name: str, form: str) -> HttpResponseBase:
    """Send a table of the desk as a file."""
    tables = money_tables(signed_in(request), now=timezone.now())
    table = next((one for one in tables if one.name == name and form in one.files), None)
    if table is None:
        raise Http404
    return send_alone(table, form=form)


def close_view(request: HttpRequest) -> HttpResponseBase:
    """Show the form of a monthly close, or send the file."""
    if not request.user.has_perm("hits.view_ledgerentry"):
        raise PermissionDenied
    now = timezone.now()
    form = CloseForm(request, now=now)
    if form.is_bound and form.is_valid():
        study = form.cleaned_data["study"]
        try:
            file = finance_files.close_file(
                studies=[study] if study else list(studies_of(request.user)),
                month=form.cleaned_data["month"],
                by=signed_in(request),
                now=now,
                reason=form.wanted_reason,
            )
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            return send(file, kind=form.cleaned_data["format"])
    context = {**admin.site.each_context(request), "title": "A month's close", "form": form}
    return TemplateResponse(request, "admin/hits/close.html", context, status=_status(form))


def run_file_view(request: HttpRequest, pk: int) -> HttpResponseBase:
    if not request.user.has_perm("hits.view_run"):
        raise PermissionDenied
    rows = whole_runs(Run.objects.select_related("prepared_by", "decided_by"), signed_in(request))
    run = get_object_or_404(rows, pk=pk)
    form = FormatForm(request)
    if form.is_bound and form.is_valid():
        try:
            file = finance_files.run_file(
                run=run, by=signed_in(request), now=timezone.now(), reason=form.wanted_reason
            )
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            return send(file, kind=form.cleaned_data["format"])
    context = {**admin.site.each_context(request), "title": "File of a run", "form": form, "run": run}
    return TemplateResponse(request, "admin/hits/run_file.html", context, status=_status(form))


def _status(form: forms.Form) -> int:
    return 409 if form.is_bound else 200


def _overdue(desk: Desk) -> list[dict[str, Any]]:
    """Bonuses that wait longer than they should, with the words for it."""
    words = {
        Status.OWED: "owed for more than 7 days",
        Status.APPROVED: "approved more than an hour ago and not sent",
        Status.SENT: "sent more than a day ago and not confirmed",
    }
    counts = {status: desk.count_late(status) for status in words}
    return [
        {"status": status, "words": words[status], "count": count}
        for status, count in counts.items()
        if count
    ]


def _is_clear(request: HttpRequest, desk: Desk, appeals: WaitingAppeals) -> bool:
    """Whether nothing on this page needs an action."""
    user = request.user
    mine = desk.drafts or (desk.to_approve and user.has_perm("hits.approve_run"))
    unclear = Status.UNKNOWN in desk.bonuses or Status.REFUSED in desk.bonuses or Status.OWED in desk.bonuses
    return not (mine or unclear or appeals.open or desk.differences or _overdue(desk))


def _is_over(month: Month, *, now: datetime) -> bool:
    """Whether the month is over in the time zone that is furthest behind, and so in every study's."""
    return month < month_of(now, zone="Etc/GMT+12")


def _month_to_close(months: Sequence[Month], counts: Mapping[Month, int], *, now: datetime) -> str:
    """The latest month that is over and has transfers; else the latest with some; else the latest over."""
    over = [month for month in months if _is_over(month, now=now)]
    chosen = [month for month in (*over, *months) if counts.get(month)] or over
    return str(chosen[0])


def _in_words(month: Month, counts: Mapping[Month, int], *, now: datetime) -> str:
    count = counts.get(month, 0)
    so_far = "" if _is_over(month, now=now) else " so far"
    return f"{month}{so_far}: {count or 'no'} transfer{'' if count == 1 else 's'}"


def _months_until(now: datetime) -> list[Month]:
    """The latest months, newest first. Starts in the time zone that is furthest ahead."""
    month = month_of(now, zone="Pacific/Kiritimati")
    found = [month]
    while len(found) < MONTHS:
        found.append(found[-1].previous)
    return found
