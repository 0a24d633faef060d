"""The page that makes the SWOW baseline in a real browser: empty, previewed, and added."""

import pytest

from crowd.winogavil.domain import SOLVE
from crowd.winogavil.models import Association, Game
from hits.identity.roles import RESEARCHER
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import make_batch, make_picture, make_study
from tests.qualifications.files import said, word
from tests.qualifications.lists import make_list

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
CONCEPTS = [word(number) for number in range(0, 340, 17)]
CUES = [word(number) for number in range(5_000, 5_104, 13)]


@pytest.mark.parametrize("size", SIZES)
def test_the_baseline_is_made_and_looks_right(open_page: OpenPage, sites: Sites, size: str) -> None:
    researcher, study = make_staff(RESEARCHER), make_study(name="Pictures and words")
    study.members.add(researcher.user)
    game = Game.objects.create(study=study)
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page, admin = visitor.page, f"{sites.public}/admin"
    make = f"{admin}/winogavil/association/make-baseline/?study={study.pk}"
    log_in(page, researcher, sites=sites)
    visitor.visit("baseline-lacking", make)
    for concept in CONCEPTS:
        make_picture(concept=concept)
    cues = [
        row
        for number, cue in enumerate(CUES)
        for row in said(cue, ("other", 90), *((one, 9) for one in CONCEPTS[number : number + 3]))
    ]
    make_list([*cues, *(row for concept in CONCEPTS for row in said(concept, ("other", 1)))], name="swow-en")
    make_batch(study=study, task=SOLVE, title="SWOW baseline")
    make_final(study, source="swow")
    make_final(study)

    visitor.visit("baseline-form", make)
    page.get_by_label("Association list").select_option(label="swow-en")
    page.get_by_label("Number of instances").fill("8")
    page.get_by_role("button", name="Preview some of them").click()
    page.get_by_role("heading", name="The first 6 of 8").wait_for()
    visitor.visit("baseline-preview", page.url.partition("#")[0])
    page.get_by_role("button", name="Add 8 instances").click()
    page.get_by_text("8 instances were added").wait_for()
    visitor.visit("baseline-game", f"{admin}/winogavil/game/{game.pk}/change/")
    visitor.visit("baseline-settings", f"{admin}/winogavil/game/{game.pk}/settings/")
    visitor.visit("baseline-associations", f"{admin}/winogavil/association/")
    visitor.visit("baseline-statistics", f"{admin}/winogavil_releases/statistics/{study.pk}/")
    visitor.visit("baseline-release", f"{admin}/releases/release/make/{study.pk}/winogavil/")

    assert Association.objects.filter(source="swow").count() == 9
    assert visitor.problems == {}
