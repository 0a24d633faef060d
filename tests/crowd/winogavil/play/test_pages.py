"""The players' pages over HTTP: sign-in, consent, turns, and a host of their own."""

import json
import re
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.conf import settings as project
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.pictures.models import Picture
from crowd.winogavil.models import Association, CueReport, Game
from crowd.winogavil.play.domain import PARTS, TurnWorth
from crowd.winogavil.play.models import (
    Consent,
    Player,
    PlayerSession,
    PracticeAsk,
    Survey,
    Turn,
    WebGame,
)
from crowd.winogavil.play.queries.addresses import join_url
from crowd.winogavil.play.services import accounts, practice_rounds, web_games
from crowd.winogavil.play.site.first_page import MOST_WITH_SCORES
from crowd.winogavil.play.site.session import COOKIE
from hits.common import rates
from hits.work.models.assignments import Assignment
from scoring.models import RivalQuery
from tests.crowd.winogavil.play.table import (
    PASSWORD,
    answer_rival,
    make_game,
    make_player,
    play,
    work_through,
)
from tests.factories import make_picture, make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def game() -> WebGame:
    return make_game(picture_sets=3)


@pytest.fixture
def visitor(settings: LazySettings) -> Client:
    """A browser at the players' host; its own IP address keeps rate limits from meeting other tests."""
    host = urlsplit(settings.PLAY_URL).netloc
    return Client(SERVER_NAME=host.partition(":")[0], REMOTE_ADDR=str(uuid4()))


def sign_in(visitor: Client, player: Player) -> Client:
    visitor.cookies[COOKIE] = accounts.sign_in(player=player, now=timezone.now())
    return visitor


@pytest.fixture
def player(game: WebGame, visitor: Client) -> Player:
    """A player who is signed in."""
    player = make_player(game, name="Owl")
    sign_in(visitor, player)
    return player


def register(visitor: Client, game: WebGame, **changes: str) -> Any:
    form = {"name": "Owl", "password": PASSWORD, "version": "1", "agreed": "yes", **changes}
    return visitor.post(f"/register/{game.public_id}/", {k: v for k, v in form.items() if v})


# Sign-in


def test_visitor_is_told_what_it_is_and_where_to_join(visitor: Client, game: WebGame) -> None:
    page = text_of(visitor.get("/"))

    assert "Fool the model" in page
    assert f"/register/{game.public_id}/" in page


def test_visitor_is_told_when_no_game_is_open(visitor: Client, game: WebGame) -> None:
    web_games.close_game(game=game, by=make_user(), now=timezone.now())

    page = text_of(visitor.get("/"))

    assert "No game is open" in page
    assert visitor.get(f"/register/{game.public_id}/").status_code == 409


def test_visitor_tries_a_round_of_which_nothing_is_kept(visitor: Client, game: WebGame) -> None:
    first = text_of(visitor.get("/"))
    with CaptureQueriesContext(connection) as asked:
        right = visitor.get("/try/", {"practice": ["dog", "tree"]})
    done = [query["sql"][:6] for query in asked]
    wrong = text_of(visitor.get("/try/", {"practice": ["dog", "key"]}))

    assert "bark" in first
    # What was meant is in no page before the visitor has picked.
    assert not any(word in first for word in ("Meant", "it was", "barks", "chosen"))
    assert "Exactly right!" in text_of(right)
    assert '<span class="hidden">33 %</span>' in wrong
    assert "it was not meant" in wrong
    assert done == ["SELECT"]
    assert not visitor.cookies
    assert visitor.get("/try/", {"practice": ["dog"]})["Location"] == "/"


