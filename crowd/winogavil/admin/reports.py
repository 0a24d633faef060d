from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from crowd.winogavil.admin.parts import GameList
from crowd.winogavil.models import CueReport
from crowd.winogavil.services.withdrawal import decide_report
from hits.admin.actions import one_by_one
from hits.admin.home import waiting
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.home.waiting import Waiting
from hits.admin.page_parts import VisibleStudies
from hits.admin.selection import signed_in
from hits.identity.models.users import User
from hits.work.access import studies_of

DECIDE = "winogavil.decide_cuereport"


@admin.register(CueReport)
class CueReportAdmin(GameList[CueReport]):
    """Words that workers and players have reported; either decision can be changed later."""

    menu = MenuPlace(Section.DATA, 8, "Reports of cues")
    nothing_yet = "Solvers and players may report a cue. Their reports are listed here, to be decided on."
    title = "Reports of cues"
    about = (
        "Words that workers and players found unfit. Nobody is asked a word with an open report; "
        "uphold or dismiss it with the actions of this list."
    )
    list_display = ("cue", "study", "reason", "text", "status", "reported_at", "decided_by")
    list_display_links = None
    list_filter = ("status", "reason", ("association__item__study", VisibleStudies))
    search_fields = ("association__cue", "text")
    ordering = ("-pk",)
    actions = ("uphold", "dismiss")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[CueReport]:
        rows: QuerySet[Any] = super().get_queryset(request)
        shown = rows.select_related("association__item__study", "decided_by")
        return shown.filter(association__item__study__in=studies_of(request.user))

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(DECIDE)

    @admin.display(description="word", ordering="association__cue")
    def cue(self, report: CueReport) -> SafeString:
        """Link to the word with its pictures: it can only be judged together with them."""
        address = reverse("admin:winogavil_association_change", args=[report.association_id])
        return format_html('<a href="{}">{}</a>', address, report.association.cue)

    @admin.display(ordering="association__item__study")
    def study(self, report: CueReport) -> str:
        return str(report.association.item.study)

    @admin.action(description="Uphold: the words stay away", permissions=["decide"])
    def uphold(self, request: HttpRequest, reports: QuerySet[CueReport]) -> None:
        self._decide(request, reports, uphold=True)

    @admin.action(description="Dismiss: the words are asked again", permissions=["decide"])
    def dismiss(self, request: HttpRequest, reports: QuerySet[CueReport]) -> None:
        self._decide(request, reports, uphold=False)

    def _decide(self, request: HttpRequest, reports: QuerySet[CueReport], *, uphold: bool) -> None:
        by, now = signed_in(request), timezone.now()
        decided, problems = one_by_one(
            reports, lambda report: decide_report(report=report, uphold=uphold, by=by, now=now)
        )
        for problem in problems:
            messages.warning(request, problem)
        if decided:
            messages.success(request, f"Decided: {decided}.")


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    rows = CueReport.objects.filter(status=CueReport.Status.OPEN)
    count = rows.filter(association__item__study__in=studies_of(user)).count()
    url = f"{reverse('admin:winogavil_cuereport_changelist')}?status__exact={CueReport.Status.OPEN}"
    yield Waiting(count=count, words="reported words to decide on", one="reported word to decide on", url=url)


waiting.register(_waiting, permissions=[DECIDE])
