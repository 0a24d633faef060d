"""Factories of a web game with players, by the product's own services."""

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction
from uuid import uuid4

from django.http import QueryDict

from crowd.winogavil.models import Association
from crowd.winogavil.play.models import Player, Turn, WebGame
from crowd.winogavil.play.services import accounts, turns, web_games
from crowd.winogavil.services import association_creation, association_verdicts, final_associations
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models import PendingQuery, RegisteredRival, RivalQuery, Verdict
from scoring.services import score_recording
from tests.crowd.winogavil.game import put_cue
from tests.factories import NOW, make_picture, make_study, make_user

PASSWORD = "correct horse battery"


def make_game(
    *, study: Study | None = None, picture_sets: int = 3, by: User | None = None, title: str = "Fool it"
) -> WebGame:
    """An open web game with picture sets of five."""
    study, by = study or make_study(), by or make_user()
    add_picture_sets(study, picture_sets)
    game = web_games.make_web_game(study=study, title=title, by=by, now=NOW)
    web_games.write_consent(game=game, text="We keep words and picks.", by=by, now=NOW)
    web_games.open_game(game=game, by=by, now=NOW)
    return game


def add_picture_sets(study: Study, count: int) -> None:
    for _ in range(count):
        seed_picture_set(study=study, pictures=[make_picture() for _ in range(5)])


def make_player(game: WebGame, *, name: str = "") -> Player:
    player = accounts.register(
        game=game,
        name=name or f"player {uuid4().hex[:8]}",
        password=PASSWORD,
        agreed_to=game.consent_texts.count(),
        place=uuid4().hex,
        now=NOW,
    )
    return Player.objects.select_related("game__study", "worker", "standing").get(pk=player.pk)


def take_turn(player: Player, *, now: datetime = NOW) -> Turn | None:
    player.refresh_from_db(fields=["game", "solves_owed"])
    return turns.take_turn(player=player, now=now)


def answer_rival(rival_query: RivalQuery, *, places: Iterable[int]) -> Verdict:
    """Store the rival's verdict without running a model."""
    chosen, predicted = set(rival_query.chosen), set(places)
    PendingQuery.objects.filter(rival_query=rival_query).delete()
    return Verdict.objects.create(
        rival_query=rival_query,
        rival=RegisteredRival.objects.get(pk=rival_query.paid_on_id),
        model="fake",
        weights_sha256="f" * 64,
        prompt=rival_query.text,
        preprocessing={},
        candidates=[],
        scores=[],
        places=sorted(predicted),
        model_score=int(100 * Fraction(len(chosen & predicted), len(chosen | predicted))),
        latency_ms=1,
        code_version="test",
        device="paper",
        answered_at=NOW,
    )


def play(player: Player, *, right: bool = True, fools: bool = True, now: datetime = NOW) -> Turn | None:
    """Play the next turn, whatever it is, from beginning to end; None if there is nothing to do."""
    turn = take_turn(player, now=now)
    if turn is None:
        return None
    form = QueryDict(mutable=True)
    if turn.role == Turn.Role.CREATE:
        rival_query = put_cue(turn.assignment, "winter")
        answer_rival(rival_query, places=(2, 3) if fools else (0, 1))
    else:
        association = Association.objects.get(item__leases__assignment=turn.assignment)
        keys = {place.picture.key for place in association.places.all() if place.picture}
        picks = association.chosen_keys if right else sorted(keys - association.chosen_keys)[:2]
        form.setlist(str(association.item.public_id), sorted(picks))
    return turns.hand_in(player=player, work=str(turn.assignment.public_id), form=form, now=now)


def work_through(*, now: datetime = NOW) -> None:
    """Run the background work on what was submitted."""
    association_creation.make_associations(now=now)
    score_recording.judge_submitted(now=now)
    association_verdicts.read_verdicts()
    final_associations.finalize_associations(now=now)
    association_creation.credit_authors(now=now)
