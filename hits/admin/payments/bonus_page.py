"""One bonus: for whom and what it is, where it stands, what is next, and each step of its money."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse, reverse_lazy

from hits import families
from hits.admin.actions import RowButton
from hits.admin.payments.payment_queue import SETTLE, row_of
from hits.admin.payments.run_page_rows import in_words
from hits.admin.payments.run_steps import state_with_payment
from hits.common.currencies import Currency
from hits.core.domain.bonus_tables import read_bonus_rules
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries.run_list import MEANING, visible_runs, with_payment
from hits.payments.queries.unclear_payments import waiting_payments
from hits.payments.services.bonus_words import steps_of
from hits.payments.services.kill_switch import is_halted

BY_A_PERSON = "extra"
BONUSES = ("Bonuses", reverse_lazy("admin:hits_bonus_changelist"))


def show(
    request: HttpRequest, bonus: Bonus, *, tone: str, offered: Sequence[RowButton], now: datetime
) -> HttpResponse:
    waiting = waiting_payments(request.user, now=now).filter(pk=bonus.pk).first()
    context = {
        **admin.site.each_context(request),
        "title": f"Bonus {in_words(bonus)}",
        "trail": [BONUSES],
        "bonus": bonus,
        "tone": tone,
        "means": MEANING[Bonus.Status(bonus.status)],
        "row": row_of(waiting) if waiting else None,
        "offered": offered,
        "may_act": request.user.has_perm(SETTLE),
        "prepare_url": _to_prepare(bonus),
        "is_stopped": bonus.status == Bonus.Status.APPROVED and is_halted(bonus.assignment.account_id),
        "rule": _rule_in_words(bonus),
        "steps": steps_of(bonus.figures, currency=bonus.currency),
        **_runs(request, bonus),
        "entries": _entries(request, bonus),
        "kept": _kept(bonus),
    }
    return TemplateResponse(request, "admin/hits/bonus.html", context)


def trail_to(bonus: Bonus) -> list[tuple[str, Any]]:
    return [BONUSES, (in_words(bonus), reverse("admin:hits_bonus_change", args=[bonus.pk]))]


def _to_prepare(bonus: Bonus) -> str:
    """The page that prepares a run, with this bonus found."""
    asked = {"worker": bonus.assignment.worker.pseudonym, "rule": bonus.rule}
    if bonus.currency != Currency.USD:
        asked["currency"] = bonus.currency
    return f"{reverse('admin:hits_run_prepare')}?{urlencode(asked)}"


def _rule_in_words(bonus: Bonus) -> str:
    if bonus.figures.get("kind") == BY_A_PERSON:
        return "decided by a person, not by the bonus table"
    table = read_bonus_rules((bonus.assignment.hit.batch.terms or {}).get("bonus_rules", []))
    rule = next((rule for rule in table if rule.name == bonus.rule), None)
    if rule is None:
        return ""
    named = "; ".join(f"“{one}” is {families.measure_name(one)}" for one in rule.measures)
    words = rule.in_words(currency=bonus.currency)
    return f"{words} ({named})" if named else words


def _runs(request: HttpRequest, bonus: Bonus) -> dict[str, Any]:
    """The runs that it is or was in, newest first, and which of them this user may open."""
    rows = list(RunRow.objects.filter(bonus=bonus).order_by("-pk"))
    is_seen = Exists(visible_runs(request.user).filter(pk=OuterRef("pk")))
    found = with_payment(Run.objects.filter(rows__bonus=bonus)).annotate(is_seen=is_seen)
    runs = {run.pk: (run, state_with_payment(run), run.is_seen) for run in found}
    return {
        "runs": [(row, *runs[row.run_id]) for row in rows],
        "is_in_run": any(row.is_live for row in rows),
    }


def _entries(request: HttpRequest, bonus: Bonus) -> list[LedgerEntry]:
    if not request.user.has_perm("hits.view_ledgerentry"):
        return []
    return list(bonus.ledger.select_related("by").order_by("pk"))


def _kept(bonus: Bonus) -> list[tuple[str, Any]]:
    """Every field as the database keeps it."""
    values = [(field.name, getattr(bonus, field.attname)) for field in bonus._meta.concrete_fields]
    return [
        (name, json.dumps(value, ensure_ascii=False, indent=1) if isinstance(value, dict) else value)
        for name, value in values
    ]
