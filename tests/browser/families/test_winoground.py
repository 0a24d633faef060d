"""Caption matching in a real browser: from an author's form to people's scores, by different workers."""

from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.pictures.models import Original, Picture
from crowd.winoground import domain
from crowd.winoground.models import Example, FirstQuestion, Pairing, Project, SecondChance, Tag
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.families.test_annotation import be_quiet, preview_of
from tests.browser.looking import Visitor
from tests.browser.sitting import Room, fault, submit
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.winoground.making_asked import ask, make_first_questions, make_project, make_ready
from tests.factories import make_batch, make_hit, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
CAPTIONS = ("a red ball under a blue box", "a blue box under a red ball")
FOLDER = "winoground"


@pytest.fixture
def room(open_page: OpenPage, sites: Sites) -> Room:
    return Room(open_page, make_study(), sites=sites)


def at_the_desk(room: Room, project: Project) -> Page:
    page = room.open_page()
    be_quiet(page)
    enter(page, room.sites)
    page.goto(f"{room.sites.public}{reverse('admin:winoground_project_change', args=[project.pk])}")
    return page


def write_example(page: Page, folder: Path) -> None:
    """Write an example, first with a wrong word, which the page reports while it is typed, then correctly."""
    page.get_by_role("link", name="Write an example").first.click()
    page.get_by_label("Caption A").fill(CAPTIONS[0])
    page.get_by_label("Caption B").fill(CAPTIONS[1].replace("ball", "balls"))
    expect(page.locator("[data-words]")).to_contain_text("Only in B: balls")
    for number, letter in enumerate("AB"):
        file = folder / f"{letter}.png"
        file.write_bytes(png(seed=number + 70))
        page.get_by_label(f"Picture {letter}", exact=True).set_input_files(file)
        page.get_by_label(f"Source of picture {letter}").fill("own drawing")
        page.get_by_label(f"Credit of picture {letter}").fill("The lab")
        page.get_by_label(f"Licence of picture {letter}").fill("CC BY 4.0")
    page.get_by_label("Object", exact=True).check()
    page.get_by_label("One main predicate").check()
    page.get_by_label("Noun Phrase", exact=True).check()
    page.get_by_role("button", name="Save and mark as ready").click()
    expect(page.get_by_role("alert")).to_contain_text("only in B: balls")
    assert Example.objects.get().state == Example.State.DRAFT

    page.get_by_label("Caption B").fill(CAPTIONS[1])
    expect(page.locator("[data-words]")).to_contain_text("Same words, another order")
    page.get_by_role("button", name="Save and mark as ready").click()
    page.wait_for_url(lambda url: "write" not in url)
    assert Example.objects.get().state == Example.State.READY


def pair_before(page: Page) -> Pairing:
    """The pairing that the page asks about, found by the picture and caption that its worker sees."""
    caption = page.locator("form .caption").inner_text().strip("“”")
    address = page.locator("form figure img").get_attribute("src") or ""
    example = Example.objects.select_related("image_0", "image_1").get()
    image = next(place for place in (0, 1) if example_picture(example, place).key in address)
    return Pairing.objects.get(
        example=example, caption=(example.caption_0, example.caption_1).index(caption), image=image
    )


def example_picture(example: Example, place: int) -> Picture:
    picture = (example.image_0, example.image_1)[place]
    assert picture is not None
    return picture


def test_an_example_walks_from_its_author_to_peoples_scores(room: Room, tmp_path: Path) -> None:
    Tag.objects.get_or_create(name="Noun Phrase")
    project = make_project(room.study, answers_wanted=1)
    page = at_the_desk(room, project)
    write_example(page, tmp_path)
    page.goto(f"{room.sites.public}{reverse('admin:winoground_project_change', args=[project.pk])}")
    page.get_by_role("link", name="Ask about examples").first.click()
    page.get_by_role("button", name="Ask about the ticked examples").click()
    page.wait_for_url(lambda url: "ask" not in url.rsplit("/", 2)[-2])

    seen = []
    for number in range(4):
        worker = room.sit_down(domain.VALIDATE)
        pairing = pair_before(worker)
        if not number:
            submit(worker).click()
            expect(fault(worker, "match")).to_contain_text("Choose one")
        worker.get_by_label("Yes" if pairing.is_match else "No", exact=True).check()
        room.hand_in(worker)
        seen.append((pairing.caption, pairing.image))
    judge_submitted(now=timezone.now())

    assert sorted(seen) == list(domain.PLACES)
    assert len(set(Lease.objects.values_list("worker", flat=True))) == 4
    assert sorted(Score.objects.values_list("numerator", flat=True)) == [0, 0, 1, 1]
    assert Original.objects.count() == 2
    page.goto(f"{room.sites.public}{reverse('admin:winoground_project_change', args=[project.pk])}")
    page.get_by_role("link", name="See the results").first.click()
    people = page.get_by_role("row").filter(has_text="People").first
    expect(people).to_contain_text("100")


