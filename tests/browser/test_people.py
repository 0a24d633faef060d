"""Workers and messages in a real browser: how the pages look, and a letter written with the mouse."""

from decimal import Decimal

import pytest

from crowd.demo.demo_people import Staff
from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Message, Recipient
from hits.people.services.blocking import block_worker, lift_block
from hits.people.services.worker_letters import write_message
from tests.browser.conftest import OpenPage
from tests.browser.doors import PASSWORD, log_in
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def staff() -> User:
    return make_user(username="researcher", password=PASSWORD, is_superuser=True)


@pytest.fixture
def busy(staff: User) -> Worker:
    """A worker with more work than one page shows, money in each state, letters, and blocks old and new."""
    account = make_account(name="Marketplace")
    study = make_study(name="Visual associations 2026")
    title = "Which of these pictures belong to the cue, and which do not?"
    batch = make_batch(status="open", account=account, study=study, title=title, reward=Decimal("0.25"))
    hit, worker = make_hit(batch=batch), make_worker(account=account)
    for number in range(55):
        status = ("approved", "approved", "rejected", "submitted", "gone")[number % 5]
        done = make_assignment(hit=hit, worker=worker, status=status, worked_s=40 + number)
        if status == "approved":
            make_bonus(assignment=done, status="owed" if number % 2 else "approved", amount=Decimal("1.10"))
    make_worker(account=account)
    other = make_assignment(hit=hit, worker=make_worker(account=account), status="approved").worker
    write_message(
        account=account,
        study=study,
        workers=[worker, other],
        subject="More associations from Monday on, and what is new in them",
        text="Hello,\n\nthere is a new batch. The cues are longer.\n\nThank you.",
        by=staff,
        now=NOW,
    )
    first, second = Recipient.objects.order_by("pk")
    Recipient.objects.filter(pk=first.pk).update(status="unknown", problem="The provider did not answer.")
    Recipient.objects.filter(pk=second.pk).update(status="failed", problem="HardFailure: no such worker.")
    old = block_worker(worker=worker, kind="soft", reason="Answered at random for an hour", by=staff, now=NOW)
    lift_block(block=old, by=staff, now=NOW)
    block_worker(worker=worker, kind="soft", reason="Two people share the account", by=staff, now=NOW)
    block_worker(worker=worker, kind="hard", reason="Sold the account", by=staff, now=NOW)
    Block.objects.filter(kind="hard").update(status="refused", problem="There is no such worker.")
    return worker


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_workers_and_messages_look_right(
    open_page: OpenPage, sites: Sites, staff: User, busy: Worker, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    log_in(visitor.page, Staff(user=staff, password=PASSWORD), sites=sites)
    workers, messages = (f"{sites.public}/admin/hits/{name}" for name in ("worker", "message"))
    message, block = Message.objects.get(), Block.objects.filter(status="active").get()
    new = make_worker(account=busy.account)

    visitor.visit("workers", f"{workers}/")
    for tab in ("work", "payments", "messages", "blocks"):
        visitor.visit(f"worker-{tab}", f"{workers}/{busy.pk}/change/?show={tab}")
        visitor.visit(f"worker-{tab}-empty", f"{workers}/{new.pk}/change/?show={tab}")
    visitor.visit("worker-block", f"{workers}/block/?workers={new.pk}&kind=hard")
    visitor.visit("worker-block-many", f"{workers}/block/?workers={new.pk},{busy.pk}&kind=soft")
    visitor.visit("worker-lift", f"{workers}/blocks/{block.pk}/lift/")
    visitor.visit("worker-id", f"{workers}/{busy.pk}/id/")
    visitor.visit("worker-find", f"{workers}/find/")
    visitor.visit("messages", f"{messages}/")
    visitor.visit("message", f"{messages}/{message.pk}/change/")
    visitor.visit("message-write", f"{messages}/write/?workers={new.pk},{busy.pk}")

    assert visitor.problems == {}


def test_letter_is_written_to_a_selection_with_the_mouse(
    open_page: OpenPage, sites: Sites, staff: User, busy: Worker
) -> None:
    page = open_page()
    log_in(page, Staff(user=staff, password=PASSWORD), sites=sites)

    page.goto(f"{sites.public}/admin/hits/worker/")
    page.get_by_role("row", name=busy.pseudonym).get_by_role("checkbox").check()
    page.locator("select[name=action]").select_option(label="Write to these workers")
    page.get_by_role("button", name="Run").or_(page.get_by_role("button", name="Go")).click()
    page.get_by_label("Subject").fill("Thank you")
    page.get_by_label("Text").fill("It is <b>done</b>.\n\nBye.")
    page.get_by_role("button", name="Preview the message").click()
    page.get_by_role("button", name="Change it").click()
    page.get_by_label("Subject").fill("Thanks")
    page.get_by_role("button", name="Preview the message").click()
    page.get_by_role("button", name="Send to 1 worker").click()

    page.get_by_role("heading", name="Thanks").wait_for()
    message = Message.objects.order_by("-pk")[0]
    assert (message.subject, message.text) == ("Thanks", "It is <b>done</b>.\n\nBye.")
    assert [row.worker for row in message.recipients.all()] == [busy]
    assert page.get_by_text("On its way to 1 worker.").is_visible()


def test_worker_is_blocked_and_the_id_is_shown_with_the_keyboard(
    open_page: OpenPage, sites: Sites, staff: User, busy: Worker
) -> None:
    page = open_page()
    log_in(page, Staff(user=staff, password=PASSWORD), sites=sites)
    worker = make_worker(account=busy.account, external_id="ASHOWNWORKER01")

    page.goto(f"{sites.public}/admin/hits/worker/{worker.pk}/change/")
    page.get_by_role("link", name="Block softly…").press("Enter")
    page.get_by_label("Reason").fill("Answers at random")
    page.get_by_label("Reason").press("Enter")
    page.get_by_role("link", name="Lift…").wait_for()
    page.get_by_role("link", name="Show the id at the provider…").press("Enter")
    page.get_by_label("Reason").fill("A payment is disputed")
    page.get_by_label("Reason").press("Enter")

    assert page.get_by_role("status").locator("code").inner_text() == "ASHOWNWORKER01"
    assert Block.objects.get(worker=worker).status == "active"
    assert "A payment is disputed" in page.get_by_role("table", name="Who was shown this id").inner_text()
