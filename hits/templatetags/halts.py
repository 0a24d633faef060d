"""Banners of what is stopped: {% halt_banner %} on pages of money, {% standstill_banner %} on others."""

from typing import Any

from django import template

from hits.payments.services.after_restore import open_epochs
from hits.payments.services.kill_switch import open_halts

register = template.Library()


@register.inclusion_tag("admin/hits/halt_banner.html", takes_context=True)
def halt_banner(context: Any) -> dict[str, Any]:
    user = context["request"].user
    return {"halts": open_halts(), "epochs": open_epochs(), "may_see": user.has_perm("hits.view_halt")}


@register.inclusion_tag("admin/hits/standstill_banner.html", takes_context=True)
def standstill_banner(context: Any) -> dict[str, Any]:
    """Banner for staff alone: a person who may not sign in sees nothing of it."""
    user = context["request"].user
    return {"epochs": open_epochs(), "may_see": user.has_perm("hits.view_halt")}
