"""An example is written in a real browser: words checked as typed, tags found by keyboard."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from crowd.winoground.models import Example, Tag
from hits.identity.roles import AUTHOR
from tests.browser.doors import enter, let_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.pictures.images import png
from tests.crowd.winoground.making_examples import CAPTIONS, CREDITS, make_example, make_project
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
TAGS = ("Adjective-Color", "Noun Phrase", "Noun", "Scope", "Scope, Preposition")


def fill_side(page: Page, letter: str, *, caption: str, picture: Path) -> None:
    page.get_by_label(f"Caption {letter}").fill(caption)
    page.get_by_label(f"Picture {letter}", exact=True).set_input_files(picture)
    for name, words in CREDITS.items():
        page.get_by_label(f"{name.capitalize()} of picture {letter}").fill(words)


def keep_five_tags() -> None:
    """Replace the paper's tags, which the migrations create, by five."""
    Tag.objects.all().delete()
    Tag.objects.bulk_create(Tag(name=name) for name in TAGS)


def test_example_is_written_from_an_empty_list_to_ready(
    visitor: Visitor,
    sites: Sites,
    tmp_path: Path,
) -> None:
    page, project = visitor.page, make_project()
    keep_five_tags()
    for seed in (1, 2):
        (tmp_path / f"{seed}.png").write_bytes(png(seed=seed, size=(640, 400)))
    enter(page, sites)
    home = sites.public + reverse("admin:winoground_project_change", args=[project.pk]).removesuffix(
        "/change/"
    )
    visitor.visit("author-project-empty", f"{home}/change/")
    visitor.visit("author-list-empty", f"{sites.public}/admin/winoground/example/")
    visitor.visit("author-write", f"{home}/examples/write/")

    fill_side(page, "A", caption=CAPTIONS[0], picture=tmp_path / "1.png")
    page.get_by_text("Chosen now. It is kept with the example.").wait_for()
    fill_side(page, "B", caption="the blue box under a red ball", picture=tmp_path / "2.png")
    words = page.locator("[data-words]")
    expect(words).to_contain_text("Only in A: a.")
    expect(words).to_contain_text("Only in B: the.")
    page.get_by_label("Caption B").fill(CAPTIONS[1])
    expect(words).to_contain_text("Same words, another order.")
    expect(words.locator("mark").first).to_have_text("[red ball]1")
    find = page.get_by_label("Find a tag")
    find.fill("noun p")
    expect(page.locator("[data-found]")).to_have_text("1 of 5 tags")
    find.press("Enter")
    expect(page.locator("[data-chosen]")).to_have_text("Noun Phrase")
    page.get_by_role("button", name="Save and mark as ready").click()

    page.get_by_text("Example 1 is saved as a draft.").wait_for()
    page.get_by_text("Say what is swapped.").first.wait_for()
    visitor.visit("author-lacks", page.url)
    page.get_by_label("Object", exact=True).check()
    page.get_by_label("One main predicate").check()
    page.get_by_role("button", name="Save and mark as ready").click()
    page.get_by_text("Example 1 is saved. It is ready.").wait_for()
    assert Example.objects.get().state == "ready"

    page.get_by_role("link", name="See it as workers do").click()
    page.get_by_text("Caption A with picture B: should be no").wait_for()
    visitor.visit("author-preview", page.url)
    page.get_by_role("link", name="Back to the example").click()
    page.get_by_role("link", name="Withdraw…").click()
    visitor.visit("author-withdraw", page.url)
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_text("It is withdrawn: nobody is asked about it.").wait_for()
    visitor.visit("author-withdrawn", page.url)
    page.get_by_role("button", name="Restore").click()
    page.get_by_text("Example 1: restored as a draft.").wait_for()
    page.get_by_role("link", name="History").click()
    visitor.visit("author-history", page.url)
    make_example(project, seed=5, ready=False, caption_0="")
    visitor.visit("author-list", f"{sites.public}/admin/winoground/example/")
    visitor.visit("author-tags", f"{sites.public}/admin/winoground/tag/?q=Noun")
    merged = ",".join(str(tag.pk) for tag in Tag.objects.filter(name__startswith="Noun"))
    visitor.visit("author-merge", f"{sites.public}/admin/winoground/tag/merge/?tags={merged}")

    assert visitor.problems == {}


def test_refused_picture_stands_at_its_field_and_nothing_typed_is_lost(
    visitor: Visitor,
    sites: Sites,
    tmp_path: Path,
) -> None:
    page, project = visitor.page, make_project()
    (tmp_path / "1.png").write_bytes(png(seed=1))
    (tmp_path / "2.png").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    enter(page, sites)
    page.goto(f"{sites.public}/admin/winoground/project/{project.pk}/examples/write/")
    fill_side(page, "A", caption=CAPTIONS[0], picture=tmp_path / "1.png")
    fill_side(page, "B", caption=CAPTIONS[1], picture=tmp_path / "2.png")
    page.get_by_role("button", name="Save as a draft").click()

    page.get_by_role("alert").get_by_text("This was not saved.").wait_for()
    expect(page.get_by_label("Caption A")).to_have_value(CAPTIONS[0])
    assert not Example.objects.exists()
    (tmp_path / "2.png").write_bytes(png(seed=2))
    page.get_by_label("Picture B", exact=True).set_input_files(tmp_path / "2.png")
    page.get_by_role("button", name="Save as a draft").click()
    page.get_by_text("Example 1 is saved. It is a draft.").wait_for()

    example = Example.objects.get()
    assert example.image_0 is not None
    assert example.image_1 is not None


def test_author_is_led_to_what_is_theirs(visitor: Visitor, sites: Sites) -> None:
    page, project = visitor.page, make_project()
    make_example(project, ready=False)
    let_in(page, make_member(AUTHOR, project.study), sites=sites)

    visitor.visit("author-pages", f"{sites.public}/admin/winoground/project/{project.pk}/change/")

    page.get_by_text("You see and change your own.").wait_for()
    page.get_by_role("link", name="Write an example").first.click()
    page.get_by_label("Caption A").wait_for()
    assert visitor.problems == {}
