"""The address of a list's file: {% list_file_of cl as file %}."""

from django import template
from django.contrib.admin.views.main import ChangeList
from django.urls import NoReverseMatch, reverse

register = template.Library()


@register.simple_tag
def list_file_of(shown: ChangeList) -> str:
    """Return the address of all rows that the list has found, as a file; empty if there are none."""
    name = f"admin:{shown.opts.app_label}_{shown.opts.model_name}_csv"
    try:
        address = reverse(name)
    except NoReverseMatch:  # the list has a file of its own
        return ""
    return f"{address}{shown.get_query_string()}" if shown.result_count else ""
