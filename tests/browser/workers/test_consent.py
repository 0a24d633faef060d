"""A worker agrees, says something about themselves, works, and takes it all back; and how that looks."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.statement import statement_links
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from qualifications.models import Consent, Demographics
from qualifications.queries.consents import published_text
from qualifications.services import consenting, demographics
from qualifications.services.people_counts import count_people
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import Desk, sign_in
from tests.conftest import Sites
from tests.factories import (
    make_assignment,
    make_batch,
    make_consent_text,
    make_hit,
    make_user,
    make_worker,
)

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
TEXT = (
    "You are invited to take part in a study about what people and programs see in pictures.\n\n"
    "We record what you pick, when, and under which pseudonym. Nobody sees your worker id but the people "
    "who pay you.\n\nYou may take your agreement back at any time on your page “Your work and your pay”."
)

ANSWERS: list[dict[str, int | str]] = [
    {"age": 31, "gender": "woman", "education": "bachelor", "native_english": "yes"},
    {"age": 52, "gender": "man", "education": "school", "native_english": "yes"},
    {"age": 44, "gender": "man", "education": "bachelor", "native_english": "no"},
    {"age": 39, "gender": "woman", "education": "master", "native_english": "yes"},
]


@pytest.fixture
def study(desk: Desk) -> Study:
    study = desk.association.item.study
    make_consent_text(study=study, text=TEXT, asks_demographics=True, published_at=timezone.now())
    return study


def test_worker_agrees_tells_works_and_takes_it_back(
    page: Page, desk: Desk, study: Study, sites: Sites
) -> None:
    sign_in(page.context, desk.worker, sites=sites)
    page.goto(desk.url)
    frame = page.frame_locator("iframe")

    frame.get_by_role("button", name="Agree and go on").click()
    assert not Consent.objects.exists()  # the box comes first
    frame.get_by_label("I am 18 or older and I agree").press("Space")
    frame.get_by_role("button", name="Agree and go on").press("Enter")
    frame.get_by_label("How old are you?").fill("41")
    frame.get_by_label("Is English your native language?").select_option("No")
    assert not Lease.objects.exists()
    frame.get_by_role("button", name="Save the answers").click()
    expect(frame.get_by_role("heading", name="Which pictures go with the word?")).to_be_attached()

    with page.context.expect_page() as opened:
        frame.get_by_role("link", name="Your work and your pay").click()
    statement = opened.value
    statement.get_by_role("link", name="Your consent and what you told us").click()
    statement.get_by_role("button", name="Erase what I told about myself").click()
    expect(statement.get_by_role("status")).to_contain_text("is erased")
    statement.get_by_role("link", name="Withdraw your consent…").click()
    statement.get_by_label("Take it out of the data too").check()
    statement.get_by_role("button", name="Withdraw your consent").click()
    expect(statement.get_by_role("status")).to_contain_text("Your consent is withdrawn")

    assert not Demographics.objects.exists()
    assert Consent.objects.get().takes_work_out
    assert Assignment.objects.get().status == Assignment.Status.OPENED


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_consent_look_right(
    open_page: OpenPage, desk: Desk, study: Study, sites: Sites, size: str
) -> None:
    page = open_page(viewport=SIZES[size], reduced_motion="reduce")
    visitor = Visitor(page, size=size)

    visitor.visit("consent-preview", desk.frame_url.partition("?")[0])
    visitor.visit("consent", desk.frame_url)
    worker = Assignment.objects.get().worker
    text = published_text(study)
    assert text is not None
    consenting.give_consent(worker=worker, text=text, now=timezone.now())
    visitor.visit("consent-person", desk.frame_url)
    demographics.save_answers(worker=worker, answers={"age": 41}, now=timezone.now())
    Batch.objects.update(english_speakers=True)
    visitor.visit("consent-english", desk.frame_url)
    demographics.save_english(worker=worker, speaks=False, now=timezone.now())
    visitor.visit("consent-no-english", desk.frame_url, status=403)
    token = statement_links.write_token_for(worker=worker, study=study, now=timezone.now())
    mine = f"{sites.public}{reverse('statement:consent', args=[token])}"
    visitor.visit("consent-statement", mine)
    visitor.visit("consent-withdraw", f"{mine}?withdraw={study.public_id}")

    assert visitor.problems == {}


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_consent_in_the_admin_look_right(
    open_page: OpenPage, study: Study, sites: Sites, size: str
) -> None:
    page = open_page(viewport=SIZES[size], reduced_motion="reduce")
    staff = make_user(is_superuser=True, username="olive", password="a-long-pass-phrase")
    draft = consenting.write_draft(
        study=study, title="About us", text=TEXT, asks_demographics=True, by=staff, now=timezone.now()
    )
    text = study.consent_texts.order_by("version")[0]
    for number in range(23):
        worker = make_worker()
        consenting.give_consent(worker=worker, text=text, now=timezone.now())
        answers = ANSWERS[number % len(ANSWERS)]
        demographics.save_answers(worker=worker, answers=answers, now=timezone.now())
        for task in ("winogavil.solve", "winogavil.create")[: 1 + number % 2]:
            batch = make_batch(study=study, account=worker.account, task=task, status="open")
            make_assignment(
                hit=make_hit(batch=batch), worker=worker, status="approved", submitted_at=timezone.now()
            )
    consenting.withdraw(worker=worker, study=study, takes_work_out=True, now=timezone.now())
    page.goto(f"{sites.public}/admin/login/")
    page.get_by_label("Username").fill("olive")
    page.get_by_label("Password").fill("a-long-pass-phrase")
    page.get_by_role("button", name="Log in").click()
    visitor = Visitor(page, size=size)

    for name, key in (
        ("consent", study.pk),
        ("consent_draft", study.pk),
        ("consenttext_change", draft.pk),
        ("consent_publish", draft.pk),
        ("withdrawn", study.pk),
        ("people", study.pk),
        ("count_people", study.pk),
    ):
        visitor.visit(f"admin-{name}", f"{sites.public}{reverse(f'admin:qualifications_{name}', args=[key])}")
    count_people(study=study, by=staff, now=timezone.now())
    visitor.visit(
        "admin-people-counted", f"{sites.public}{reverse('admin:qualifications_people', args=[study.pk])}"
    )

    assert visitor.problems == {}
