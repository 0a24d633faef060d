"""{% halt_banner %}: on pages of money, what is stopped and why."""

from typing import Any

from django import template

from hits.services.halting import open_halts

register = template.Library()


@register.inclusion_tag("admin/hits/halt_banner.html", takes_context=True)
def halt_banner(context: Any) -> dict[str, Any]:
    user = context["request"].user
    return {"halts": open_halts(), "may_see": user.has_perm("hits.view_halt")}
