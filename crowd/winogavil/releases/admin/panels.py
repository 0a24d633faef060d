"""What the page of a study's association game shows of its data."""

from urllib.parse import urlencode

from django.urls import reverse

from crowd.winogavil.admin.panels import PANELS
from crowd.winogavil.models import Game
from crowd.winogavil.releases.admin.finding import COUNTED, MAKE, VIEW
from crowd.winogavil.releases.models import Release
from hits.admin.projects.project_cards import Figure, Panel, Way
from hits.identity.models.users import User


def data_panel(game: Game, user: User) -> Panel:
    query = urlencode({"study__id__exact": game.study_id})
    ways = [
        Way(
            name="Statistics",
            url=reverse("admin:winogavil_releases_statistics", args=[game.study_id]),
            permission=COUNTED,
        ),
        Way(
            name="Releases",
            url=f"{reverse('admin:winogavil_releases_release_changelist')}?{query}",
            permission=VIEW,
        ),
        Way(
            name="Make a release…",
            url=reverse("admin:winogavil_releases_make", args=[game.study_id]),
            permission=MAKE,
        ),
    ]
    return Panel(
        key="data",
        title="Data",
        about="What people and models make of the associations, and files that never change again.",
        figures=[Figure(name="Releases", count=Release.objects.filter(study=game.study_id).count())],
        ways=ways,
    )


PANELS.append(data_panel)
