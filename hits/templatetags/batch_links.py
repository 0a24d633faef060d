"""Links to the pages of a batch that rooms above keep: {% batch_links batch %}."""

from typing import Any

from django import template

from hits.admin.batches.batch_pages import links_of
from hits.studies.models import Batch

register = template.Library()


@register.inclusion_tag("admin/hits/batch_links.html", takes_context=True)
def batch_links(context: Any, batch: Batch) -> dict[str, Any]:
    return {"links": list(links_of(batch, user=context["request"].user))}
