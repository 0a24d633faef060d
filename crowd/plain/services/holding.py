"""Projects are held one at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from crowd.plain.models import Project


@contextmanager
def held(project: Project) -> Iterator[Project]:
    """As it is now, for one transaction."""
    with transaction.atomic():
        yield Project.objects.select_for_update(no_key=True).select_related(None).get(pk=project.pk)
