"""Players have their own data: a file of all of it, and words that they can take back."""

import json
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.test import Client

from crowd.winogavil.models import Association
from crowd.winogavil.play.models import Player, Turn
from crowd.winogavil.play.services import accounts, sharing
from crowd.winogavil.play.site.session import COOKIE
from crowd.winogavil.queries.associations import final
from tests.crowd.winogavil.play.table import make_game, make_player, play, work_through
from tests.factories import NOW
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def author() -> Player:
    return make_player(make_game(), name="Grey Heron")


@pytest.fixture
def turn(author: Player) -> Turn:
    """A word of the author that three people have solved."""
    turn = play(author)
    assert turn
    work_through()
    for _ in range(3):
        solver = make_player(author.game)
        while (other := play(solver)) and other.role == Turn.Role.CREATE:
            pass
        work_through()
    return turn


def visit(player: Player, settings: LazySettings) -> Client:
    client = Client(SERVER_NAME=urlsplit(settings.PLAY_URL).hostname or "", REMOTE_ADDR=str(uuid4()))
    client.cookies[COOKIE] = accounts.sign_in(player=player, now=NOW)
    return client


def word_of(turn: Turn) -> Association:
    return Association.objects.select_related("item").get(item__rival_query__assignment=turn.assignment)


def test_download_has_the_players_own_turns_and_nobody_elses(
    author: Player, turn: Turn, settings: LazySettings
) -> None:
    response = visit(author, settings).get("/my-data/")

    mine = json.loads(response.content)
    assert response["Content-Disposition"] == 'attachment; filename="my-data.json"'
    assert (mine["name"], mine["consents"][0]["text__text"]) == ("Grey Heron", "We keep words and picks.")
    [word] = mine["turns"]
    assert (word["part"], word["word"], word["chosen_places"]) == ("create", "winter", [[0, 1]])
    assert (word["fool"], word["solvable"], word["is_withdrawn"]) == (1.0, 1.0, False)


def test_word_is_withdrawn_by_its_author_after_a_question_and_leaves_the_data(
    author: Player, turn: Turn, settings: LazySettings
) -> None:
    sharing.share_turn(turn=turn)
    client, address = visit(author, settings), f"/turns/{turn.assignment.public_id}/withdraw/"

    asked = text_of(client.get(address))
    before = final(Association.objects.all()).filter(pk=word_of(turn).pk).exists()
    answered = client.post(address)
    again = client.post(address)

    turn.refresh_from_db()
    turn.assignment.refresh_from_db()
    assert "It cannot be brought back." in asked
    assert before
    assert (answered.status_code, again.status_code) == (302, 302)
    assert (turn.shared_as, turn.assignment.kept_out) == (None, True)
    assert word_of(turn).item.pulled_at
    assert not final(Association.objects.all()).filter(pk=word_of(turn).pk).exists()
    assert "You have withdrawn this word" in text_of(client.get(f"/turns/{turn.assignment.public_id}/"))


def test_withdrawn_word_waits_for_nobody_and_promises_no_points(
    author: Player, settings: LazySettings
) -> None:
    turn = play(author)
    assert turn
    client, address = visit(author, settings), f"/turns/{turn.assignment.public_id}/"
    before, mine_before = text_of(client.get(address)), text_of(client.get("/"))

    client.post(f"{address}withdraw/")

    after, mine = text_of(client.get(address)), text_of(client.get("/"))
    assert [words in before for words in ("waits for its solvers", "up to 50 more")] == [True, True]
    assert [words in after for words in ("waits for its solvers", "up to 50 more")] == [False, False]
    assert "1 waits for people to solve it." in mine_before
    assert "1 word invented." in mine
    assert "waits for people to solve it" not in mine


def test_nobody_withdraws_a_word_of_another(author: Player, turn: Turn, settings: LazySettings) -> None:
    other = visit(make_player(author.game), settings)

    answered = other.post(f"/turns/{turn.assignment.public_id}/withdraw/")

    turn.assignment.refresh_from_db()
    assert (answered.status_code, turn.assignment.kept_out) == (404, False)
    assert word_of(turn).item.pulled_at is None
