"""Removing, restoring and checking anew, one picture or many: always asked for a reason or a second time."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.pictures.admin.parts import CHECK, REMOVE, render, require
from crowd.pictures.models import Picture
from crowd.pictures.models.pictures import LONGEST_REASON
from crowd.pictures.services import removing
from hits.admin.selecting import MOST, signed_in
from hits.errors import RuleBroken
from hits.models import User

SHOWN = 24
Do = Callable[[Collection[Picture], str, User, datetime], int]


@dataclass(frozen=True, kw_only=True)
class Verb:
    name: str
    title: str
    permission: str
    meaning: str
    button: str
    done: str
    wants_reason: bool
    do: Do


REMOVING = Verb(
    name="remove",
    title="Remove pictures",
    permission=REMOVE,
    meaning="They are shown to nobody any more, and items that hold them wait. "
    "What was reported of them is upheld. You can restore them at any time.",
    button="Remove",
    done="removed",
    wants_reason=True,
    do=lambda rows, reason, by, now: removing.remove_pictures(pictures=rows, reason=reason, by=by, now=now),
)
RESTORING = Verb(
    name="restore",
    title="Restore pictures",
    permission=REMOVE,
    meaning="Those that were removed go back to where they were, with the items that hold them. "
    "What was reported of them and not decided yet is dismissed.",
    button="Restore",
    done="restored",
    wants_reason=True,
    do=lambda rows, reason, by, now: removing.restore_pictures(pictures=rows, reason=reason, by=by, now=now),
)
RECHECKING = Verb(
    name="recheck",
    title="Send pictures back to the check",
    permission=CHECK,
    meaning="They are shown to nobody until somebody has found them fit again. "
    "Removed pictures are left as they are, and so are those that were uploaded for an item.",
    button="Send back",
    done="sent back to the check",
    wants_reason=False,
    do=lambda rows, _, by, now: removing.recheck_pictures(pictures=rows, by=by, now=now),
)
VERBS = {verb.name: verb for verb in (REMOVING, RESTORING, RECHECKING)}


def urls(pool: admin.ModelAdmin[Picture]) -> list[URLPattern]:
    return [path("do/<slug:name>/", pool.admin_site.admin_view(verb_view), name="pictures_picture_do")]


def show(
    request: HttpRequest, verb: Verb, pictures: QuerySet[Picture], *, reason: str = "", status: int = 200
) -> HttpResponse:
    """What it means and which pictures it is about, before it is done."""
    keys = list(pictures.order_by("pk").values_list("pk", flat=True)[:MOST])
    context = {
        "title": verb.title,
        "verb": verb,
        "count": len(keys),
        "carried": ",".join(map(str, keys)),
        "pictures": Picture.objects.filter(pk__in=keys[:SHOWN]).order_by("pk"),
        "more": max(0, len(keys) - SHOWN),
        "reason": reason,
        "longest": LONGEST_REASON,
    }
    return render(request, "verb", context, status=status)


def verb_view(request: HttpRequest, name: str) -> HttpResponse:
    if name not in VERBS:
        raise Http404
    verb = VERBS[name]
    require(request, verb.permission)
    given = request.POST if request.method == "POST" else request.GET
    pictures = _selected(given.get("pictures", ""))
    if not pictures.exists():
        raise Http404
    if request.method != "POST":
        return show(request, verb, pictures)
    reason = request.POST.get("reason", "")
    try:
        count = verb.do(list(pictures), reason, signed_in(request), timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return show(request, verb, pictures, reason=reason, status=409)
    messages.success(request, f"1 picture {verb.done}." if count == 1 else f"{count} pictures {verb.done}.")
    keys = list(pictures.values_list("pk", flat=True)[:2])
    if len(keys) == 1 and request.user.has_perm("pictures.view_picture"):
        return redirect("admin:pictures_picture_change", keys[0])
    return redirect("admin:pictures_picture_changelist")


def _selected(text: str) -> QuerySet[Picture]:
    """What is no number selects nothing."""
    numbers = [part for part in text.split(",")[:MOST] if part.isascii() and part.isdigit()]
    return Picture.objects.filter(pk__in=[int(part) for part in numbers if len(part) < 19])
