"""What the page of a study's association game shows of its data."""

from urllib.parse import urlencode

from django.urls import reverse

from crowd.winogavil.admin.cards import add_card
from crowd.winogavil.models import Game
from crowd.winogavil.releases.admin.finding import COUNTED, MAKE, VIEW
from crowd.winogavil.releases.models import Release
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.identity.models.users import User


def data_card(game: Game, user: User) -> Card:
    statistics = urlencode({"study__id__exact": game.study_id})
    ways = [
        CardLink(
            name="Statistics",
            url=reverse("admin:winogavil_releases_statistics", args=[game.study_id]),
            permission=COUNTED,
        ),
        CardLink(
            name="Releases",
            url=f"{reverse('admin:winogavil_releases_release_changelist')}?{statistics}",
            permission=VIEW,
        ),
        CardLink(
            name="Make a release…",
            url=reverse("admin:winogavil_releases_make", args=[game.study_id]),
            permission=MAKE,
        ),
    ]
    return Card(
        key="data",
        title="Data",
        about="What people and models make of the associations, and files that never change again.",
        metrics=[Metric(name="Releases", count=Release.objects.filter(study=game.study_id).count())],
        links=ways,
    )


add_card(data_card, place=20)
