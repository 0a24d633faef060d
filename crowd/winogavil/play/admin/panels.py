"""What the page of a study's association game shows of its web game."""

from django.urls import reverse

from crowd.winogavil.admin.panels import PANELS
from crowd.winogavil.models import Game
from crowd.winogavil.play.models import WebGame
from hits.admin.projects.project_cards import Panel, Way
from hits.identity.models.users import User


def play_panel(game: Game, user: User) -> Panel:
    web = WebGame.objects.filter(study=game.study_id).first()
    see = Way(name="Web game…", url=reverse("admin:play_game", args=[game.study_id]))
    state = "There is none yet." if web is None else "It is open." if web.is_open else "It is closed."
    return Panel(
        key="play",
        title="Web game",
        about=f"Players without pay invent and solve associations on a site of their own. {state}",
        ways=[see],
        permission="winogavil_play.view_webgame",
    )


PANELS.append(play_panel)
