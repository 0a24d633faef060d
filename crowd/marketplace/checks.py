"""Settings with which the marketplace refuses to start."""

import ipaddress

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from hits.common.outgoing.outgoing_addresses import is_on_loopback


def refuse_exposed_control() -> None:
    """Raise ImproperlyConfigured if others can reach the control API, which turns clocks and makes money."""
    if settings.MARKETPLACE_CONTROL_KEY and not is_on_loopback(settings.MARKETPLACE_URL):
        raise ImproperlyConfigured(
            "CROWD_MARKETPLACE_CONTROL_KEY is for tests and rehearsals on one machine, and "
            f"CROWD_MARKETPLACE_URL is {settings.MARKETPLACE_URL}. Unset the key."
        )


def is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
