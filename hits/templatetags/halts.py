"""Banners of what is stopped: {% halt_banner %} on Home and with money, {% standstill_banner %} elsewhere."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.db.models import Q

from hits.payments.models.runs import Halt
from hits.payments.queries.match_rows import accounts_for
from hits.payments.services.after_restore import open_epochs
from hits.payments.services.kill_switch import open_halts

register = template.Library()
CONCERNED = ("hits.view_halt", "hits.view_run", "hits.view_bonus", "hits.view_batch")


@register.simple_tag(takes_context=True)
def halts_for(context: Any) -> Sequence[Halt]:
    """Halts of accounts whose money, or work that earns it, this user has to do with."""
    user = context["request"].user
    halts = open_halts()
    if not user.has_perm("hits.view_halt"):
        halts = halts.filter(Q(account=None) | Q(account__in=accounts_for(user)))
    return list(halts) if any(user.has_perm(one) for one in CONCERNED) else ()


@register.inclusion_tag("admin/hits/halt_banner.html", takes_context=True)
def halt_banner(context: Any) -> dict[str, Any]:
    """Banner of halts for whom they concern."""
    user = context["request"].user
    return {
        "halts": halts_for(context),
        "epochs": open_epochs(),
        "may_see": user.has_perm("hits.view_halt"),
        "may_set": user.has_perms(["hits.view_halt", "hits.set_halt"]),
    }


@register.inclusion_tag("admin/hits/standstill_banner.html", takes_context=True)
def standstill_banner(context: Any) -> dict[str, Any]:
    """Banner for staff alone: a person who may not sign in sees nothing of it."""
    user = context["request"].user
    return {"epochs": open_epochs(), "may_see": user.has_perm("hits.view_halt")}
