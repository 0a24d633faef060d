"""Web games, and how their players stand: by pseudonym, never by the names that players chose."""

from fractions import Fraction
from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers

from crowd.winogavil.play import domain
from crowd.winogavil.play.admin.game_actions import ACTIONS
from crowd.winogavil.play.models import Standing, WebGame
from crowd.winogavil.play.queries.addresses import join_url
from crowd.winogavil.play.services.web_games import LONGEST_CONSENT
from hits.api.filters import Filters
from hits.api.listings import Listing
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, column
from hits.identity.api_tokens import Scope
from hits.studies.models import Study

GAMES = "winogavil_play.view_webgame"
PLAYERS = "winogavil_play.view_player"
LONGEST_TITLE = 60


class WebGameFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    is_open = serializers.BooleanField(required=False)


class StandingFilters(Filters):
    study = serializers.UUIDField(required=False, source="game__study__public_id")
    game = serializers.UUIDField(required=False, source="game__public_id")
    worker = serializers.CharField(required=False, max_length=16, source="player__worker__pseudonym")


class WebGameSettings(serializers.Serializer[Any]):
    """The form of the game's page, whose fields are saved together."""

    title = serializers.CharField(max_length=LONGEST_TITLE, help_text="The name that players see.")
    solves_per_cue = serializers.IntegerField()
    fewest_final = serializers.IntegerField(help_text="Final cues, or solves, for a place.")
    shows_uploads = serializers.BooleanField(help_text="Whether players see uploaded predictions.")


class WebGameConsent(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST_CONSENT)


def _study_of(game: WebGame) -> Study:
    return game.study


class WebGameViewSet(Listing):
    """The web games of studies."""

    queryset: QuerySet[WebGame] = WebGame.objects.select_related(
        "study", "create_batch", "solve_batch"
    ).prefetch_related("consent_texts")
    permissions = (GAMES,)
    study_path = "study"
    filters = WebGameFilters
    columns = (
        column("public_id", TEXT, "the game's id"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("title", TEXT, "the name that players see"),
        column("is_open", FLAG, "whether players may join and play"),
        column("join_url", TEXT, "the address where players join", of=join_url),
        column(
            "code", TEXT, "letters to type instead of it", of=lambda game: domain.join_code(game.public_id)
        ),
        column("solves_per_cue", INTEGER, "how many solves a player owes for each cue"),
        column("fewest_final", INTEGER, "final cues, or solves, for a place on a leaderboard"),
        column("shows_uploads", FLAG, "whether players see uploaded predictions"),
        column("create_batch", TEXT, "the batch of its words", of="create_batch.public_id"),
        column("solve_batch", TEXT, "the batch of its solves", of="solve_batch.public_id"),
        column(
            "consents",
            ROWS,
            "the texts that players agree to; the highest version is in force",
            column("version", INTEGER, "its number"),
            column("text", TEXT, "the text"),
            column("made_at", MOMENT, "when it was published"),
            of=lambda row: sorted(row.consent_texts.all(), key=lambda text: text.version),
        ),
        column("made_at", MOMENT, "when it was made"),
        column("opened_at", MOMENT, "when it was last opened"),
        column("closed_at", MOMENT, "when it was last closed"),
    )
    verbs = {
        "open": Verb(
            action=ACTIONS["open"],
            about="Open the game. Players can join.",
            scope=Scope.LAUNCH,
            row=_study_of,
        ),
        "close": Verb(
            action=ACTIONS["close"],
            about="Close the game. Players still see their figures.",
            scope=Scope.LAUNCH,
            row=_study_of,
        ),
        "change_settings": Verb(
            action=ACTIONS["settings"],
            scope=Scope.DRAFT,
            about="Change the game's settings, all of them together.",
            body=WebGameSettings,
            row=_study_of,
        ),
        "consent": Verb(
            action=ACTIONS["consent"],
            scope=Scope.DRAFT,
            about="Publish another consent text. Every player is asked for it before the next turn.",
            body=WebGameConsent,
            row=_study_of,
        ),
    }


class StandingViewSet(Listing):
    """The figures of players, by which their places on the leaderboards are decided."""

    queryset: QuerySet[Standing] = Standing.objects.select_related("game", "player__worker")
    permissions = (PLAYERS,)
    study_path = "game__study"
    number = True
    filters = StandingFilters
    columns = (
        column("number", INTEGER, "the number of the player on this site", of="pk"),
        column("game", TEXT, "the game", of="game.public_id"),
        column("worker", TEXT, "the player's pseudonym", of="player.worker.pseudonym"),
        column("cues", INTEGER, "words submitted"),
        column("solves", INTEGER, "solves submitted"),
        column("final_cues", INTEGER, "words that are final"),
        column("final_solves", INTEGER, "solves that are final"),
        column("fool", NUMBER, "mean fool-the-AI score", of=lambda row: _number(domain.fool_mean(row.worth))),
        column(
            "solvable", NUMBER, "mean of the solvers", of=lambda row: _number(domain.solvable_mean(row.worth))
        ),
        column("creator_points", NUMBER, "points as a creator", of=lambda row: _points(row.creator_points)),
        column("solver_points", NUMBER, "points as a solver", of=lambda row: _points(row.solver_points)),
    )


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _points(points: int | None) -> float | None:
    return None if points is None else float(Fraction(points, domain.POINTS))