def test_visitor_sees_the_best_scores_and_no_names(visitor: Client, game: WebGame) -> None:
    before = text_of(visitor.get("/"))
    standing = make_player(game, name="Grey Heron").standing
    standing.worth = TurnWorth(final_cues=20, fool_sum=2000, solvable_parts=20 * PARTS * 9 // 10)
    standing.save()

    after = text_of(visitor.get("/"))

    assert "the first places are still free" in before
    assert re.search(r"Best creators</dt>\s*<dd>95 %</dd>", after)
    assert "Heron" not in after


def test_first_page_costs_the_same_however_many_play(
    visitor: Client, game: WebGame, django_assert_max_num_queries: Any
) -> None:
    for _ in range(8):
        make_game(picture_sets=0)
        make_player(game)

    with django_assert_max_num_queries(1 + 2 * MOST_WITH_SCORES):
        visitor.get("/")


def test_code_that_leads_nowhere_is_told_so_on_the_first_page(visitor: Client, game: WebGame) -> None:
    web_games.close_game(game=game, by=make_user(), now=timezone.now())
    make_game(picture_sets=0, title="Another")

    answered = visitor.get("/join/", {"code": game.code})

    page = text_of(answered)
    assert answered.status_code == 404
    assert "No open game has this code." in page
    assert f'value="{game.code}"' in page


def test_registering_signs_in_with_a_cookie_of_its_own(visitor: Client, game: WebGame) -> None:
    answered = register(visitor, game)

    cookie = answered.cookies[COOKIE]
    assert (answered.status_code, answered["Location"]) == (302, "/")
    assert (cookie["httponly"], cookie["samesite"], cookie["domain"]) == (True, "Lax", "")
    assert project.SESSION_COOKIE_NAME not in visitor.cookies
    assert Consent.objects.get().player.name == "Owl"
    assert "Hello, Owl" in text_of(visitor.get("/"))


@pytest.mark.parametrize(
    "change",
    [
        {"agreed": ""},
        {"version": ""},
        {"version": "7"},
        {"name": "x"},
        {"name": "a shithead"},
        {"name": "..."},
        {"password": "short"},
        {"password": "password"},
        {"password": "owlowlowl"},
    ],
    ids=lambda change: " ".join(f"{key}={value}" for key, value in change.items()),
)
def test_registration_that_lacks_something_registers_nobody(
    visitor: Client, game: WebGame, change: dict[str, str]
) -> None:
    answered = register(visitor, game, **change)

    assert answered.status_code == 422
    assert (Player.objects.count(), Consent.objects.count(), PlayerSession.objects.count()) == (0, 0, 0)
    # Whatever was wrong, the box has to be ticked again, and what was typed is kept.
    page = text_of(answered)
    assert 'name="agreed" value="yes" required' in page
    assert "checked" not in page


def test_registration_says_what_is_wrong(visitor: Client, game: WebGame) -> None:
    make_player(game, name="Owl")

    page = text_of(register(visitor, game, name="owl"))

    assert "Somebody else has this name" in page
    assert 'value="owl"' in page


def test_signing_in_and_out(visitor: Client, game: WebGame) -> None:
    make_player(game, name="Owl")

    wrong = visitor.post("/sign-in/", {"name": "Owl", "password": "wrong"})
    right = visitor.post("/sign-in/", {"name": "owl", "password": PASSWORD})
    inside = text_of(visitor.get("/"))
    visitor.post("/sign-out/")

    assert (wrong.status_code, right.status_code) == (422, 302)
    assert "do not fit together" in text_of(wrong)
    assert "Hello, Owl" in inside
    assert PlayerSession.objects.count() == 0
    assert visitor.get("/play/")["Location"] == "/sign-in/"


def test_guessing_is_told_to_wait(visitor: Client, game: WebGame, monkeypatch: pytest.MonkeyPatch) -> None:
    make_player(game, name="Owl")
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
    monkeypatch.setattr(accounts, "MOST_OF_PAIR", 1)
    visitor.post("/sign-in/", {"name": "Owl", "password": "wrong"})

    answered = visitor.post("/sign-in/", {"name": "Owl", "password": PASSWORD})

    assert answered.status_code == 429
    assert PlayerSession.objects.count() == 0


@pytest.mark.parametrize("path", ["/play/", "/practice/", "/leaders/creators/", "/survey/", "/leave/"])
def test_pages_are_for_players_alone(visitor: Client, path: str) -> None:
    assert visitor.get(path)["Location"] == "/sign-in/"


def test_forms_want_their_token(game: WebGame, settings: LazySettings) -> None:
    host = urlsplit(settings.PLAY_URL).hostname or ""
    strict = Client(SERVER_NAME=host, enforce_csrf_checks=True)
    sign_in(strict, make_player(game))

    statuses = {path: strict.post(path).status_code for path in ("/play/answer/", "/leave/", "/sign-out/")}

    assert set(statuses.values()) == {403}
    assert PlayerSession.objects.count() == 1


# Consent


def test_new_text_is_asked_for_before_anything_else(visitor: Client, player: Player) -> None:
    web_games.write_consent(game=player.game, text="Another text.", by=make_user(), now=timezone.now())

    sent = {path: visitor.get(path)["Location"] for path in ("/", "/play/", "/leaders/models/")}
    page = text_of(visitor.get("/consent/"))
    refused = visitor.post("/consent/", {"version": "2"})
    agreed = visitor.post("/consent/", {"version": "2", "agreed": "yes"})

    assert set(sent.values()) == {"/consent/"}
    assert "Another text." in page
    assert (refused.status_code, agreed.status_code) == (422, 302)
    assert Turn.objects.count() == 0
    assert visitor.get("/play/").status_code == 200


def test_agreeing_to_an_older_text_is_not_agreeing(visitor: Client, player: Player) -> None:
    web_games.write_consent(game=player.game, text="Another text.", by=make_user(), now=timezone.now())

    answered = visitor.post("/consent/", {"version": "1", "agreed": "yes"})

    assert answered.status_code == 409
    assert Consent.objects.count() == 1


def test_whoever_does_not_agree_can_leave(visitor: Client, player: Player) -> None:
    web_games.write_consent(game=player.game, text="Another text.", by=make_user(), now=timezone.now())

    wrong = visitor.post("/leave/", {"password": "wrong"})
    left = visitor.post("/leave/", {"password": PASSWORD})

    player.refresh_from_db()
    assert (wrong.status_code, left.status_code) == (409, 200)
    assert player.erased_at is not None
    assert left.cookies[COOKIE].value == ""


# Turns


def test_turn_is_played_as_the_page_plays_it(visitor: Client, player: Player) -> None:
    page = visitor.get("/play/")
    token, work, hit = page.context["token"], page.context["assignment"], page.context["hit"]
    asked = visitor.post(
        f"/q/{hit.public_id}/ask/", {"token": token, "slot": "1", "cue": "winter", "chosen": ["0", "1"]}
    )
    again = visitor.post(
        f"/q/{hit.public_id}/ask/", {"token": token, "slot": "1", "cue": "summer", "chosen": ["0", "1"]}
    )
    answer_rival(RivalQuery.objects.get(), places=(2, 3))
    verdict = visitor.post(f"/q/{hit.public_id}/verdict/", {"token": token, "slot": "1"})
    handed_in = visitor.post("/play/answer/", {"work": str(work.public_id)})

    assert json.loads(asked.content)["state"] == "waiting"
    assert json.loads(again.content)["text"] == "winter"
    told = json.loads(verdict.content)
    assert (told["fool"], told["predicted"], told["bonus"]) == (100, [2, 3], None)
    assert handed_in["Location"] == "/play/?said=cue"
    assert Turn.objects.get().status == Turn.Status.DONE
    assert "Your word is submitted" in text_of(visitor.get("/play/?said=cue"))


def test_page_of_a_turn_survives_reload_and_shows_what_was_asked(visitor: Client, player: Player) -> None:
    first = visitor.get("/play/")
    hit = first.context["hit"]
    fields = {"token": first.context["token"], "slot": "1", "cue": "winter", "chosen": ["0", "1"]}
    visitor.post(f"/q/{hit.public_id}/ask/", fields)

    page = text_of(visitor.get("/play/"))

    assert 'value="winter"' in page
    assert "data-asked" in page
    assert "Take other pictures" not in page
    assert Turn.objects.count() == 1


def test_solve_page_does_not_hold_the_answer(visitor: Client, player: Player) -> None:
    play(make_player(player.game))
    work_through()
    play(player)
    association = Association.objects.order_by("pk")[0]

    page = visitor.get("/play/")
    html = text_of(page)

    assert page.templates[0].name == "play/turn_solve.html"
    assert association.cue in html
    places = {place.picture.key: place for place in association.places.all() if place.picture}
    assert all(key in html for key in places)
    # Pictures are named by number, not by what they show, and chosen ones are not marked.
    assert not any(place.label in html for place in places.values())
    assert "chosen" not in html
    assert page.context["solves_left"] == 3


def test_wrong_number_of_picks_is_refused_in_words(visitor: Client, player: Player) -> None:
    play(make_player(player.game))
    work_through()
    play(player)
    work = visitor.get("/play/").context["assignment"]

    answered = visitor.post("/play/answer/", {"work": str(work.public_id)})

    assert answered.status_code == 400
    assert "needs exactly 2 pictures" in text_of(answered)
    work.refresh_from_db()
    assert work.status == Assignment.Status.OPENED


def test_work_of_another_player_cannot_be_handed_in_or_seen(visitor: Client, player: Player) -> None:
    other = make_player(player.game)
    done = play(other)
    assert done

    answered = visitor.post("/play/answer/", {"work": str(done.assignment.public_id)})
    seen = visitor.get(f"/turns/{done.assignment.public_id}/")

    assert (answered.status_code, seen.status_code) == (409, 404)


def test_skipping_by_the_button(visitor: Client, player: Player) -> None:
    work = visitor.get("/play/").context["assignment"]

    answered = visitor.post("/play/skip/", {"work": str(work.public_id)})

    assert answered["Location"] == "/play/?said=skipped"
    assert visitor.get("/play/").context["assignment"] != work


def test_report_on_a_turns_page_takes_the_picture_away_at_once(visitor: Client, player: Player) -> None:
    page = visitor.get("/play/")
    target = page.context["reports"][0]["value"]

    answered = visitor.post(
        f"/q/{page.context['hit'].public_id}/report/",
        {"token": page.context["token"], "about": target, "reason": "missing", "text": "broken"},
    )

    picture = Picture.objects.get(key=target.partition(":")[2])
    assert answered.status_code == 200
    assert picture.status == Picture.Status.REMOVED
    assert visitor.get("/play/").context["assignment"] != page.context["assignment"]


def test_report_of_a_cue_takes_it_away_at_once(visitor: Client, player: Player) -> None:
    play(make_player(player.game))
    work_through()
    play(player)
    page = visitor.get("/play/")
    targets = [target["value"] for target in page.context["reports"]]
    cue = next(target for target in targets if target.startswith("cue:"))

    visitor.post(
        f"/q/{page.context['hit'].public_id}/report/",
        {"token": page.context["token"], "about": cue, "reason": "inappropriate", "text": ""},
    )

    assert CueReport.objects.get().worker == player.worker
    assert Association.objects.order_by("pk")[0].item.pulled_at is not None
    # Each of the five pictures of the page, and its cue, can be reported.
    assert len(targets) == 6


def test_result_says_no_more_than_the_game_lets_solvers_know(visitor: Client, player: Player) -> None:
    play(make_player(player.game))
    work_through()
    play(player)
    turn = play(player, right=False)
    assert turn
    address = f"/turns/{turn.assignment.public_id}/"

    Game.objects.update(feedback=Game.Feedback.FINAL)
    before = text_of(visitor.get(address))
    Game.objects.update(feedback=Game.Feedback.AT_ONCE)
    at_once = text_of(visitor.get(address))
    Game.objects.update(feedback=Game.Feedback.NEVER)
    never = text_of(visitor.get(address))

    assert "it was meant too" in at_once
    assert "it was not meant" in at_once
    assert "The model was fooled by" in at_once
    # Neither what was meant, nor what the model took, nor points, from which one could tell.
    told = ("meant", "The model", "Points", "Other players")
    assert not [word for page in (before, never) for word in told if word in page]


def test_feedback_follows_the_solve_and_not_a_moment_before(visitor: Client, player: Player) -> None:
    others = make_player(player.game), make_player(player.game)
    play(others[0])
    work_through()
    play(player)
    play(others[1], right=False)
    work = visitor.get("/play/").context["assignment"]
    association = Association.objects.order_by("pk")[0]
    address, picks = f"/turns/{work.public_id}/", sorted(association.chosen_keys)

    before = visitor.get(address)
    answered = visitor.post(
        "/play/answer/", {"work": str(work.public_id), str(association.item.public_id): picks}
    )
    after = text_of(visitor.get(address))

    assert before.status_code == 404
    assert answered["Location"] == address
    assert "Exactly right!" in after
    assert '<span class="hidden">100 %</span>' in after
    assert "+100" in after
    assert "the model took it wrongly" in after


def test_feedback_tells_how_others_did_without_their_names(visitor: Client, player: Player) -> None:
    author, first = make_player(player.game), make_player(player.game, name="Heron")
    play(author)
    work_through()
    play(first)
    play(first, right=False)
    play(player)
    turn = play(player)
    assert turn

    page = text_of(visitor.get(f"/turns/{turn.assignment.public_id}/"))

    assert re.search(r"Other players</dt>\s*<dd>\s*0 %", page)
    assert "Heron" not in page


def test_points_of_a_word_grow_when_people_have_solved_it(visitor: Client, player: Player) -> None:
    turn = play(player)
    assert turn
    work_through()
    address = f"/turns/{turn.assignment.public_id}/"
    before = text_of(visitor.get(address))
    for right in (True, True, False):
        solver = make_player(player.game)
        play(solver)
        play(solver, right=right)
    work_through()

    after = text_of(visitor.get(address))

    assert re.search(r"\+50\s*<span class=\"quiet\">and up to 50 more", before)
    assert "+83" in after


def test_nothing_to_do_is_said_kindly(visitor: Client) -> None:
    sign_in(visitor, make_player(make_game(picture_sets=0)))

    page = visitor.get("/play/")

    assert page.status_code == 200
    assert "look again in a while" in text_of(page)


def test_closed_game_is_said_and_figures_stay(visitor: Client, player: Player) -> None:
    web_games.close_game(game=player.game, by=make_user(), now=timezone.now())

    refused = visitor.get("/play/")

    assert refused.status_code == 409
    assert "closed at the moment" in text_of(refused)
    assert "closed at the moment" in text_of(visitor.get("/"))


# Practice


@pytest.fixture
def practice(visitor: Client) -> Player:
    for _ in range(8):
        make_picture()
    player = make_player(make_game(picture_sets=1))
    sign_in(visitor, player)
    return player


def test_practice_page_asks_once_by_its_token(visitor: Client, practice: Player) -> None:
    page = visitor.get("/practice/")
    fields = {"token": page.context["token"], "slot": "1", "cue": "winter", "chosen": ["0", "2"]}

    first = visitor.post("/practice/ask/", fields)
    again = visitor.post("/practice/ask/", {**fields, "cue": "summer"})
    looked = visitor.post("/practice/verdict/", {"token": page.context["token"], "slot": "1"})

    assert [json.loads(one.content)["text"] for one in (first, again, looked)] == ["winter"] * 3
    assert PracticeAsk.objects.get().player == practice


@pytest.mark.parametrize("token", ["", "rubbish"])
def test_practice_with_a_forged_token_is_refused(visitor: Client, practice: Player, token: str) -> None:
    answered = visitor.post("/practice/ask/", {"token": token, "cue": "winter", "chosen": ["0", "2"]})

    assert answered.status_code == 403
    assert PracticeAsk.objects.count() == 0


def test_token_of_a_turn_is_none_of_practice(visitor: Client, practice: Player) -> None:
    token = visitor.get("/play/").context["token"]

    answered = visitor.post("/practice/ask/", {"token": token, "cue": "winter", "chosen": ["0", "2"]})

    assert answered.status_code == 403


def test_practice_refuses_in_words(visitor: Client, practice: Player) -> None:
    token = visitor.get("/practice/").context["token"]

    wrong = visitor.post("/practice/ask/", {"token": token, "cue": "two words", "chosen": ["0", "2"]})
    unknown = visitor.post("/practice/ask/", {"token": token, "cue": "winter", "chosen": ["0", "9"]})
    too_soon = visitor.post("/practice/verdict/", {"token": token})

    assert [one.status_code for one in (wrong, unknown, too_soon)] == [400, 400, 400]
    assert "one word" in json.loads(wrong.content)["problem"]
    assert PracticeAsk.objects.count() == 0


def test_picture_of_practice_can_be_reported_and_no_other(visitor: Client, practice: Player) -> None:
    page = visitor.get("/practice/")
    token, targets = page.context["token"], [one["value"] for one in page.context["reports"]]
    other = f"picture:{make_picture().key}"

    refused = visitor.post("/practice/report/", {"token": token, "about": other, "reason": "missing"})
    taken = visitor.post("/practice/report/", {"token": token, "about": targets[0], "reason": "missing"})

    assert (len(targets), refused.status_code, taken.status_code) == (5, 400, 200)
    removed = Picture.objects.filter(status=Picture.Status.REMOVED)
    assert [f"picture:{picture.key}" for picture in removed] == [targets[0]]


def test_practice_without_pictures_says_so(visitor: Client, player: Player) -> None:
    practice_sets = player.game.practice_sets
    practice_sets.all().delete()

    assert "no practice pictures" in text_of(visitor.get("/practice/"))
    assert practice_rounds.find_practice_set(game=player.game, number=1) is None


# Other pages


def test_survey_is_sent_once(visitor: Client, player: Player) -> None:
    answers = {**dict.fromkeys((*Survey.SKILLS, *Survey.OPINIONS), "4"), "liked": "The puzzles."}

    lacking = visitor.post("/survey/", {**answers, "clarity": ""})
    wrong = visitor.post("/survey/", {**answers, "clarity": "6"})
    before = Survey.objects.count()
    sent = visitor.post("/survey/", answers)
    again = visitor.post("/survey/", {**answers, "liked": "Nothing."})

    assert (lacking.status_code, wrong.status_code, before) == (422, 422, 0)
    assert (sent.status_code, Survey.objects.get().liked) == (302, "The puzzles.")
    assert "Thank you" in text_of(again)


def test_dashboard_offers_the_way_in_while_it_is_empty(visitor: Client, player: Player) -> None:
    assert "Nothing here yet" in text_of(visitor.get("/"))


def test_dashboard_tells_figures_and_progress(visitor: Client, player: Player) -> None:
    play(player, now=timezone.now())

    page = text_of(visitor.get("/"))

    assert "1 word invented." in page
    assert "0 of 20 final" in page
    assert "Today" in page
    # What the model said is known at once, and gives the first points.
    assert "Fooled the model by</dt><dd>100.0 %" in page
    assert "Points</dt><dd>50</dd>" in page
    assert "A word is final once three people have solved it" in page
    assert "the right pictures that you picked, as a share of all that are right or that you picked" in page
    assert "Days in a row</dt><dd>1</dd>" in page
    assert f'value="{join_url(player.game)}"' in page


@pytest.mark.parametrize("path", ["/leaders/creators/", "/leaders/solvers/", "/leaders/models/"])
def test_leaderboards_say_their_rule_while_they_are_empty(visitor: Client, player: Player, path: str) -> None:
    page = text_of(visitor.get(path))

    assert "Nobody yet" in page or "Nothing to compare yet" in page
    assert "wrong" in page or "mean of two scores" in page
    assert "Jaccard" not in page


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 40, "²"])
def test_page_number_of_a_leaderboard_may_be_rubbish(visitor: Client, player: Player, number: str) -> None:
    assert visitor.get("/leaders/creators/", {"page": number}).status_code == 200


