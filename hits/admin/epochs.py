"""Accounts that were put back from a copy: how far the comparison is, what it found, and how they go on."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import Difference, Epoch
from hits.services import epochs, resending, settling

NEWEST = 20
PAYMENTS = "payments: "
# What a comparison counts, what it means, and what is left to a person.
MEANINGS = {
    "HITs": ("HITs that the provider has", ""),
    "changed": ("HITs on which something has happened that was not known here", "Nothing: it was read."),
    "adopted": ("HITs that were not known here as sent", "Nothing: they are ours again."),
    "reopened": ("HITs that were closed here and are open there", "Nothing: they are open again."),
    "missing": (
        "HITs that are open here and that the provider does not have",
        "Look at their batches: HITs that are still wanted are added there.",
    ),
    "strangers": (
        "HITs at the provider that no row here knows",
        "They are stopped once you let the account go on. Launch again what is still wanted.",
    ),
    "work of strangers": (
        "Pieces of work that were handed in on those",
        "Their reward is paid by the provider when its time for approval is over. Their answers stand there.",
    ),
}
PAYMENTS_MEAN = {
    Difference.Cause.NOT_OURS: "Owe and approve these bonuses again: they are recognized and not paid twice.",
    Difference.Cause.NOT_LISTED: "The provider has lost them. Once it goes on, send them anew on this page.",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    count: int
    words: str
    advice: str
    url: str


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("payments/put-back/", view(epochs_view), name="hits_epochs"),
        path(
            "payments/put-back/<int:pk>/go-on/", view(require_POST(confirm_view)), name="hits_epoch_confirm"
        ),
        path("payments/put-back/<int:pk>/again/", view(require_POST(again_view)), name="hits_epoch_again"),
        path("payments/put-back/<int:pk>/anew/", view(require_POST(anew_view)), name="hits_epoch_anew"),
    ]


def epochs_view(request: HttpRequest) -> HttpResponse:
    if not request.user.has_perm("hits.view_halt"):
        raise PermissionDenied
    over = Epoch.objects.exclude(confirmed_at=None).select_related("account", "confirmed_by")
    context = {
        **admin.site.each_context(request),
        "title": "Put back from a copy",
        "epochs": [
            {
                "epoch": epoch,
                "unread": epochs.unread_hits(epoch).count() if epoch.surveyed_at else None,
                "rows": found_rows(epoch),
                "can_be_asked": epochs.can_be_asked(epoch.account),
            }
            for epoch in epochs.open_epochs()
        ],
        "over": over.order_by("-pk")[:NEWEST],
        "lost": _lost(),
        "at_once": resending.MOST_AT_ONCE,
        "may_settle": request.user.has_perm(settling.SETTLE),
        "may_confirm": request.user.has_perm(epochs.CONFIRM),
    }
    return TemplateResponse(request, "admin/hits/epochs.html", context)


def confirm_view(request: HttpRequest, pk: int) -> HttpResponse:
    epoch = _get(request, pk)
    if request.POST.get("confirmed") != "yes":
        messages.error(
            request, "Tick that you have looked at what was found: everything goes on within seconds."
        )
        return redirect("admin:hits_epochs")
    return _act(request, epochs.confirm_epoch, epoch, said=f"{epoch.account} goes on.")


def again_view(request: HttpRequest, pk: int) -> HttpResponse:
    epoch = _get(request, pk)
    return _act(request, epochs.compare_again, epoch, said=f"{epoch.account} is compared again.")


def anew_view(request: HttpRequest, pk: int) -> HttpResponse:
    """What a provider has lost is sent anew, a few at a time: the list is read again before each."""
    epoch = _get(request, pk)
    said = resending.send_lost_anew(account=epoch.account, by=signed_in(request), now=timezone.now())
    for words, count in Counter(said).items():
        messages.info(request, f"{count} of {len(said)}: {words}")
    return redirect("admin:hits_epochs")


def found_rows(epoch: Epoch) -> list[Row]:
    """What was found, the gravest last; nothing of what was not found."""
    return [_row(epoch, name, count) for name, count in epoch.found.items() if count]


def _lost() -> list[dict[str, Any]]:
    """Of each account whose provider was put back and goes on again, the payments that it does not list."""
    standing = epochs.open_epochs().values("account")
    goes_on = Epoch.objects.exclude(account__in=standing).exclude(side=Epoch.Side.OURS)
    newest = {epoch.account_id: epoch for epoch in goes_on.order_by("began_at").select_related("account")}
    found = ({"epoch": one, "count": resending.lost_payments(one.account).count()} for one in newest.values())
    return [one for one in found if one["count"]]


def _row(epoch: Epoch, name: str, count: int) -> Row:
    if name.startswith(PAYMENTS):
        cause = Difference.Cause(name.removeprefix(PAYMENTS))
        advice = PAYMENTS_MEAN.get(cause, "Look at each before you let the account go on.")
        url = reverse("admin:hits_match_change", args=[epoch.match_id]) if epoch.match_id else ""
        return Row(count=count, words=cause.label, advice=advice, url=url)
    words, advice = MEANINGS.get(name, (name, ""))
    stranger_list = f"{reverse('admin:hits_stranger_changelist')}?account__id__exact={epoch.account_id}"
    return Row(count=count, words=words, advice=advice, url=stranger_list if "strangers" in name else "")


def _act(request: HttpRequest, act: Callable[..., None], epoch: Epoch, *, said: str) -> HttpResponse:
    try:
        act(epoch=epoch, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, said)
    return redirect("admin:hits_epochs")


def _get(request: HttpRequest, pk: int) -> Epoch:
    if not request.user.has_perms([epochs.CONFIRM, "hits.view_halt"]):
        raise PermissionDenied
    return get_object_or_404(Epoch.objects.select_related("account"), pk=pk)
