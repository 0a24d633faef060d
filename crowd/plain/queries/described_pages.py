"""The page that a project asks now."""

from crowd.plain.models import Description, Project
from hits.studies.models import Study


def described(project: Project) -> Description | None:
    """The newest one. None: nobody has described any."""
    return project.descriptions.order_by("-version").first()


def described_in(study: Study) -> Description | None:
    """The newest of the study that was asked; before the first asking, the one that is described."""
    own = Description.objects.filter(project__study=study).order_by("-version")
    return own.filter(asked_at__isnull=False).first() or own.first()