def test_pages_are_never_framed_nor_kept_nor_do_they_run_foreign_code(
    visitor: Client, player: Player
) -> None:
    for path in ("/", "/play/", "/practice/", "/leaders/creators/", "/survey/"):
        response = visitor.get(path)

        policy = response["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert response["X-Frame-Options"] == "DENY"
        assert "no-store" in response["Cache-Control"]


def test_players_host_shows_nothing_of_the_other_sites(visitor: Client) -> None:
    paths = ("/admin/", "/api/", "/statement/x/", "/health/", "/work/A/")

    assert {visitor.get(path).status_code for path in paths} == {404}


def test_other_hosts_show_nothing_of_the_players(game: WebGame, settings: LazySettings) -> None:
    for url in (settings.PUBLIC_URL, settings.MARKETPLACE_URL):
        client = Client(SERVER_NAME=urlsplit(url).hostname or "")

        assert client.get("/play/").status_code == 404
        assert client.get(f"/register/{game.public_id}/").status_code == 404


def test_turn_cannot_be_entered_through_the_frame(player: Player, visitor: Client) -> None:
    """An address claiming to come from the marketplace is refused: this account has no signed tickets."""
    hit = visitor.get("/play/").context["hit"]
    claims = {"assignmentId": "A1", "workerId": "W1", "hitId": hit.external_id, "turkSubmitTo": "http://play"}

    answered = Client().get(f"/q/{hit.public_id}/", claims)

    assert answered.status_code >= 400
    assert Assignment.objects.count() == 1


def test_unknown_address_leads_back(visitor: Client, player: Player) -> None:
    answered = visitor.get("/nowhere/")

    assert answered.status_code == 404
    assert "no such page" in text_of(answered)


@pytest.mark.parametrize("path", ["/", "/leaders/creators/", "/practice/"])
def test_pages_cost_few_queries(
    visitor: Client, player: Player, path: str, django_assert_max_num_queries: Any
) -> None:
    play(player)
    visitor.get(path)

    with django_assert_max_num_queries(20):
        visitor.get(path)
