"""The first steps on the desk's overview, from an empty marketplace to the first approved work."""

import re
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from config.management.commands.serve import REQUESTER
from crowd.marketplace.desk.first_steps import SEEDED
from crowd.marketplace.models import HIT
from crowd.marketplace.models.parties import AuditEntry, Requester, Worker
from crowd.marketplace.services import requesters, reviewing
from tests.crowd.marketplace.desk import Desk, form_token
from tests.crowd.marketplace.rows import hand_in, post_hit
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db
STEPS = [
    "Make a requester with a deposit",
    "Invite workers",
    "Put up a trial HIT",
    "See the work come back, and approve it",
]


def list_on(page: Any) -> str:
    return str(page.content.decode().partition("<ol")[2].partition("</ol>")[0])


def steps_on(page: Any) -> list[tuple[str, str]]:
    """Each step's title and state; none if the page shows no steps."""
    found = re.findall(r"<h3>(.*?)</h3>", list_on(page), re.DOTALL)
    lines = [" ".join(unescape(re.sub(r"<[^>]*>", "|", one)).split()) for one in found]
    return [(title.strip(), state.strip("| ")) for title, _, state in (one.partition("|") for one in lines)]


def links_on(page: Any) -> list[str]:
    return re.findall(r'<a [^>]*?href="([^"]*)"', list_on(page))


def make_own(*, deposit: str = "10") -> Requester:
    made = requesters.create_requester(
        name="The lab", deposit=Decimal(deposit), fee_schedule="none", now=timezone.now()
    )
    return made.requester


def test_empty_marketplace_shows_all_steps_and_the_first_is_next(desk: Desk) -> None:
    page = desk.get("")

    assert steps_on(page) == [*zip(STEPS, ["next", "", "", ""], strict=True)]
    assert links_on(page) == ["/desk/requesters/new/", "/desk/workers/invite/"]


def test_steps_are_taken_one_after_the_other_and_then_vanish(desk: Desk) -> None:
    seen = []
    own = make_own()
    seen.append(steps_on(desk.get("")))
    worker = invite(now=timezone.now())[0]
    seen.append(steps_on(desk.get("")))
    trial = desk.post(f"requesters/{own.external_id}/trial-hits/new/", reward="0.05")["Location"]
    page = desk.get("")
    seen.append(steps_on(page))
    work = hand_in(HIT.objects.get(), worker=worker, now=timezone.now())
    seen.append(steps_on(desk.get("")))
    reviewing.approve_assignment(assignment=work, feedback="", override=False, now=timezone.now())
    seen.append(steps_on(desk.get("")))

    assert [[state for _, state in steps] for steps in seen] == [
        ["done", "next", "", ""],
        ["done", "done", "next", ""],
        ["done", "done", "done", "next"],
        ["done", "done", "done", "next"],
        [],
    ]
    assert links_on(page)[-1] == trial


def test_requester_of_the_researchers_side_is_not_ones_own() -> None:
    assert SEEDED == REQUESTER


@pytest.mark.parametrize("name", [SEEDED, f"{SEEDED} 12ab34"])
def test_only_a_requester_of_ones_own_counts(desk: Desk, name: str) -> None:
    made = requesters.create_requester(
        name=name, deposit=Decimal(1000), fee_schedule="none", now=timezone.now()
    )
    seeded = steps_on(desk.get(""))[0]
    requesters.rename_requester(requester_id=made.requester.pk, name="The lab of common sense")

    assert (seeded, steps_on(desk.get(""))[0]) == ((STEPS[0], "next"), (STEPS[0], "done"))


def test_requester_of_the_researchers_side_counts_once_it_posts(desk: Desk) -> None:
    made = requesters.create_requester(
        name=SEEDED, deposit=Decimal(1000), fee_schedule="none", now=timezone.now()
    )
    post_hit(requester=made.requester, now=timezone.now())

    page = desk.get("")

    assert [state for _, state in steps_on(page)] == ["done", "next", "done", ""]
    assert "HITs are on offer here already" in list_on(page)


def test_requester_without_money_is_led_to_a_deposit(desk: Desk) -> None:
    own = make_own(deposit="0")

    page = desk.get("")

    assert steps_on(page)[0] == (STEPS[0], "next")
    assert links_on(page)[0] == f"/desk/requesters/{own.external_id}/deposit/"


def test_dismissed_steps_are_shown_to_no_operator_again(desk: Desk) -> None:
    token = form_token(desk.get(""))

    answers = [desk.post("first-steps/dismiss/", token=token).status_code for _ in range(2)]

    assert (answers, steps_on(desk.get(""))) == ([302, 409], [])
    assert [entry.what for entry in AuditEntry.objects.all()] == ["first steps dismissed"]


def test_steps_are_not_dismissed_by_a_link(desk: Desk) -> None:
    assert (desk.get("first-steps/dismiss/").status_code, len(steps_on(desk.get("")))) == (405, 4)


def test_marketplace_at_work_shows_no_steps(desk: Desk) -> None:
    make_requester(now=timezone.now())
    Worker.objects.filter(pk=invite(now=timezone.now())[0].pk).update(approved=1)

    assert steps_on(desk.get("")) == []
