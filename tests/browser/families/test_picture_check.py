"""The pool of pictures in a real browser: checked with the keyboard alone, without scripts, and by eye."""

from io import BytesIO
from pathlib import Path

import pytest
from django.utils import timezone
from PIL import ImageFilter
from playwright.sync_api import Page, expect

from crowd.pictures.bringing.import_lines import ConceptFrom
from crowd.pictures.models import Import, Picture
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services.flagged_pictures import drop_flagged
from crowd.pictures.services.picture_imports import Rights, begin_import, prepare_import
from crowd.pictures.services.picture_reports import report_picture
from crowd.pictures.services.picture_requests import fulfil_requests
from crowd.pictures.services.preparation import prepare_pictures
from hits.identity.models.users import User
from tests.browser.conftest import OpenPage
from tests.browser.doors import let_in
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.pictures.images import archive, draw, encode, make_raster, make_waiting, png, svg
from tests.crowd.pictures.staff import KEEPER
from tests.people import make_permitted
from tests.qualifications.lists import make_list

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def enter_as_keeper(page: Page, *, sites: Sites) -> User:
    user = make_permitted(*KEEPER, "view_swowlist")
    let_in(page, user, sites=sites)
    return user


def pool(sites: Sites) -> str:
    return f"{sites.public}/admin/pictures"


def wait_for(page: Page, concept: str) -> None:
    expect(page.get_by_role("heading", name=concept)).to_be_visible()


def verdicts() -> list[tuple[str, str]]:
    return list(Picture.objects.order_by("pk").values_list("status", "unfit_reason"))


def test_check_with_the_keyboard_alone(page: Page, sites: Sites) -> None:
    make_waiting(4)
    enter_as_keeper(page, sites=sites)
    page.goto(f"{pool(sites)}/picture/check/")
    wait_for(page, "thing a")
    page.evaluate("window.isTheSamePage = true")

    page.keyboard.press("f")
    wait_for(page, "thing b")
    page.keyboard.press("2")  # the reasons are closed: nothing happens
    page.keyboard.press("u")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("u")
    page.keyboard.press("2")
    wait_for(page, "thing c")
    page.keyboard.press("s")
    wait_for(page, "thing d")
    page.keyboard.press("z")
    wait_for(page, "thing b")
    page.keyboard.press("u")
    page.keyboard.press("Enter")  # the first reason has the focus
    wait_for(page, "thing d")
    page.keyboard.press("f")
    wait_for(page, "thing c")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="All checked")).to_be_visible()

    assert verdicts() == [("fit", ""), ("unfit", "mismatch"), ("fit", ""), ("fit", "")]
    assert page.evaluate("window.isTheSamePage")


def test_keys_can_be_switched_off(page: Page, sites: Sites) -> None:
    make_waiting(1)
    enter_as_keeper(page, sites=sites)
    page.goto(f"{pool(sites)}/picture/check/")

    page.keyboard.press("?")
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("f")
    page.reload()
    page.keyboard.press("f")

    wait_for(page, "thing a")
    assert verdicts() == [("waiting", "")]


def test_check_without_scripts_by_two_who_never_meet(open_page: OpenPage, sites: Sites) -> None:
    make_waiting(4)
    ann, bob = (open_page(java_script_enabled=False) for _ in range(2))
    for page in (ann, bob):
        enter_as_keeper(page, sites=sites)
        page.goto(f"{pool(sites)}/picture/check/")
    wait_for(ann, "thing a")
    wait_for(bob, "thing b")

    ann.get_by_role("button", name="Fit F", exact=True).click()
    wait_for(ann, "thing c")
    bob.locator(".decide summary").click()
    bob.get_by_role("button", name="It is inappropriate").click()
    wait_for(bob, "thing d")
    ann.get_by_role("button", name="Undo").click()
    wait_for(ann, "thing a")

    assert verdicts() == [("waiting", ""), ("unfit", "inappropriate"), ("waiting", ""), ("waiting", "")]


def test_following_picture_is_there_before_it_is_wanted(page: Page, sites: Sites) -> None:
    _, second = make_waiting(2)
    enter_as_keeper(page, sites=sites)
    address = f"{pool(sites)}/picture/{second.pk}/file/"

    with page.expect_response(address):
        page.goto(f"{pool(sites)}/picture/check/")


def test_import_from_the_upload_to_the_check(page: Page, sites: Sites, tmp_path: Path) -> None:
    (tmp_path / "owls.zip").write_bytes(archive({"owl-1.png": png(seed=1), "bad.png": b"x" * 9}))
    enter_as_keeper(page, sites=sites)
    page.goto(f"{pool(sites)}/picture/")

    page.get_by_role("link", name="Import pictures").first.click()
    page.get_by_label("Files", exact=True).set_input_files(tmp_path / "owls.zip")
    page.get_by_label("License").fill("CC0")
    page.get_by_role("button", name="Look at it first").click()
    page.get_by_role("button", name="Import the pictures").click()
    page.get_by_text("the import is running").wait_for()
    fulfil_requests(now=timezone.now())
    page.get_by_text("This is no picture that can be read").wait_for()
    page.get_by_role("link", name="Check what waits").click()
    wait_for(page, "owl")

    assert list(Picture.objects.values_list("concept", "licence", "status")) == [("owl", "CC0", "waiting")]


