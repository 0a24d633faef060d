"""A shared result is public by its player's wish alone, and tells nothing that others are still asked."""

from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.test import Client

from crowd.pictures.models import Picture
from crowd.winogavil.models import Association, Game
from crowd.winogavil.play.models import Player, Turn, WebGame
from crowd.winogavil.play.services import accounts, sharing
from crowd.winogavil.play.site.session import COOKIE
from tests.crowd.winogavil.play.table import PASSWORD, make_game, make_player, play, work_through
from tests.factories import NOW
from tests.pages import text_of

pytestmark = pytest.mark.django_db
WORD = "winter"


@pytest.fixture
def game() -> WebGame:
    return make_game(picture_sets=3)


@pytest.fixture
def visitor(settings: LazySettings) -> Client:
    host = urlsplit(settings.PLAY_URL).hostname or ""
    return Client(SERVER_NAME=host, REMOTE_ADDR=str(uuid4()))


def sign_in(visitor: Client, player: Player) -> None:
    visitor.cookies[COOKIE] = accounts.sign_in(player=player, now=NOW)


def shared(turn: Turn | None) -> str:
    assert turn
    sharing.share_turn(turn=turn)
    turn.refresh_from_db()
    return f"/shared/{turn.shared_as}/"


def solve_all(game: WebGame) -> None:
    """Let three others solve every word, so that all are final."""
    work_through()
    for _ in range(3):
        solver = make_player(game)
        while (turn := play(solver)) and turn.role == Turn.Role.CREATE:
            pass
        work_through()


def finish(game: WebGame) -> tuple[Player, Turn]:
    """A player's word that nobody is asked about any more, with pictures that anybody may pass on."""
    author = make_player(game, name="Grey Heron")
    turn = play(author)
    assert turn
    solve_all(game)
    Picture.objects.update(licence="CC BY 4.0", credit="A. Drawer")
    own = Association.objects.get(item__rival_query__assignment=turn.assignment)
    assert own.final_at
    Association.objects.exclude(pk=own.pk).update(cue="summer")
    return author, turn


def test_nothing_is_public_until_its_player_says_so(visitor: Client, game: WebGame) -> None:
    author, turn = finish(game)
    sign_in(visitor, author)
    address = f"/turns/{turn.assignment.public_id}/"

    before = Turn.objects.filter(shared_as__isnull=False).count()
    answered = visitor.post(f"{address}share/")
    turn.refresh_from_db()
    link = f"/shared/{turn.shared_as}/"
    page = text_of(visitor.get(address))
    seen = Client(SERVER_NAME=visitor.defaults["SERVER_NAME"]).get(link).status_code
    visitor.post(f"{address}unshare/")

    assert (before, answered.status_code, seen) == (0, 302, 200)
    assert link in page
    assert visitor.get(link).status_code == 404


def test_turn_of_another_player_cannot_be_shared(visitor: Client, game: WebGame) -> None:
    _, turn = finish(game)
    sign_in(visitor, make_player(game))

    answered = visitor.post(f"/turns/{turn.assignment.public_id}/share/")

    assert answered.status_code == 404
    assert not Turn.objects.filter(shared_as__isnull=False).exists()


def test_word_that_is_still_asked_is_a_score_alone(visitor: Client, game: WebGame) -> None:
    turn = play(make_player(game, name="Grey Heron"))
    work_through()
    Picture.objects.update(licence="CC BY 4.0")

    page = text_of(visitor.get(shared(turn)))

    assert "100 %" in page
    assert not any(told in page for told in (WORD, "/pictures/", "og:image", "Heron"))


def test_final_word_is_shown_with_its_pictures_and_their_credits(visitor: Client, game: WebGame) -> None:
    _, turn = finish(game)

    page = text_of(visitor.get(shared(turn)))

    assert f"“{WORD}”" in page
    assert "A. Drawer (CC BY 4.0)" in page
    assert 'property="og:image"' in page
    assert 'property="og:title" content="A word against the model: “winter”"' in page
    assert 'name="robots" content="noindex"' in page
    assert "Heron" not in page


@pytest.mark.parametrize(
    "change", [{"licence": "all rights reserved"}, {"licence": ""}, {"status": Picture.Status.WAITING}]
)
def test_pictures_that_may_not_be_passed_on_are_not_shown(
    visitor: Client, game: WebGame, change: dict[str, str]
) -> None:
    _, turn = finish(game)
    place = Association.objects.get(item__rival_query__assignment=turn.assignment).places.all()[0]
    assert place.picture
    Picture.objects.filter(pk=place.picture.pk).update(**change)

    page = text_of(visitor.get(shared(turn)))

    assert "100 %" in page
    assert not any(told in page for told in ("/pictures/", WORD))


def test_word_that_another_batch_asks_again_is_hidden_again(visitor: Client, game: WebGame) -> None:
    _, turn = finish(game)
    address = shared(turn)
    own = Association.objects.get(item__rival_query__assignment=turn.assignment)
    other = Association.objects.exclude(pk=own.pk).order_by("pk")[0]
    before = text_of(visitor.get(address))
    Association.objects.filter(pk=other.pk).update(set_key=own.set_key, cue=own.cue, final_at=None)

    after = text_of(visitor.get(address))

    assert WORD in before
    assert WORD not in after


def test_solve_shows_figures_and_never_the_word_of_another(visitor: Client, game: WebGame) -> None:
    play(make_player(game))
    work_through()
    solver = make_player(game)
    play(solver)
    turn = play(solver)
    solve_all(game)
    Picture.objects.update(licence="CC BY 4.0")
    address = shared(turn)

    at_once = text_of(visitor.get(address))
    Game.objects.update(feedback=Game.Feedback.NEVER)
    never = text_of(visitor.get(address))

    assert "100 %" in at_once
    assert not any(told in at_once for told in (WORD, "/pictures/"))
    assert "100 %" not in never


def test_whoever_leaves_takes_shared_results_along(visitor: Client, game: WebGame) -> None:
    author, turn = finish(game)
    address = shared(turn)

    accounts.erase(player=author, password=PASSWORD, place="here", now=NOW)

    assert visitor.get(address).status_code == 404


def test_address_is_kept_and_a_new_one_is_another(game: WebGame) -> None:
    _, turn = finish(game)
    first, again = shared(turn), shared(turn)
    sharing.stop_sharing(turn=turn)

    assert first == again
    assert shared(turn) != first


def test_open_turn_has_no_address(game: WebGame) -> None:
    turn = play(make_player(game))
    assert turn
    Turn.objects.filter(pk=turn.pk).update(status=Turn.Status.OPEN, ended_at=None)

    sharing.share_turn(turn=turn)

    turn.refresh_from_db()
    assert turn.shared_as is None