def answer_first_questions(page: Page, *, wrong: int) -> None:
    questions = page.locator("form fieldset[data-question]")
    for number in range(questions.count()):
        if number:
            page.get_by_role("button", name="Next").click()
        part = questions.nth(number)
        caption = part.locator(".caption").inner_text().strip("“”")
        is_match = FirstQuestion.objects.get(caption=caption).is_match
        is_yes = is_match == (number >= wrong)
        part.get_by_label("Yes" if is_yes else "No", exact=True).check()


def test_the_first_mistake_is_warned_of_and_the_second_is_final(room: Room) -> None:
    project = make_project(room.study)
    make_first_questions(project)
    page = room.sit_down(domain.ONBOARDING, items=10)
    assert "is_match" not in page.content()
    answer_first_questions(page, wrong=1)
    submit(page).click()
    expect(page.get_by_role("alert")).to_contain_text("Are you sure?")
    expect(page.locator("form fieldset[data-question] input[type=radio]")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("Are you sure?")
    part = page.locator("form fieldset.is-warned")
    caption = part.locator(".caption").inner_text().strip("“”")
    right = FirstQuestion.objects.get(caption=caption).is_match
    part.get_by_label("Yes" if right else "No", exact=True).check()
    mended = room.hand_in(page)

    page = room.sit_down(domain.ONBOARDING, items=10)
    answer_first_questions(page, wrong=2)
    failed = room.hand_in(page)
    judge_submitted(now=timezone.now())

    def rights(work: Assignment) -> int:
        return sum(Score.objects.filter(assignment=work).values_list("numerator", flat=True))

    assert (rights(mended), rights(failed)) == (10, 8)
    assert list(SecondChance.objects.values_list("assignment", flat=True)) == [mended.pk]


def test_workers_pages_look_right(visitor: Visitor, room: Room) -> None:
    project = make_project(room.study)
    ask(project, count=3)
    make_first_questions(project)
    be_quiet(visitor.page)
    for task, items in ((domain.VALIDATE, 3), (domain.ONBOARDING, 10)):
        batch = make_batch(
            study=room.study,
            account=room.account,
            task=task,
            status="open",
            items_per_assignment=items,
            duration_s=3600,
        )
        address = room.address_in(make_hit(batch=batch, sent_at=timezone.now()))
        name = task.replace(".", "-")
        visitor.visit(f"{name}-preview", preview_of(address))
        visitor.visit(name, address)

    assert visitor.problems == {}


def test_researchers_pages_look_right(visitor: Visitor, room: Room) -> None:
    project = make_project(room.study)
    ask(project, count=2)
    [ready] = make_ready(project)
    make_first_questions(project, count=3)
    enter(visitor.page, room.sites)
    pages = {
        "pages": reverse("admin:winoground_project_change", args=[project.pk]),
        "settings": reverse("admin:winoground_settings", args=[project.pk]),
        "write": reverse("admin:winoground_write_example", args=[project.pk]),
        "ask": reverse("admin:winoground_ask", args=[project.pk]),
        "first-questions": reverse("admin:winoground_first_questions", args=[project.pk]),
        "tags": reverse("admin:winoground_tag_changelist"),
    }
    page = at_the_desk(room, project)
    links = page.locator("main a, #content a").evaluate_all("all => all.map((one) => one.href)")
    for link in links:
        if (
            "/winoground/" in link
            and "#" not in link
            and link.split("?")[0].rstrip("/").split("/")[-1] not in pages
        ):
            pages.setdefault(link.split("?")[0].rstrip("/").split("/")[-1], link)
    for name, address in pages.items():
        url = address if address.startswith("http") else f"{room.sites.public}{address}"
        visitor.visit(f"{FOLDER}-{name}", url)

    assert ready.state == Example.State.READY
    assert visitor.problems == {}