def photograph(seed: int) -> bytes:
    """A random picture that looks a little like a photograph."""
    return encode(draw(seed=seed, size=(1200, 800)).filter(ImageFilter.GaussianBlur(60)), "JPEG")


def fill(by: User) -> tuple[Import, Import]:
    """Create a draft, and an import that has ended; pictures in every state, with flags."""
    now = timezone.now()
    files = {f"{name}.jpg": photograph(seed) for seed, name in enumerate(("owl", "volcano", "snow", "ship"))}
    files |= {"stop sign.svg": svg("<text x='1' y='12'>STOP</text>"), "broken.png": b"no"}
    rights = Rights(source="https://example.org/a-collection-of-pictures", licence="CC BY 4.0")
    draft, done = (
        prepare_import(
            name="pictures of the first round.zip",
            upload=BytesIO(archive(files)),
            concept_from=ConceptFrom.FILE,
            rights=rights,
            is_checked=False,
            by=by,
            now=now,
        )
        for _ in range(2)
    )
    begin_import(importing=done, now=now)
    fulfil_requests(now=now)
    prepare_pictures(now=now)
    Picture.objects.filter(concept__in=["snow", "ship"]).update(status="fit")
    note = make_raster(seed=8, concept="library")
    Picture.objects.filter(pk=note.pk).update(shows_words=True, shows_concept=True, ocr_text="BRARY OPEN")
    drop_flagged(now=now)
    report_picture(
        picture=Picture.objects.get(concept="ship"), reason="other", text="It is upside down.",
        by_worker="3f9a1c07", now=now,
    )  # fmt: skip
    return draft, done


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_the_pool_look_right(open_page: OpenPage, sites: Sites, size: str) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    user = enter_as_keeper(visitor.page, sites=sites)
    visitor.visit("pool-nothing-to-check", f"{pool(sites)}/picture/check/")
    draft, done = fill(user)
    sign = Picture.objects.get(concept="stop sign")
    Picture.objects.filter(pk=sign.pk).update(claimed_by=user, claimed_until=timezone.now())
    fit = Picture.objects.get(concept="snow")

    visitor.visit("pool-list", f"{pool(sites)}/picture/")
    visitor.visit("pool-picture", f"{pool(sites)}/picture/{fit.pk}/change/")
    library = Picture.objects.get(concept="library")
    visitor.visit("pool-picture-flagged", f"{pool(sites)}/picture/{library.pk}/change/")
    visitor.visit("pool-allow", f"{pool(sites)}/picture/do/allow/?pictures={library.pk}")
    visitor.visit("pool-remove", f"{pool(sites)}/picture/do/remove/?pictures={fit.pk},{sign.pk}")
    visitor.visit("pool-check", f"{pool(sites)}/picture/check/")
    Picture.objects.filter(status="waiting").exclude(pk=sign.pk).update(status="fit")
    visitor.visit("pool-check-flags", f"{pool(sites)}/picture/check/")
    visitor.visit("pool-reports", f"{pool(sites)}/report/")
    visitor.visit("pool-report", f"{pool(sites)}/report/{Report.objects.get().pk}/change/")
    visitor.visit("pool-imports", f"{pool(sites)}/import/")
    visitor.visit("pool-wanted-nothing", f"{pool(sites)}/picture/wanted/")
    cues = ("owl", "snow", "ship", "lighthouse", "school bus", "thunderstorm")
    swow = make_list([(cue, "thing", 3 + number, 0) for number, cue in enumerate(cues)], name="swow-en")
    visitor.visit("pool-wanted", f"{pool(sites)}/picture/wanted/")
    visitor.visit("pool-import-form", f"{pool(sites)}/import/add/?swow={swow.pk}")
    visitor.visit("pool-import-draft", f"{pool(sites)}/import/{draft.pk}/change/")
    visitor.visit("pool-import-done", f"{pool(sites)}/import/{done.pk}/change/")

    assert visitor.problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_opened_reasons_look_right(open_page: OpenPage, sites: Sites, size: str) -> None:
    make_waiting(1)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    enter_as_keeper(visitor.page, sites=sites)
    visitor.page.goto(f"{pool(sites)}/picture/check/")

    visitor.page.keyboard.press("u")
    visitor._keep_picture(f"pool-check-reasons-{size}")

    assert visitor._look() == []
