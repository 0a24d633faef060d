"""Queries about the page that a project asks now."""

from crowd.plain.models import Description, Project
from hits.studies.models import Study


def described(project: Project) -> Description | None:
    """The newest description of the project; None if there is none."""
    return project.descriptions.order_by("-version").first()


def described_in(study: Study) -> Description | None:
    """The study's newest description that was asked; before the first asking, the newest of all."""
    own = Description.objects.filter(project__study=study).order_by("-version")
    return own.filter(asked_at__isnull=False).first() or own.first()
