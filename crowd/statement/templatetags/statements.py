from collections.abc import Mapping
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone

from crowd.statement import statement_links
from hits.work.models.assignments import Assignment

register = template.Library()


@register.inclusion_tag("statement/link.html", takes_context=True)
def statement_link(context: Mapping[str, Any]) -> dict[str, str]:
    """Link for the framed pages; empty where the worker who looks at them is not proven."""
    work = context.get("assignment")
    if not isinstance(work, Assignment) or not statement_links.is_proven(work):
        return {"url": ""}
    return {
        "url": reverse(
            "statement:pay", args=[statement_links.write_token(assignment=work, now=timezone.now())]
        )
    }
