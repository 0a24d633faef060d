"""Finding the example of an address, for a person who may see it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from crowd.winoground.models import Example
from crowd.winoground.queries.examples import examples_for
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in

Pages = ProjectPages[Any]
VIEW = "winoground.view_example"


def find_example(pages: Pages, request: HttpRequest, pk: int, key: UUID) -> Example:
    """Raises Http404 if this person does not see the example: it is of another study or author."""
    project = pages.find(request, pk, VIEW)
    rows = examples_for(signed_in(request)).select_related("project__study", "author", "image_0", "image_1")
    return get_object_or_404(rows, project=project, public_id=key)


def read_moment(text: str) -> datetime | None:
    """Read when an example was changed last, as its pages carry it; None if that is no time."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
