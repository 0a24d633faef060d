"""Staff open and close web games, write consent texts and export surveys, if member and permitted."""

import re
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
import segno
from django.conf import settings
from django.test import Client
from django.urls import reverse
from PIL import Image

from crowd.winogavil.play.models import ConsentText, DailyFeedback, WebGame
from crowd.winogavil.play.queries.addresses import join_url
from crowd.winogavil.play.services.surveys import answer_survey
from hits.identity.roles import OPERATOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER, ROLES
from hits.studies.models import Study
from tests.crowd.winogavil.play.table import make_game, make_player
from tests.crowd.winogavil.play.test_surveys import answers
from tests.factories import NOW, make_study, make_user
from tests.pages import text_of
from tests.people import client_of, make_permitted

pytestmark = pytest.mark.django_db
VERBS = ("make", "open", "close", "settings", "consent", "surveys", "feedback")
RUNS = "winogavil_play.view_webgame", "winogavil_play.run_webgame"


def page(study: Study, name: str = "game") -> str:
    return reverse(f"admin:play_{name}", args=[study.pk])


def post(client: Client, study: Study, verb: str, **fields: Any) -> Any:
    return client.post(page(study, verb), fields)


def test_game_is_made_given_a_text_and_opened_and_closed() -> None:
    study = make_study()
    client = client_of(make_permitted(*RUNS, studies=[study]))

    post(client, study, "make", title="Fool it")
    too_soon = client.post(page(study, "open"), follow=True)
    post(client, study, "consent", text="We keep words.")
    post(client, study, "open")
    game = WebGame.objects.get()
    was_open = game.is_open
    post(client, study, "close")

    game.refresh_from_db()
    assert "Write the consent text first" in text_of(too_soon)
    assert (game.title, was_open, game.is_open) == ("Fool it", True, False)


def test_page_of_a_game_leads_to_where_players_join() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, studies=[game.study]))

    text = text_of(client.get(page(game.study)))
    [address] = re.findall(r'id="address" [^>]* value="([^"]*)"', text)

    assert f"is open since {NOW:%-d %b %Y, %H:%M} UTC." in text
    site = urlsplit(address)
    assert address.startswith(settings.PLAY_URL)
    assert Client().get(site.path, headers={"host": site.netloc}).status_code == 200


def test_code_of_a_game_leads_to_where_players_join() -> None:
    game = make_game(picture_sets=0)
    text = text_of(client_of(make_permitted(*RUNS, studies=[game.study])).get(page(game.study)))
    [code, host] = re.findall(r"type the code <strong>(\w+)</strong> on <strong>([^<]+)</strong>", text)[0]

    led = [Client().get("/join/", {"code": typed}, headers={"host": host}) for typed in (code, code.lower())]

    assert {answer["Location"] for answer in led} == {f"/register/{game.public_id}/"}


def test_address_is_drawn_for_phones_and_for_posters() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, studies=[game.study]))
    wanted = segno.make_qr(join_url(game), error="q")

    text = text_of(client.get(page(game.study)))
    svg, png, odd = (
        client.get(reverse("admin:play_code", args=[game.study.pk, kind])) for kind in ("svg", "png", "txt")
    )

    assert wanted.svg_inline(omitsize=True, svgclass=None, lineclass=None, light="white") in text
    assert "style=" not in wanted.svg_inline(omitsize=True, light="white")
    assert svg["Content-Type"] == "image/svg+xml"
    # Read back from the file: squares of 20 pixels each, and four of white around them.
    picture, size = Image.open(BytesIO(png.content)).convert("1"), len(wanted.matrix)
    centers = [20 * place + 10 for place in range(4, size + 4)]
    read = [[picture.getpixel((x, y)) == 0 for x in centers] for y in centers]
    assert read == [[bool(bit) for bit in row] for row in wanted.matrix]
    assert odd.status_code == 404


def test_address_of_a_game_is_for_members_of_its_study_alone() -> None:
    game = make_game(picture_sets=0)
    stranger = client_of(make_permitted(*RUNS, studies=[make_study()]))

    assert stranger.get(reverse("admin:play_code", args=[game.study.pk, "png"])).status_code == 404


def test_page_of_a_game_says_when_solvers_see_what_was_right() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, "winogavil.view_game", studies=[game.study]))

    text = text_of(client.get(page(game.study)))

    assert "Solvers see what was right as soon as the work is submitted." in text
    assert reverse("admin:winogavil_of_study", args=[game.study.pk]) in text


def test_players_account_is_named_after_the_study() -> None:
    long = "Cues of winter and of all the other seasons of a year in the mountains"
    games = [make_game(study=make_study(name=name), picture_sets=0) for name in ("Cues", long, f"{long} 2")]

    names = [str(game.account) for game in games]

    assert names[0] == "Players of Cues"
    assert names[1].startswith("Players of Cues of winter and of all the other seasons")
    assert names[2].endswith(f"({games[2].study_id})")
    assert max(map(len, names)) <= 64


def test_settings_are_changed_within_their_bounds() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, studies=[game.study]))

    wrong = post(client, game.study, "settings", title="Fool it", solves_per_cue=9, fewest_final=5)
    right = post(client, game.study, "settings", title="Outwit it", solves_per_cue=2, fewest_final=5)

    game.refresh_from_db()
    assert (wrong.status_code, right.status_code) == (422, 302)
    assert (game.title, game.solves_per_cue, game.fewest_final) == ("Outwit it", 2, 5)


