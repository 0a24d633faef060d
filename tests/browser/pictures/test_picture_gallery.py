"""The gallery of pictures in a real browser: choosing with the mouse, with the keyboard, without scripts."""

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page

from crowd.pictures.models import Picture
from crowd.pictures.services import bulk_check
from hits.identity.models.users import User
from tests.browser.conftest import OpenPage
from tests.browser.doors import let_in
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.pictures.images import make_raster
from tests.crowd.pictures.staff import KEEPER
from tests.people import make_permitted

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
THINGS = ("owl", "snowy owl", "bread", "ice cream van", "key", "violin", "moth", "parasol")
COUNT = 66


@pytest.fixture(autouse=True)
def _no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_check, "installed_reader", lambda: None)


@pytest.fixture
def keeper(sites: Sites) -> User:
    for seed in range(COUNT):
        make_raster(seed=seed, concept=THINGS[seed % len(THINGS)], is_checked=False, licence="CC BY 4.0")
    return make_permitted(*KEEPER)


def open_gallery(page: Page, keeper: User, sites: Sites, query: str = "?status__exact=waiting") -> Locator:
    let_in(page, keeper, sites=sites)
    page.goto(f"{sites.public}{reverse('admin:pictures_gallery')}{query}")
    return page.locator(".gallery label")


def fit() -> int:
    return Picture.objects.filter(status="fit").count()


def wait_for_chosen(page: Page, words: str) -> None:
    page.get_by_role("status").get_by_text(words, exact=True).wait_for()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).click()


def test_a_range_is_chosen_marked_and_undone_with_the_mouse(page: Page, sites: Sites, keeper: User) -> None:
    tiles = open_gallery(page, keeper, sites)
    tiles.nth(2).click()
    tiles.nth(7).click(modifiers=["Shift"])
    wait_for_chosen(page, "6 pictures chosen")
    tiles.nth(4).click()
    wait_for_chosen(page, "5 pictures chosen")

    press(page, "Mark as fit…")
    page.get_by_text("5 pictures become fit.").wait_for()
    assert fit() == 0
    press(page, "Mark as fit: 5 pictures")
    page.get_by_text("5 pictures marked as fit.").wait_for()
    assert fit() == 5
    press(page, "Undo: 5 pictures marked as fit")
    page.get_by_text("Undone: 5 pictures wait for the check again.").wait_for()
    assert fit() == 0


def test_every_picture_is_marked_in_four_clicks(page: Page, sites: Sites, keeper: User) -> None:
    open_gallery(page, keeper, sites)

    press(page, "Choose all 60 on this page")
    wait_for_chosen(page, "60 pictures chosen")
    page.get_by_label(f"All {COUNT} that match").check()
    wait_for_chosen(page, f"{COUNT} pictures chosen")
    press(page, "Mark as fit…")
    press(page, f"Mark as fit: {COUNT} pictures")

    page.get_by_text("No picture matches.").wait_for()
    assert fit() == COUNT


def test_keys_go_from_picture_to_picture_and_choose(page: Page, sites: Sites, keeper: User) -> None:
    tiles = open_gallery(page, keeper, sites)
    row = page.evaluate(
        "() => { const tops = [...document.querySelectorAll('.gallery li')].map((li) => li.offsetTop);"
        " return tops.filter((top) => top === tops[0]).length; }"
    )
    boxes = page.locator("[name=picture]")

    boxes.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    wait_for_chosen(page, "3 pictures chosen")
    chosen = [at for at in range(tiles.count()) if boxes.nth(at).is_checked()]
    assert chosen == [0, row + 1, row + 2]

    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    wait_for_chosen(page, "2 pictures chosen")


def test_gallery_works_without_scripts(open_page: OpenPage, sites: Sites, keeper: User) -> None:
    page = open_page(java_script_enabled=False)
    open_gallery(page, keeper, sites)
    page.locator("[name=picture]").nth(1).check()
    page.locator("[name=picture]").nth(3).check()

    press(page, "Mark as unfit…")
    page.get_by_label("Reason").select_option("quality")
    press(page, "Mark as unfit: 2 pictures")

    page.get_by_text("2 pictures marked as unfit.").wait_for()
    assert (
        list(Picture.objects.filter(status="unfit").values_list("unfit_reason", flat=True)) == ["quality"] * 2
    )


@pytest.mark.parametrize("size", SIZES)
def test_gallery_and_its_question_look_right(
    open_page: OpenPage, sites: Sites, keeper: User, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    let_in(visitor.page, keeper, sites=sites)
    gallery = f"{sites.public}{reverse('admin:pictures_gallery')}"
    first = Picture.objects.order_by("pk")[:3]
    asked = f"{sites.public}{reverse('admin:pictures_picture_do', args=['unfit'])}"
    Picture.objects.filter(pk__gt=first[2].pk, pk__lt=first[2].pk + 9).update(
        shows_words=True, ocr_text="open daily", status="fit"
    )

    visitor.visit("gallery", gallery)
    visitor.visit("gallery-page", f"{gallery}?status__exact=waiting&p=1")
    visitor.visit("gallery-nothing", f"{gallery}?q=nothing")
    visitor.visit("gallery-unfit", f"{asked}?pictures={','.join(str(one.pk) for one in first)}")

    assert "\n".join(f"{k}: {v}" for k, vs in visitor.problems.items() for v in vs) == ""
