"""Payments that wait for a person: each says what happened, and offers the actions that are safe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.admin.page_parts import read_number
from hits.admin.selection import PAGE
from hits.common.currencies import in_money
from hits.ledger.models.bonuses import Bonus
from hits.payments.domain.bonus_refusals import Remedy
from hits.payments.queries.unclear_payments import STATES, waiting_payments
from hits.payments.services import (
    compensation,
    payment_outcomes,
    refused_bonuses,
    resending,
    unpaid_bonuses,
)
from hits.work.access import studies_of

SETTLE = "hits.settle_bonus"
Status = Bonus.Status


@dataclass(frozen=True, kw_only=True)
class Row:
    bonus: Bonus
    happened: str
    advice: str
    verbs: Sequence[str]
    since: datetime | None

    @property
    def offered(self) -> list[RowButton]:
        return [PAGES.offer(self.bonus, verb) for verb in self.verbs]


def queue_view(request: HttpRequest) -> HttpResponse:
    if not request.user.has_perm("hits.view_bonus"):
        raise PermissionDenied
    state, study = request.GET.get("state", ""), read_number(request.GET.get("study", ""))
    rows = waiting_payments(request.user, now=timezone.now(), state=state)
    if study is not None:
        rows = rows.filter(assignment__hit__batch__study=study)
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    kept = {"state": state if state in STATES else "", "study": study}
    keep = urlencode({name: value for name, value in kept.items() if value})
    context = {
        **admin.site.each_context(request),
        "queue_url": _queue(),
        "title": "Unclear and refused payments",
        "page": page,
        "rows": [row_of(bonus) for bonus in page],
        "states": STATES,
        "studies": studies_of(request.user).order_by("name")[:200],
        "state": state,
        "study": study,
        "keep": f"{keep}&" if keep else "",
        "is_filtered": bool(keep),
        "may_act": request.user.has_perm(SETTLE),
    }
    return TemplateResponse(request, "admin/hits/payment_queue.html", context)


def row_of(bonus: Bonus) -> Row:
    """A payment's row: what happened, in words, and what helps."""
    if bonus.status == Status.REFUSED:
        return _refused(bonus)
    if bonus.status == Status.COMPENSATING:
        happened = "A HIT for this bonus is posted, which only this worker can take."
        advice = "Nothing is needed until the worker has taken it: it is followed automatically."
        return _row(bonus, happened, advice, "take_back")
    if not bonus.assignment.account.can.pays_once and bonus.problem != payment_outcomes.HIT_IS_GONE:
        return _unrepeatable(bonus)
    if bonus.problem in payment_outcomes.UNLISTABLE:
        advice = (
            "It is never sent again. Look for it on the provider's statement, and ask the worker. "
            "Then count it as paid."
        )
        return _row(bonus, bonus.problem, advice, "count_as_paid")
    if bonus.status == Status.SENT:
        happened = "The provider accepted it, and its list of payments does not show it."
        advice = "It is not sent again automatically. Send the payment again: the list is read first."
        return _row(bonus, happened, advice, "send_anew")
    happened = bonus.problem or "The request got no clear answer: it may have been paid, or not."
    advice = "It is not sent again before the provider's list has been read. That happens automatically."
    if bonus.problem:
        advice = "It is never sent again automatically. Compare the books, and ask the provider."
    return _row(bonus, happened, advice, "look")


def _refused(bonus: Bonus) -> Row:
    refusal = refused_bonuses.refusal_of(bonus)
    verbs = {
        Remedy.SEND_AGAIN: "send_again",
        Remedy.DEPOSIT: "send_again",
        Remedy.DECIDE_ANEW: "decide_anew",
        Remedy.PAY_BY_HIT: "pay_by_hit" if compensation.can_compensate(bonus) else "decide_anew",
    }
    return _row(bonus, refusal.happened, refusal.advice, verbs[refusal.remedy])


def _unrepeatable(bonus: Bonus) -> Row:
    """A payment that cannot be repeated: it is looked for automatically, and then a person decides."""
    if bonus.problem == payment_outcomes.UNSETTLED:
        return _row(bonus, bonus.problem, _to_read_there(bonus), "look", "count_as_paid", "say_unpaid")
    happened = bonus.problem or (
        "The provider accepted it, and does not show it among the payments for the work."
        if bonus.status == Status.SENT
        else "The request got no clear answer: it may have been paid, or not."
    )
    advice = (
        "It is looked for automatically. It is never sent again by itself, for this provider would pay it "
        "again. If it is not found within three hours of the request, it says here what to do."
    )
    return _row(bonus, happened, advice, "look")


