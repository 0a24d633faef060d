"""The status of the installation: what is late, why, and what to do. The page reads itself again."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone

from config.copies.checking_copies import check_copies
from config.table_sizes import check_disk
from config.watching.late import find_late, queues
from config.watching.probes import problems_of_readiness
from hits.admin.home import navigation
from hits.admin.home.installation import KEEPS_IT
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.common import wake
from hits.common.health.background_checks import check_background
from hits.common.health.findings import Finding
from hits.common.next_commands import next_command
from hits.common.watching.row_gauges import read_gauges

EVERY_MS = 10_000

navigation.add_page(
    Page(place=MenuPlace(Section.SET_UP, 7, "Status"), route="admin:hits_status", permissions=[KEEPS_IT])
)


def urls() -> list[URLPattern]:
    return [path("status/", admin.site.admin_view(status_view), name="hits_status")]


def status_view(request: HttpRequest) -> HttpResponse:
    """Show the status; with ?fragment, only the part that the page polls for."""
    if not request.user.has_perm(KEEPS_IT):
        raise PermissionDenied
    readings = read_gauges(now=timezone.now())
    channel = wake.channel()
    findings = [
        *map(_unready, problems_of_readiness()),
        *(check_background(channel) if channel else ()),
        *find_late(readings),
        check_copies(),
        check_disk(),
    ]
    wrong = [finding for finding in findings if not finding.ok]
    context = {
        **admin.site.each_context(request),
        "title": "Status",
        "wrong": wrong,
        "well": [finding for finding in findings if finding.ok],
        "queues": queues(readings),
        "news": f"{len(wrong)} in trouble" if wrong else "All is well",
        "every_ms": EVERY_MS,
        "command": next_command("doctor"),
    }
    return render(request, f"admin/status{'_parts' if 'fragment' in request.GET else ''}.html", context)


def _unready(problem: str) -> Finding:
    name, _, saw = problem.partition(": ")
    advice = "Look whether its server runs and can be reached from here; manage.py doctor says more."
    return Finding(name=name, ok=False, saw=saw, advice=advice)
