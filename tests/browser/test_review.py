"""Reviewing in a real browser: with the keyboard alone, with the mouse alone, and by eye."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from hits.identity.models.users import User
from hits.review.services import reviewing
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from tests.browser.conftest import OpenPage
from tests.browser.doors import let_in
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_batch, make_study, make_user
from tests.hits.review.test_review_pages import make_works
from tests.hits.review.test_rule_pages import give_score
from tests.people import make_permitted

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
# How much of the work the bar of decisions covers, and how much of the work's height is seen.
IN_VIEW = """() => {
  const rectangle = (one) => document.querySelector(one).getBoundingClientRect();
  const [work, bar] = [rectangle(".desk > section"), rectangle(".decide")];
  const isBeside = bar.left >= work.right;
  const end = Math.min(work.bottom, innerHeight);
  const covered = isBeside ? 0 : Math.max(0, end - bar.top);
  return [covered, end - covered - Math.max(work.top, 0)];
}"""
REASON = "Every answer is the first picture that was shown."


@pytest.fixture
def works(sites: Sites) -> list[Assignment]:
    study = make_study(name="Association game, second round", rejections_a_day=1)
    batch = make_batch(study=study, status="open", review_by="hand", figures={"median_s": 48.0})
    works = make_works(count=5, batch=batch)
    due = timezone.now() + timedelta(days=2, hours=3)
    Assignment.objects.update(auto_approves_at=due)
    Assignment.objects.filter(pk=works[1].pk).update(worked_s=6)
    return works


def enter_as_reviewer(page: Page, *, sites: Sites, batch: Batch) -> User:
    names = ("review_assignment", "second_rejection", "view_assignment", "view_worker", "view_batch")
    user = make_permitted(*names, studies=[batch.study])
    let_in(page, user, sites=sites)
    return user


def review_url(sites: Sites, query: str = "") -> str:
    return f"{sites.public}/admin/hits/assignment/review/{query}"


def look(visitor: Visitor, name: str) -> list[str]:
    """Look at a page that its address alone does not lead to."""
    visitor._keep_picture(name)
    return visitor._look()


def wait_for_place(page: Page, words: str) -> None:
    """Wait until this place is before the reviewer, who can decide there."""
    page.locator("main:not([aria-busy]) [data-place]").get_by_text(words, exact=True).wait_for()


def test_review_with_the_keyboard_alone(page: Page, sites: Sites, works: list[Assignment]) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    wait_for_place(page, "1 of 5")

    page.keyboard.press("a")
    wait_for_place(page, "1 of 4")
    page.keyboard.press("k")
    wait_for_place(page, "1 of 3")
    page.keyboard.press("u")
    page.get_by_text("Undone: 1 approval without the data. Nothing was sent.", exact=True).wait_for()
    wait_for_place(page, "1 of 4")
    page.keyboard.press("n")
    wait_for_place(page, "2 of 4")
    page.keyboard.press("p")
    wait_for_place(page, "1 of 4")
    page.keyboard.press("r")
    page.keyboard.type(REASON)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_place(page, "1 of 3")
    page.keyboard.press("r")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("this one waits for a second person").wait_for()

    made = Decision.objects.order_by("pk").values_list("assignment", "kind", "status", "reason")
    assert list(made) == [
        (works[0].pk, "approve", "intended", ""),
        (works[1].pk, "keep_out", "undone", ""),
        (works[1].pk, "reject", "intended", REASON),
        (works[2].pk, "reject", "waiting", REASON),
    ]


def test_reason_is_sent_by_its_key_and_the_page_names_it(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    wait_for_place(page, "1 of 5")

    page.keyboard.press("?")
    named = page.locator("details.keys").inner_text()
    page.keyboard.press("?")
    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    empty = Decision.objects.count()
    page.keyboard.type(REASON)
    page.keyboard.press("Control+Enter")
    wait_for_place(page, "1 of 4")

    assert "With the reason open: reject and go on" in named
    decision = Decision.objects.get()
    assert (empty, decision.assignment_id, decision.reason) == (0, works[0].pk, REASON)


def test_second_rejection_by_keys_is_typed_like_the_first(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    wait_for_place(page, "1 of 5")
    page.keyboard.press("r")
    page.keyboard.type(REASON)
    page.keyboard.press("Control+Enter")
    wait_for_place(page, "1 of 4")

    page.keyboard.press("r")
    page.keyboard.press("Control+Enter")
    page.locator("main:not([aria-busy])").get_by_text("Say why").wait_for()
    refused = Decision.objects.count()
    page.keyboard.type("Each answer is empty.")
    page.keyboard.press("Control+Enter")
    wait_for_place(page, "1 of 3")

    reasons = Decision.objects.order_by("pk").values_list("reason", flat=True)
    assert (refused, list(reasons)) == (1, [REASON, "Each answer is empty."])


def test_ten_works_by_keys_on_one_page(page: Page, sites: Sites, works: list[Assignment]) -> None:
    batch = works[0].hit.batch
    make_works(count=5, batch=batch)
    enter_as_reviewer(page, sites=sites, batch=batch)
    page.goto(review_url(sites))
    wait_for_place(page, "1 of 10")
    page.evaluate("window.isTheSamePage = true")

    for left in range(9, 0, -1):
        page.keyboard.press("a")
        wait_for_place(page, f"1 of {left}")
        page.get_by_text("Approved. It is sent to the provider in a moment.", exact=True).wait_for()
    page.keyboard.press("k")
    page.get_by_role("heading", name="Nothing here").wait_for()

    assert page.evaluate("window.isTheSamePage")
    assert Decision.objects.filter(kind="approve", status="intended").count() == 9


def test_next_one_is_told_and_has_the_focus(page: Page, sites: Sites, works: list[Assignment]) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))

    page.keyboard.press("a")
    wait_for_place(page, "1 of 4")

    told = "Approved. It is sent to the provider in a moment."
    expect(page.get_by_role("status")).to_have_text(told)
    assert page.evaluate("document.activeElement.textContent") == f"Work of {works[1].worker}"


def test_back_shows_the_work_that_was_decided(page: Page, sites: Sites, works: list[Assignment]) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    page.keyboard.press("a")
    wait_for_place(page, "1 of 4")

    page.go_back()
    page.get_by_text("On its way to the provider").wait_for()
    decided = page.locator("#work-heading").inner_text()
    page.go_forward()
    wait_for_place(page, "1 of 4")

    assert decided == f"Work of {works[0].worker}"


def test_decided_in_another_tab_is_told(page: Page, sites: Sites, works: list[Assignment]) -> None:
    user = enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    wait_for_place(page, "1 of 5")
    reviewing.decide(assignment=works[0], kind="keep_out", by=user, now=timezone.now())

    page.keyboard.press("a")

    page.get_by_text("This work has been decided on already. Look at its history.", exact=True).wait_for()
    page.get_by_text("On its way to the provider").wait_for()
    assert Decision.objects.get().kind == "keep_out"


def test_ctrl_enter_rejects_as_the_button_does_wherever_one_is(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    reason = page.get_by_label("Reason")
    page.keyboard.press("r")
    page.get_by_role("heading", name="Review", exact=True).click()

    page.keyboard.press("Control+Enter")
    expect(reason).to_be_focused()  # the field is named as the one that lacks something
    empty = Decision.objects.count()
    page.get_by_label("Note for colleagues").fill("A note is no reason.")
    page.keyboard.press("Control+Enter")
    reason.fill(REASON)
    page.get_by_role("heading", name="Review", exact=True).click()
    beside = Decision.objects.count()
    page.keyboard.press("Control+Enter")
    wait_for_place(page, "1 of 4")

    assert (empty, beside) == (0, 0)
    assert [(row.kind, row.reason) for row in Decision.objects.all()] == [("reject", REASON)]


def test_decision_that_cannot_be_sent_says_so_and_keeps_the_reason(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))
    reject = page.locator("details.reject").get_by_role("button", name="Reject")
    page.keyboard.press("r")
    page.get_by_label("Reason").fill(REASON)

    page.route("**/decide/**", lambda route: route.abort())
    reject.click()
    page.get_by_text("The server cannot be reached.").wait_for()
    kept = page.get_by_label("Reason").input_value()
    page.unroute("**/decide/**")
    page.route("**/decide/**", lambda route: route.fulfill(status=500, body="Oops"))
    reject.click()
    page.get_by_text("The server could not do it (500).").wait_for()
    page.unroute("**/decide/**")
    decided = Decision.objects.count()
    reject.click()
    wait_for_place(page, "1 of 4")

    assert (kept, decided) == (REASON, 0)
    assert Decision.objects.get().reason == REASON


def test_next_work_is_seen_at_once_and_the_old_one_again_if_its_decision_was_lost(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/decide/**", hold)
    with page.expect_response(lambda answer: f"at={works[1].pk}" in answer.url):
        page.goto(review_url(sites))
    page.wait_for_load_state("networkidle")

    page.keyboard.press("a")
    page.get_by_role("heading", name=f"Work of {works[1].worker}").wait_for()
    page.keyboard.press("a")
    asked = len(held)
    held[0].abort()
    page.get_by_text("The server cannot be reached.").wait_for()
    page.get_by_role("heading", name=f"Work of {works[0].worker}").wait_for()

    assert asked == 1
    assert not Decision.objects.exists()


@pytest.mark.parametrize("size", SIZES)
def test_work_stays_in_view_while_a_reason_is_typed(
    open_page: OpenPage, sites: Sites, works: list[Assignment], size: str
) -> None:
    page = open_page(viewport=SIZES[size])
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))

    page.keyboard.press("r")
    page.get_by_label("Reason").press_sequentially("Every answer is")
    page.evaluate("document.querySelector('#work-heading').scrollIntoView()")
    covered, seen = page.evaluate(IN_VIEW)

    assert covered <= (0 if size == "desktop" else SIZES[size]["height"] / 2)
    assert seen >= SIZES[size]["height"] / 2


def test_keys_are_letters_in_a_text_and_can_be_switched_off(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))

    page.get_by_label("Note for colleagues").press_sequentially("a rank outsider")
    page.get_by_role("button", name="Add the note").click()
    page.locator("main:not([aria-busy]) .lines").get_by_text("a rank outsider").wait_for()
    page.keyboard.press("?")
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("a")
    page.reload()
    page.keyboard.press("a")
    page.keyboard.press("k")

    wait_for_place(page, "1 of 5")
    assert (Note.objects.get().text, Decision.objects.count()) == ("a rank outsider", 0)


def test_review_without_scripts(open_page: OpenPage, sites: Sites, works: list[Assignment]) -> None:
    page = open_page(java_script_enabled=False)
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))

    page.get_by_role("button", name="Approve").click()
    wait_for_place(page, "1 of 4")
    page.locator("details.reject summary").click()
    page.get_by_label("Reason").fill(REASON)
    page.locator("details.reject").get_by_role("button", name="Reject").click()
    wait_for_place(page, "1 of 3")
    page.get_by_role("button", name="Undo").click()
    wait_for_place(page, "1 of 4")

    made = [(row.kind, row.status) for row in Decision.objects.order_by("pk")]
    assert made == [("approve", "intended"), ("reject", "undone")]


def test_undo_leaves_the_page_when_it_is_of_no_use_any_more(
    page: Page, sites: Sites, works: list[Assignment]
) -> None:
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)
    page.goto(review_url(sites))

    page.keyboard.press("a")
    undo = page.get_by_role("button", name="Undo")
    undo.wait_for()
    undo.wait_for(state="detached")

    wait_for_place(page, "1 of 4")


@pytest.mark.parametrize("size", SIZES)
def test_review_pages_look_right(
    open_page: OpenPage, sites: Sites, works: list[Assignment], size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    user = enter_as_reviewer(visitor.page, sites=sites, batch=works[0].hit.batch)
    now = timezone.now()
    colleague = make_user()
    lost = make_works(count=1, batch=works[0].hit.batch, answer=None)[0]
    reviewing.add_note(assignment=works[1], text="The same pattern as yesterday.", by=colleague, now=now)
    for work in works[2:4]:
        reviewing.decide(assignment=work, kind="reject", reason=REASON, by=colleague, now=now)
    Assignment.objects.filter(pk=works[4].pk).update(status="rejected", rejected_at=now)
    reviewing.decide(assignment=works[0], kind="approve", by=user, now=now)
    until = int(now.timestamp()) + 7
    admin = f"{sites.public}/admin/hits/assignment"

    visitor.visit("review-hasty", review_url(sites, f"?at={works[1].pk}&undo=1&until={until}"))
    visitor.visit("review-lost", review_url(sites, f"?at={lost.pk}&state=lost"))
    visitor.visit("review-second", review_url(sites, "?state=second"))
    visitor.visit("review-sending", review_url(sites, "?state=sending"))
    visitor.visit("review-rejected", review_url(sites, "?state=rejected"))
    visitor.visit("review-empty", review_url(sites, "?state=kept_out"))
    visitor.visit("review-work", f"{admin}/{works[1].pk}/work/")
    visitor.visit("review-list", f"{admin}/")

    assert visitor.problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_rule_and_what_follows_look_right(
    open_page: OpenPage, sites: Sites, works: list[Assignment], size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page, batch = visitor.page, works[0].hit.batch
    make_works(count=3, batch=batch)
    for number, work in enumerate(Assignment.objects.order_by("pk"), 1):
        Assignment.objects.filter(pk=work.pk).update(worked_s=20 * number)
        give_score(work, 100 - 5 * number)
    enter_as_reviewer(page, sites=sites, batch=batch)
    rule = f"{sites.public}/admin/hits/assignment/by-rule/"

    visitor.visit("review-scored", review_url(sites, f"?at={works[2].pk}"))
    visitor.visit("review-rule", f"{rule}?batch={batch.pk}")
    visitor.visit("review-matches", f"{rule}?batch={batch.pk}&asked=yes&kind=approve&score_from=70")
    page.get_by_role("button", name="Approve: 6").click()
    page.get_by_role("button", name="Undo: 6 approvals").wait_for()
    visitor.visit("review-decided", page.url)
    page.get_by_role("button", name="Undo: 6 approvals").click()
    page.get_by_text("Undone: 6 approvals. Nothing of them was sent.").wait_for()

    assert visitor.problems == {}
    assert {row.status for row in Decision.objects.all()} == {"undone"}


@pytest.mark.parametrize("size", SIZES)
def test_opened_reason_and_bulk_question_look_right(
    open_page: OpenPage, sites: Sites, works: list[Assignment], size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    page = visitor.page
    enter_as_reviewer(page, sites=sites, batch=works[0].hit.batch)

    page.goto(review_url(sites))
    page.keyboard.press("r")
    page.get_by_label("Reason").fill("x" * 200)
    reason = look(visitor, f"review-reason-{size}")
    page.goto(f"{sites.public}/admin/hits/assignment/")
    page.locator("#action-toggle").check()
    page.get_by_label("Action:").select_option("reject")
    page.get_by_role("button", name="Run").or_(page.get_by_role("button", name="Go")).first.click()
    page.get_by_label("Reason").fill(REASON)
    bulk = look(visitor, f"review-bulk-{size}")
    page.get_by_role("button", name="Reject: 5").click()
    page.get_by_text("1 decided, 4 waiting for a second person.").wait_for()

    assert (reason, bulk) == ([], [])