def test_another_text_is_another_version_and_no_text_is_none() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, studies=[game.study]))

    empty = post(client, game.study, "consent", text="  ")
    post(client, game.study, "consent", text="Something else.")

    assert empty.status_code == 422
    assert list(ConsentText.objects.order_by("pk").values_list("version", "text")) == [
        (1, "We keep words and picks."),
        (2, "Something else."),
    ]


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_want_their_permission_membership_and_a_post(verb: str) -> None:
    game = make_game(picture_sets=0)
    looker = client_of(make_permitted("winogavil_play.view_webgame", studies=[game.study]))
    permissions = [*RUNS, "winogavil_play.export_survey", "winogavil_play.switch_dailyfeedback"]
    stranger = client_of(make_permitted(*permissions))
    member = client_of(make_permitted(*permissions, studies=[game.study]))
    before = list(WebGame.objects.values())

    statuses = (
        post(looker, game.study, verb).status_code,
        post(stranger, game.study, verb).status_code,
        member.get(page(game.study, verb)).status_code,
    )

    assert statuses == (403, 404, 403)
    assert list(WebGame.objects.values()) == before
    assert DailyFeedback.objects.count() == 0


def test_studies_of_others_are_not_listed() -> None:
    game, other = make_game(picture_sets=0), make_game(picture_sets=0, title="Another")
    client = client_of(make_permitted(*RUNS, studies=[game.study]))

    listed = text_of(client.get(reverse("admin:winogavil_play_webgame_changelist")))

    assert page(game.study) in listed
    assert page(other.study) not in listed
    assert client.get(page(other.study)).status_code == 404


def test_list_finds_a_study_and_says_when_there_is_none() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, studies=[game.study]))
    address = reverse("admin:winogavil_play_webgame_changelist")

    assert page(game.study) in text_of(client.get(address, {"q": game.study.name}))
    assert "No study here" in text_of(client.get(address, {"q": "nowhere"}))


def test_page_of_a_game_tells_what_is_missing() -> None:
    game = make_game(picture_sets=0)
    client = client_of(make_permitted(*RUNS, studies=[game.study]))

    said = text_of(client.get(page(game.study)))

    assert "No picture set is left" in said
    assert "There are no practice sets" in said


def test_surveys_leave_as_a_safe_file_under_pseudonyms() -> None:
    game = make_game(picture_sets=0)
    player = make_player(game, name="Owl")
    answer_survey(player=player, answers=answers(liked="=1+1"), now=NOW)
    client = client_of(
        make_permitted("winogavil_play.view_webgame", "winogavil_play.export_survey", studies=[game.study])
    )

    answered: Any = post(client, game.study, "surveys")
    content = b"".join(answered.streaming_content).decode("utf-8-sig")

    assert answered["Content-Disposition"] == 'attachment; filename="surveys.csv"'
    assert player.worker.pseudonym in content
    assert "Owl" not in content
    # A spreadsheet must not run what a player wrote.
    assert ",=1+1" not in content


def test_players_are_listed_without_their_password_or_id() -> None:
    game = make_game(picture_sets=0)
    player = make_player(game, name="Owl")
    make_player(make_game(picture_sets=0), name="Hidden")
    client = client_of(make_permitted("winogavil_play.view_player", studies=[game.study]))

    listed = client.get(reverse("admin:winogavil_play_player_changelist")).content.decode()
    shown = client.get(reverse("admin:winogavil_play_player_change", args=[player.pk])).content.decode()

    assert "Owl" in listed
    assert "Hidden" not in listed
    for text in (listed, shown):
        assert player.password not in text
        assert player.worker.external_id not in text
    assert "version 1" in shown


def test_list_of_players_costs_the_same_however_many(django_assert_max_num_queries: Any) -> None:
    game = make_game(picture_sets=0)
    for _ in range(8):
        make_player(game)
    client = client_of(make_user(is_superuser=True))

    with django_assert_max_num_queries(9):
        client.get(reverse("admin:winogavil_play_player_changelist"))


def test_daily_feedback_is_switched_by_permission() -> None:
    study = make_study()
    staff = make_permitted(
        "winogavil_play.view_webgame", "winogavil_play.switch_dailyfeedback", studies=[study]
    )
    client = client_of(staff)

    wrong = post(client, study, "feedback", is_on="on", hour=24)
    post(client, study, "feedback", is_on="on", hour=9)
    setting = DailyFeedback.objects.get()
    post(client, study, "feedback", hour=9)

    assert wrong.status_code == 422
    assert (setting.is_on, setting.hour, setting.by) == (True, 9, staff)
    assert DailyFeedback.objects.get().is_on is False


@pytest.mark.parametrize(
    ("role", "may"),
    [(RESEARCHER, True), (OPERATOR, True), (REVIEWER, False), (PAYMENTS_PREPARER, False)],
)
def test_roles_say_who_runs_the_game(role: str, may: bool) -> None:
    assert ({"winogavil_play.run_webgame", "winogavil_play.export_survey"} <= {*ROLES[role]}) is may
