"""The manual check: one picture at a time, one key for each verdict."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from crowd.pictures.admin.pool_parts import CHECK, file_url, flags_of, render
from crowd.pictures.letter_reading import installed_reader
from crowd.pictures.models import Picture, Unfit
from crowd.pictures.services import manual_check
from hits.admin.home import waiting
from hits.admin.home.waiting import Waiting
from hits.admin.page_parts import read_number
from hits.admin.selection import need, signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

# Without the profane concepts, which are found automatically.
REASONS = [(str(number), one) for number, one in enumerate([*Unfit][:5], start=1)]
Status = Picture.Status


def urls(pool: admin.ModelAdmin[Picture]) -> list[URLPattern]:
    view = pool.admin_site.admin_view
    return [
        path("check/", view(check_view), name="pictures_check"),
        path("check/decide/", view(require_POST(decide_view)), name="pictures_check_decide"),
        path("check/undo/", view(require_POST(undo_view)), name="pictures_check_undo"),
    ]


def check_view(request: HttpRequest) -> HttpResponse:
    """Show the next picture. Opening the page claims it for some minutes: no colleague gets the same."""
    need(request, CHECK)
    user, now = signed_in(request), timezone.now()
    picture = manual_check.claim_picture(by=user, now=now)
    context: dict[str, Any] = {
        "title": "Check pictures",
        "picture": picture,
        "undo": manual_check.last_checked(by=user, now=now),
        "reasons": REASONS,
        "minutes": int(manual_check.LEASE.total_seconds()) // 60,
        **_progress(),
    }
    if picture is None:
        context["set_aside"] = Picture.objects.undecided().count()
    else:
        following = manual_check.waiting_pictures(now=now).first()
        context |= {
            "flags": flags_of(picture),
            "picture_url": file_url(picture),
            "following_url": file_url(following) if following else "",
            "is_unread": picture.read_by == "" and installed_reader() is not None,
        }
    return render(request, "check", context)


def decide_view(request: HttpRequest) -> HttpResponse:
    """Take the verdict, and go on to the next picture."""
    need(request, CHECK)
    user, now = signed_in(request), timezone.now()
    key = read_number(request.POST.get("picture", ""))
    picture = get_object_or_404(Picture.objects.select_related("claimed_by"), pk=key)
    verdict, reason = request.POST.get("verdict", ""), request.POST.get("reason", "")
    try:
        if verdict == "skip":
            manual_check.skip_picture(picture=picture, by=user, now=now)
        elif verdict == "fit":
            manual_check.pass_picture(picture=picture, by=user, now=now)
        else:
            manual_check.refuse_picture(picture=picture, reason=reason, by=user, now=now)
    except RuleBroken as broken:
        messages.error(request, str(broken))
    return redirect("admin:pictures_check")


def undo_view(request: HttpRequest) -> HttpResponse:
    need(request, CHECK)
    try:
        picture = manual_check.undo_check(by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, f"Undone: “{picture.concept}” is yours to check again.")
    return redirect("admin:pictures_check")


def _progress() -> Mapping[str, int]:
    """Counts over all pictures of the pool that were not removed."""
    rows = (
        Picture.objects.filter(in_pool=True)
        .exclude(status=Status.REMOVED)
        .values_list("status")
        .annotate(Count("pk"))
    )
    counts = dict(rows.order_by())
    total, waiting = sum(counts.values()), counts.get(Status.WAITING, 0)
    return {"total": total, "waiting": waiting, "checked": total - waiting}


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    count = Picture.objects.filter(status=Status.WAITING).count()
    url = reverse("admin:pictures_check")
    yield Waiting(count=count, words="pictures to check", one="picture to check", url=url)


waiting.register(_waiting, permissions=[CHECK])
