"""Players in a real browser: from the first page to their figures, and every page looked at."""

import re
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.pictures.models import Picture
from crowd.winogavil.models import Association
from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Player, PracticeAsk, Standing, Turn, WebGame
from crowd.winogavil.play.services import accounts, player_figures, practice_rounds, sharing, web_games
from crowd.winogavil.play.site.session import COOKIE
from hits.work.models.assignments import Assignment
from scoring.models import RivalQuery
from scoring.services.rival_answers import answer_waiting
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import pick
from tests.conftest import Sites
from tests.crowd.winogavil.play.table import (
    PASSWORD,
    add_picture_sets,
    make_game,
    make_player,
    play,
    work_through,
)
from tests.factories import make_study, make_user
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
# Keeps every number that the score shows on its way.
WATCH = """
window.seen = [];
new MutationObserver(() => {
  const shown = document.querySelector("[data-score]")?.textContent;
  if (shown && shown !== window.seen.at(-1)) window.seen.push(shown);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""
CONSENT = """We, the research group, study how people connect words with pictures.

What you do here is kept: the words you invent, the pictures you pick, and when. Other players see your \
name, your words and your scores. We ask for no address and nothing else about you.

You can stop at any time, and delete your account: your name goes for good, and what you played stays under \
a number that leads to nobody."""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def site(sites: Sites, settings: LazySettings) -> str:
    """The players' address on this server."""
    settings.PLAY_URL = f"http://play.localhost:{urlsplit(sites.public).port}"
    return str(settings.PLAY_URL)


@pytest.fixture
def game(site: str, fake: type[FakeRival]) -> WebGame:
    """A game with a spare study's pictures, so that there is something to practice with."""
    add_picture_sets(make_study(), 2)
    game = make_game(picture_sets=5, title="Outwit the model")
    web_games.write_consent(game=game, text=CONSENT, by=make_user(), now=timezone.now())
    game.refresh_from_db()
    return game


def sign_in(page: Page, player: Player, site: str) -> None:
    token = accounts.sign_in(player=player, now=timezone.now())
    page.context.add_cookies([{"name": COOKIE, "value": token, "url": site}])


def others_play(game: WebGame, *, names: list[str], rounds: int) -> list[Player]:
    players = [make_player(game, name=name) for name in names]
    for _ in range(rounds):
        for number, player in enumerate(players):
            play(player, right=number != 1, now=timezone.now())
            work_through(now=timezone.now())
    player_figures.count_turns(now=timezone.now())
    return players


def invent(page: Page, cue: str, *places: int) -> None:
    for place in places:
        pick(page.get_by_role("checkbox", name=re.compile(f"Picture {place}")))
    page.get_by_label("Your word").fill(cue)
    with page.expect_response(re.compile("/ask/$")):
        page.get_by_role("button", name="Test the model").click()


def test_player_joins_invents_a_word_solves_one_and_sees_figures(
    page: Page, site: str, game: WebGame
) -> None:
    others_play(game, names=["Night Owl"], rounds=1)
    page.goto(site)
    page.get_by_role("link", name="Join").click()
    page.get_by_label("Name").fill("Red Fox")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("I have read this, and I agree").check()
    page.get_by_role("button", name="Join and play").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hello, Red Fox")

    page.get_by_role("link", name="Play", exact=True).first.click()
    invent(page, "winter", 1, 3)
    answer_waiting()
    expect(page.get_by_role("status").first).to_contain_text("You fooled the model by")
    page.get_by_role("button", name="Submit and continue").click()
    expect(page.get_by_text("Your word is submitted.")).to_be_visible()

    for picture in (1, 2):
        pick(page.get_by_role("checkbox", name=re.compile(f"Picture {picture}")))
    page.get_by_role("button", name="Submit and continue").click()
    expect(page.get_by_text("Points")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_label("Your word")).to_be_visible()
    page.get_by_role("link", name="Red Fox").click()

    expect(page.get_by_role("link", name="winter").first).to_be_visible()
    assert list(Turn.objects.order_by("pk").values_list("role", "status")) == [
        ("create", "done"),
        ("create", "done"),
        ("solve", "done"),
        ("create", "open"),
    ]


