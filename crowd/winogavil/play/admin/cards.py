"""Card about the web game on the page of a study's association game."""

from django.urls import reverse

from crowd.winogavil.admin.cards import add_card
from crowd.winogavil.models import Game
from crowd.winogavil.play.models import WebGame
from hits.admin.projects.project_cards import Card, CardLink
from hits.identity.models.users import User


def play_card(game: Game, user: User) -> Card:
    web = WebGame.objects.filter(study=game.study_id).first()
    see = CardLink(name="Web game…", url=reverse("admin:play_game", args=[game.study_id]))
    state = "There is none yet." if web is None else "It is open." if web.is_open else "It is closed."
    return Card(
        key="play",
        title="Web game",
        about=f"Players without pay invent and solve associations on a site of their own. {state}",
        links=[see],
        permission="winogavil_play.view_webgame",
    )


add_card(play_card, place=30)
