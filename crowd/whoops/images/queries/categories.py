"""The categories that images of a study may get."""

from django.db.models import QuerySet

from crowd.whoops.models import Category, Project


def categories_of(project: Project) -> QuerySet[Category]:
    """The study's own list, or else the list that all studies share."""
    own = Category.objects.filter(project=project)
    return own if own.exists() else Category.objects.filter(project=None)
