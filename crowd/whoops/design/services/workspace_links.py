"""Workspace links: a signed token, valid until the link is over, is the only authority.

The token is in the path, as in a worker's statement: a tab that is opened from a marketplace's frame has
no cookies. Our log writes down routes, never paths, and no page sends its address to another site.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from crowd.whoops.models import Designer
from hits.core import signed_links
from hits.core.errors import CrowdError
from hits.core.signed_links import UnknownLink

# What the tokens say and how they are signed.
SIGNED: dict[str, Any] = {"holder": "designer", "salt": "crowd.whoops.designer"}


class LinkExpired(CrowdError):
    """A signed link that is over: too old, or replaced by a newer one. `language` is the study's."""

    def __init__(self, *, language: str) -> None:
        super().__init__("The link is over.")
        self.language = language


def write_token(designer: Designer) -> str:
    """The same token each time, until a new link is made. The designer's row says how long it is valid."""
    return signed_links.write_token(designer.public_id, link=designer.link_number, **SIGNED)


def read_token(token: str, *, now: datetime) -> Designer:
    """Return the designer of a token. Raises UnknownLink or LinkExpired."""
    holder = signed_links.read_token(token, **SIGNED)
    rows = Designer.objects.select_related("project__study", "worker").defer("worker__external_id")
    designer = rows.filter(public_id=holder.public_id).first()
    if designer is None:
        raise UnknownLink("There is no such designer.")
    is_over = designer.link_until is None or now >= designer.link_until
    if is_over or holder.link != designer.link_number:
        raise LinkExpired(language=designer.project.study.language)
    return designer


def path_of(designer: Designer) -> str:
    """The workspace's path on the task site."""
    return reverse("workspace:home", args=[write_token(designer)])


def address_of(designer: Designer) -> str:
    """The workspace's full address, to copy and send."""
    return f"{settings.PUBLIC_URL}{path_of(designer)}"
