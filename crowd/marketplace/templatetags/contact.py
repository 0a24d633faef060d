from django import template
from django.conf import settings

register = template.Library()


@register.inclusion_tag("marketplace/parts/contact.html")
def show_contact() -> dict[str, str]:
    """Where those who run the marketplace are reached, if that was set."""
    return {"contact": settings.MARKETPLACE_CONTACT}