def _to_read_there(bonus: Bonus) -> str:
    """What to read on the provider's own pages, and what follows from it."""
    amount, count = in_money(bonus.amount, bonus.currency), unpaid_bonuses.twins_counted_as_paid(bonus)
    others = f"{count} other bonus{'es' if count != 1 else ''} of {amount} for this work"
    return (
        "Open the provider's own web app, find this work by its worker there, and read its bonus payments. "
        f"By our books {others} {'are' if count != 1 else 'is'} paid. If there are more payments of {amount} "
        "than that, count this one as paid. If not, say that it was not paid: it is sent again, once."
    )


def _row(bonus: Bonus, happened: str, advice: str, *verbs: str) -> Row:
    since = bonus.sent_at if bonus.status == Status.SENT else bonus.sending_at
    return Row(bonus=bonus, happened=happened, advice=advice, verbs=verbs, since=since)


def _find(request: HttpRequest, pk: int) -> list[Bonus]:
    return [get_object_or_404(waiting_payments(request.user, now=timezone.now()), pk=pk)]


def _queue(_: Any = None) -> str:
    return reverse("admin:hits_payment_queue")


def _ask(call: Call[Bonus], *, label: str, asks: str) -> Confirm:
    return Confirm(
        title=label,
        detail="admin/hits/payment_about.html",
        details={"row": row_of(call.row)},
        consequences=[asks] if asks else (),
    )


def _do(call: Call[Bonus], *, act: Callable[..., Any], done: str) -> Outcome:
    said = act(bonus=call.row, by=call.by, now=call.now, **call.values)
    return Outcome(said=done or str(said))


def _action(
    label: str, *, act: Callable[..., Any], asks: str = "", done: str = "", form: Any = None
) -> Action[Bonus]:
    """An action on a payment: it asks the question `asks` first, or happens at once if there is none."""
    return Action(
        label=label,
        permissions=(SETTLE, "hits.view_bonus"),
        one_click=not asks,
        form=form,
        confirm=partial(_ask, label=label, asks=asks),
        run=partial(_do, act=act, done=done),
    )


ACTIONS: Mapping[str, Action[Bonus]] = {
    "look": _action("Look now", act=payment_outcomes.look_now),
    "send_anew": _action(
        "Send the payment again",
        act=resending.send_anew,
        asks="The provider's list is read first. Only if it still does not show this payment, the request is "
        "made once more, under the same approval and with the same token. The books stay as they are.",
    ),
    "count_as_paid": _action(
        "Count it as paid",
        act=payment_outcomes.count_as_paid,
        asks="The provider is asked once more. If its list still cannot tell, the books say from then "
        "on that this bonus was paid, and it is never sent again. If it was not paid, the "
        "provider's balance is that much too high; an appeal then owes it to the worker again, and two "
        "people pay it.",
        done="It counts as paid now, and is never sent again.",
        form=words_form("reason", "What you found out", longest=payment_outcomes.LONGEST_REASON),
    ),
    "say_unpaid": _action(
        "It was not paid: send it again",
        act=unpaid_bonuses.say_unpaid,
        asks="The provider is asked once more. Only if it still does not show the payment, the request is "
        "made again, under the same approval. This provider does not protect from a second payment: if the "
        "first one was made after all, it is paid twice.",
        form=words_form("reason", "What you found out", longest=payment_outcomes.LONGEST_REASON),
    ),
    "send_again": _action(
        "Send it again",
        act=refused_bonuses.send_again,
        asks="It is sent again in a moment, under the approval that it has. The provider's list is read "
        "first, and the request carries the same token: what was paid is not paid twice.",
        done="It is sent again in a moment.",
    ),
    "decide_anew": _action(
        "Have the bonus decided again",
        act=refused_bonuses.decide_anew,
        asks="The approval is taken back. The bonus is owed as before, and goes into another run, which two "
        "people pay, or give up. Nothing is paid until then.",
        done="It is owed again, and waits for another run.",
    ),
    "pay_by_hit": _action(
        "Pay by a HIT of its own",
        act=compensation.start,
        asks="A HIT is posted that only this worker can take. Its reward is the bonus, and it asks for one "
        "click. Until it is over, no payment of this bonus can be sent.",
        done="The HIT goes out in a moment. It is followed until the worker is paid.",
    ),
    "take_back": _action(
        "Take the HIT back",
        act=compensation.take_back,
        asks="Nobody can take the HIT any more. Once the provider has said that it was not taken, the bonus "
        "is listed here again as refused.",
        done="The HIT is being taken back.",
    ),
}
PAGES = ActionPages(
    actions=ACTIONS,
    find=_find,
    back=_queue,
    url=lambda bonus, key: reverse("admin:hits_payment_act", args=[bonus.pk, key]),
    base="admin/hits/payments_base.html",
    shared=lambda _: {"trail": [("Unclear and refused payments", _queue())]},
)


def act_view(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    return PAGES.answer(request, verb, pk=pk)


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("payments/queue/", view(queue_view), name="hits_payment_queue"),
        path("payments/queue/<int:pk>/<slug:verb>/", view(act_view), name="hits_payment_act"),
    ]