def test_box_that_was_ticked_and_unticked_lets_nobody_in(page: Page, site: str, game: WebGame) -> None:
    page.goto(f"{site}/register/{game.public_id}/")
    page.get_by_label("Name").fill("Red Fox")
    page.get_by_label("Password").fill(PASSWORD)
    box = page.get_by_label("I have read this, and I agree")
    box.check()
    box.uncheck()
    # Switch off the browser's own check of the box.
    page.evaluate("document.querySelector('main form').noValidate = true")

    page.get_by_role("button", name="Join and play").click()

    expect(page.get_by_text("Without your agreement you cannot take part.")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Red Fox")
    assert Player.objects.count() == 0


def test_turn_survives_reload_back_and_a_second_tab(open_page: OpenPage, site: str, game: WebGame) -> None:
    player = make_player(game)
    first = open_page()
    sign_in(first, player, site)
    first.goto(f"{site}/play/")
    pick(first.get_by_role("checkbox", name=re.compile("Picture 2")))
    first.get_by_label("Your word").fill("wint")
    first.reload()
    expect(first.get_by_label("Your word")).to_have_value("wint")
    invent(first, "winter", 2, 4)
    answer_waiting()
    expect(first.get_by_role("status").first).to_contain_text("You fooled the model by")

    second = first.context.new_page()
    second.goto(f"{site}/play/")
    expect(second.get_by_label("Your word")).to_have_value("winter")
    expect(second.get_by_role("status").first).to_contain_text("You fooled the model by")
    second.get_by_role("button", name="Submit and continue").click()
    expect(second.get_by_text("Your word is submitted.")).to_be_visible()
    first.get_by_role("button", name="Submit and continue").click()
    expect(first.get_by_text("submitted before")).to_be_visible()

    assert RivalQuery.objects.count() == 1
    assert Assignment.objects.filter(status=Assignment.Status.APPROVED).count() == 1


def test_turn_is_played_with_the_keyboard_alone(page: Page, site: str, game: WebGame) -> None:
    player = make_player(game)
    sign_in(page, player, site)
    page.goto(f"{site}/play/")

    page.get_by_role("checkbox", name=re.compile("Picture 1")).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.get_by_label("Your word").focus()
    page.keyboard.type("winter")
    with page.expect_response(re.compile("/ask/$")):
        page.keyboard.press("Enter")
    answer_waiting()
    expect(page.get_by_role("status").first).to_contain_text("You fooled the model by")
    page.get_by_role("button", name="Submit and continue").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Your word is submitted.")).to_be_visible()


def test_visitor_tries_a_round_with_the_keyboard_alone(page: Page, site: str, game: WebGame) -> None:
    page.goto(site)
    for picture in (1, 3):
        page.get_by_role("checkbox", name=re.compile(f"Picture {picture}")).focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="See what was right").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Exactly right!")).to_be_visible()
    page.get_by_role("link", name="Join Outwit the model").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name")).to_be_visible()
    assert (Player.objects.count(), PracticeAsk.objects.count(), RivalQuery.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("path", ["", "try/?practice=dog&practice=key", "sign-in/"])
def test_what_a_thumb_presses_is_large_enough(
    open_page: OpenPage, site: str, game: WebGame, path: str
) -> None:
    page = open_page(viewport=SIZES["phone"])
    page.goto(f"{site}/{path}")

    sizes = page.eval_on_selector_all(
        "main :is(.button, button, input:not([type=hidden]), label.picture)",
        "found => found.map(one => one.getBoundingClientRect()).map(box => Math.min(box.width, box.height))",
    )

    assert len(sizes) > 1
    assert min(sizes) >= 44
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES["phone"]["width"]


def test_own_page_has_large_targets_and_a_link_to_copy(open_page: OpenPage, site: str, game: WebGame) -> None:
    page = open_page(viewport=SIZES["phone"], permissions=["clipboard-read", "clipboard-write"])
    player = make_player(game)
    sign_in(page, player, site)
    turn = play(player, now=timezone.now())
    assert turn
    page.goto(f"{site}/turns/{turn.assignment.public_id}/")
    page.get_by_role("button", name="Make a link").click()
    page.get_by_role("button", name="Copy").click()

    expect(page.get_by_text("Copied.")).to_be_visible()
    turn.refresh_from_db()
    assert page.evaluate("navigator.clipboard.readText()") == f"{site}/shared/{turn.shared_as}/"
    heights = page.eval_on_selector_all(
        "header.bar :is(nav a, button)", "found => found.map(one => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44


def test_reported_picture_is_gone_with_the_next_page(page: Page, site: str, game: WebGame) -> None:
    player = make_player(game)
    sign_in(page, player, site)
    page.goto(f"{site}/play/")
    first = Turn.objects.get()

    page.get_by_text("Report a problem with this task").click()
    page.get_by_label("What is wrong?").select_option("missing")
    page.get_by_role("button", name="Report the problem", exact=True).click()
    expect(page.get_by_text("hidden from everybody else")).to_be_visible()
    page.goto(f"{site}/play/")

    first.refresh_from_db()
    assert first.status == Turn.Status.LEFT
    assert Turn.objects.filter(status=Turn.Status.OPEN).exclude(pk=first.pk).count() == 1


def test_practice_asks_the_rival_and_leaves_nothing(page: Page, site: str, game: WebGame) -> None:
    player = make_player(game)
    sign_in(page, player, site)
    page.goto(f"{site}/practice/")

    invent(page, "winter", 1, 3)
    practice_rounds.answer_practice(now=timezone.now())

    expect(page.get_by_role("status").first).to_contain_text("You fooled the model by")
    page.get_by_role("link", name="Other pictures").click()
    expect(page).to_have_url(f"{site}/practice/2/")
    expect(page.get_by_label("Your word")).to_have_value("")
    assert (PracticeAsk.objects.count(), RivalQuery.objects.count()) == (1, 0)


def test_survey_is_filled_in_and_thanked_for(page: Page, site: str, game: WebGame) -> None:
    sign_in(page, make_player(game), site)
    page.goto(f"{site}/survey/")

    for scale in page.locator("fieldset.rating").all():
        scale.get_by_label("4").check()
    page.get_by_label("What did you like, and what not?").fill("The puzzles.")
    page.get_by_role("button", name="Send the answers").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you")


MOTIONS = {"moves": "no-preference", "stands still": "reduce"}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("motion", MOTIONS)
def test_score_is_counted_up_and_said_at_once(
    open_page: OpenPage, site: str, game: WebGame, size: str, motion: str
) -> None:
    others_play(game, names=["Night Owl"], rounds=1)
    player = make_player(game)
    page = open_page(viewport=SIZES[size], reduced_motion=MOTIONS[motion])
    visitor = Visitor(page, size=f"play-{size}")
    page.add_init_script(WATCH)
    sign_in(page, player, site)
    page.goto(f"{site}/play/")
    invent(page, "winter", 1, 3)
    answer_waiting()
    expect(page.get_by_role("status").first).to_contain_text("You fooled the model by")
    asked = RivalQuery.objects.get(assignment__worker=player.worker)
    assert asked.verdict
    expect(page.get_by_role("status").first).to_contain_text(f"by {asked.verdict.fool_score} %.")
    expect(page.locator("[data-score]")).to_have_text(f"{asked.verdict.fool_score} %")
    seen = page.evaluate("window.seen")
    for whose, places in (("yours", asked.chosen), ("theirs", asked.verdict.places)):
        names = [f"Picture {place + 1}" for place in places]
        shown = page.locator(f"[data-{whose}] img").all()
        assert [image.get_attribute("alt") for image in shown] == names
    visitor.visit("verdict", f"{site}/play/")
    page.get_by_role("button", name="Submit and continue").click()
    for picture in (1, 2):
        pick(page.get_by_role("checkbox", name=re.compile(f"Picture {picture}")))
    page.get_by_role("button", name="Submit and continue").click()

    # For screen readers the final number is there from the first moment on.
    score = Turn.objects.get(player=player, role=Turn.Role.SOLVE).score
    expect(page.locator(".scored .hidden")).to_have_text(f"{score} %")
    expect(page.locator("[data-count-up]")).to_have_text(f"{score} %")
    assert (len(seen) > 1) == (motion == "moves" and asked.verdict.fool_score > 0)
    assert visitor.problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_every_page_looks_right(open_page: OpenPage, site: str, game: WebGame, size: str) -> None:
    names = ["Night Owl", "Red Fox", "Grey Heron", "Small Wolf"]
    owl, *_ = others_play(game, names=names, rounds=5)
    player_figures.count_models(now=timezone.now())
    page = open_page(viewport=SIZES[size])
    visitor = Visitor(page, size=f"play-{size}")

    visitor.visit("welcome", site)
    visitor.visit("tried", f"{site}/try/?practice=dog&practice=key")
    visitor.visit("wrong-code", f"{site}/join/?code=ABC", status=404)
    visitor.visit("register", f"{site}/register/{game.public_id}/")
    visitor.visit("sign-in", f"{site}/sign-in/")
    newcomer = make_player(game, name="Newcomer")
    sign_in(page, newcomer, site)
    visitor.visit("empty", site)
    visitor.visit("no-leaders", f"{site}/leaders/solvers/")
    _make_leaders(game)
    visitor.visit("create", f"{site}/play/")
    visitor.visit("practice", f"{site}/practice/")
    play(newcomer, now=timezone.now())
    visitor.visit("solve", f"{site}/play/?said=cue")
    sign_in(page, owl, site)
    visitor.visit("dashboard", site)
    for name in ("creators", "solvers", "models"):
        visitor.visit(name, f"{site}/leaders/{name}/")
    rows = [("People", 91.5, True), ("the model of a lab", 48.25, False)]
    uploads = [{"name": name, "mean": mean, "is_people": people} for name, mean, people in rows]
    WebGame.objects.update(shows_uploads=True, uploads_leaderboard={"data": "Words 1.0", "rows": uploads})
    visitor.visit("models-uploaded", f"{site}/leaders/models/")
    expect(page.get_by_text("the model of a lab")).to_be_visible()
    mine = Turn.objects.filter(player=owl, status=Turn.Status.DONE).order_by("pk")
    for role in Turn.Role.values:
        turn = mine.filter(role=role)[0]
        visitor.visit(f"result-{role}", f"{site}/turns/{turn.assignment.public_id}/")
    Picture.objects.update(licence="CC BY 4.0", credit="A. Drawer")
    for name, role in (("shared", Turn.Role.CREATE), ("shared-solve", Turn.Role.SOLVE)):
        turn = mine.filter(role=role)[0]
        sharing.share_turn(turn=turn)
        turn.refresh_from_db()
        visitor.visit(name, f"{site}/shared/{turn.shared_as}/")
    visitor.visit("result-shared", f"{site}/turns/{turn.assignment.public_id}/")
    visitor.visit("survey", f"{site}/survey/")
    visitor.visit("leave", f"{site}/leave/")
    visitor.visit("nowhere", f"{site}/nowhere/", status=404)
    web_games.write_consent(game=game, text=f"{CONSENT}\n\nAnd now more.", by=make_user(), now=timezone.now())
    visitor.visit("consent", f"{site}/consent/")

    assert visitor.problems == {}
    assert Association.objects.filter(final_at__isnull=False).exists()


def _make_leaders(game: WebGame) -> None:
    """Create enough leaders for a second page; players who have played get their places too."""
    for number in range(52):
        standing = make_player(game, name=f"Player {number + 1}").standing
        standing.worth = domain.TurnWorth(
            final_cues=20 + number,
            fool_sum=(20 + number) * (95 - number),
            solvable_parts=(20 + number) * domain.PARTS * 9 // 10,
            final_solves=30,
            jaccard_parts=30 * domain.PARTS * (90 - number) // 100,
        )
        standing.save()
    own = Standing.objects.get(player__name="Night Owl")
    own.worth = domain.TurnWorth(
        final_cues=24, fool_sum=24 * 90, solvable_parts=24 * domain.PARTS * 9 // 10,
        final_solves=41, jaccard_parts=41 * domain.PARTS * 88 // 100,
    )  # fmt: skip
    own.save()


@pytest.mark.parametrize("size", SIZES)
def test_staff_pages_look_right(open_page: OpenPage, sites: Sites, game: WebGame, size: str) -> None:
    others_play(game, names=["Night Owl", "Red Fox"], rounds=1)
    boss = make_user(is_superuser=True, username="boss")
    boss.set_password(PASSWORD)
    boss.save()
    page = open_page(viewport=SIZES[size])
    page.goto(f"{sites.public}/admin/")
    page.get_by_label("Username").fill("boss")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    visitor = Visitor(page, size=f"play-{size}")
    bare = make_study()

    visitor.visit("admin-games", f"{sites.public}/admin/winogavil_play/webgame/")
    visitor.visit("admin-game", f"{sites.public}/admin/winogavil_play/webgame/{game.study_id}/")
    visitor.visit("admin-no-game", f"{sites.public}/admin/winogavil_play/webgame/{bare.pk}/")
    visitor.visit("admin-players", f"{sites.public}/admin/winogavil_play/player/")

    assert visitor.problems == {}
