"""Card about the data on the page of a study's association game, and a note on the page of a release."""

from django.urls import reverse

from crowd.releases.admin import release_parts
from crowd.releases.admin.links import release_links, release_stage
from crowd.releases.admin.release_parts import ReleasePart
from crowd.winogavil.admin.cards import add_card
from crowd.winogavil.models import Game
from crowd.winogavil.releases.admin.statistics import COUNTED
from hits.admin.projects.project_cards import Card, CardLink
from hits.identity.models.users import User

FAMILY = "winogavil"


def data_card(game: Game, user: User) -> Card:
    statistics = CardLink(
        name="Statistics",
        url=reverse("admin:winogavil_releases_statistics", args=[game.study_id]),
        permission=COUNTED,
    )
    made = release_stage(game.study, family=FAMILY)
    return Card(
        key="data",
        title="Data",
        about="What people and models make of the associations, and files that never change again.",
        is_data=True,
        stage=made,
        metrics=[made],
        links=[statistics, *release_links(game.study, family=FAMILY)],
    )


add_card(data_card, place=20)
release_parts.register(FAMILY, ReleasePart(template="admin/winogavil_releases/unscored.html"))
