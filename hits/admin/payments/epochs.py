"""Accounts restored from a copy: their comparison's progress and findings, and how they continue."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from hits.admin.actions import Action, Call, Outcome, unless_ticked
from hits.admin.actions.action_pages import ActionPages
from hits.payments.models.matches import Difference
from hits.payments.services import after_restore, payment_outcomes, resending
from hits.providers.models.epochs import Epoch

NEWEST = 20
NOT_TICKED = "Tick that you have looked at what was found: everything goes on within seconds."
PAYMENTS = "payments: "
# What a comparison counts, what it means, and what a person must do about it.
MEANINGS = {
    "HITs": ("HITs that the provider has", ""),
    "changed": ("HITs on which something has happened that was not known here", "Nothing: it was read."),
    "adopted": ("HITs that were not known here as sent", "Nothing: they are ours again."),
    "reopened": ("HITs that were closed here and are open there", "Nothing: they are open again."),
    "missing": (
        "HITs that are open here and that the provider does not have",
        "Look at their batches: HITs that are still needed are added there.",
    ),
    "strangers": (
        "HITs at the provider that no row here knows",
        "They are stopped once you let the account go on. Launch again what is still needed.",
    ),
    "work of strangers": (
        "Submissions on those HITs",
        "The provider pays them when the time for approval is over. Their answers are only there.",
    ),
}
PAYMENTS_MEAN = {
    Difference.Cause.NOT_OURS: "Owe and approve these bonuses again: they are recognized and not paid twice.",
    Difference.Cause.NOT_LISTED: "The provider has lost them. Send them again here once it goes on.",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    count: int
    words: str
    advice: str
    url: str


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
                "unread": after_restore.unread_hits(epoch).count() if epoch.surveyed_at else None,
                "rows": found_rows(epoch),
                "can_be_asked": after_restore.can_be_asked(epoch.account),
            }
            for epoch in after_restore.open_epochs()
        ],
        "over": over.order_by("-pk")[:NEWEST],
        "lost": _lost(),
        "at_once": resending.MOST_AT_ONCE,
        "may_settle": request.user.has_perm(payment_outcomes.SETTLE),
        "may_confirm": request.user.has_perm(after_restore.CONFIRM),
    }
    return TemplateResponse(request, "admin/hits/epochs.html", context)


def found_rows(epoch: Epoch) -> list[Row]:
    """The comparison's findings with a count, the gravest last."""
    return [_row(epoch, name, count) for name, count in epoch.found.items() if count]


def _lost() -> list[dict[str, Any]]:
    """Accounts that go on after their provider was restored, with their number of unlisted payments."""
    standing = after_restore.open_epochs().values("account")
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


def _find(_: HttpRequest, pk: int) -> list[Epoch]:
    return [get_object_or_404(Epoch.objects.select_related("account"), pk=pk)]


def _confirm(call: Call[Epoch]) -> Outcome:
    after_restore.confirm_epoch(epoch=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row.account} goes on.")


def _compare_again(call: Call[Epoch]) -> Outcome:
    after_restore.compare_again(epoch=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row.account} is compared again.")


def _send_anew(call: Call[Epoch]) -> Outcome:
    """Send a few lost payments again: the provider's list is read again before each."""
    said = resending.send_lost_anew(account=call.row.account, by=call.by, now=call.now)
    counted = [f"{count} of {len(said)}: {words}" for words, count in Counter(said).items()]
    return Outcome(said=" ".join(counted), level=messages.INFO)


MAY = (after_restore.CONFIRM, "hits.view_halt")
PAGES = ActionPages(
    actions={
        "go-on": Action(
            label="Let the account go on", permissions=MAY, refuses=unless_ticked(NOT_TICKED), run=_confirm
        ),
        "again": Action(label="Compare again", permissions=MAY, run=_compare_again),
        "anew": Action(label="Send the payments again", permissions=MAY, run=_send_anew),
    },
    find=_find,
    back=lambda _: reverse("admin:hits_epochs"),
)
NAMES = {"go-on": "hits_epoch_confirm", "again": "hits_epoch_again", "anew": "hits_epoch_anew"}


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("payments/put-back/", view(epochs_view), name="hits_epochs"),
        *(
            path(f"payments/put-back/<int:pk>/{key}/", view(require_POST(PAGES.view(key))), name=name)
            for key, name in NAMES.items()
        ),
    ]
