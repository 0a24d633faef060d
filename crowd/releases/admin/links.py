"""Links to a study's releases of one family, for the card about its data."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.urls import reverse

from crowd.releases.admin.permitted_rows import MAKE, VIEW
from crowd.releases.models import Release
from hits.admin.projects.project_cards import CardLink, Metric
from hits.studies.models import Study


def release_links(study: Study, *, family: str) -> Sequence[CardLink]:
    query = urlencode({"study__id__exact": study.pk, "family__exact": family})
    return [
        CardLink(
            name="Releases",
            url=f"{reverse('admin:releases_release_changelist')}?{query}",
            permission=VIEW,
        ),
        CardLink(
            name="Make a release…",
            url=reverse("admin:releases_make", args=[study.pk, family]),
            permission=MAKE,
        ),
    ]


def release_stage(study: Study, *, family: str) -> Metric:
    """The last stage of a project: its releases."""
    made = Release.objects.filter(study=study, family=family).count()
    return Metric(name="Release" if made == 1 else "Releases", count=made)
