"""The live view of a batch, and the pages that steer it."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.admin.batches.batch_actions import VERBS
from hits.batches.models import BatchEvent
from hits.studies.models import Batch
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT, Change
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_user,
)
from tests.hits.ended_early import end_early
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
STEERS = ("view_batch", "steer_batch")


def make_running(**changes: Any) -> Batch:
    """Make a batch with two HITs of three places each, one of them taken by a worker."""
    values: dict[str, Any] = {"status": "open", "hits_wanted": 2, **changes}
    batch = make_batch(**values)
    make_hit(batch=batch, number=2)
    make_assignment(hit=make_hit(batch=batch, number=1))
    return batch


def live_url(batch: Batch) -> str:
    return reverse("admin:hits_batch_live", args=[batch.pk])


def steer_url(batch: Batch, verb: str) -> str:
    return reverse("admin:hits_batch_steer", args=[batch.pk, verb])


def as_of(page: Any) -> str:
    """The state that the page was made from, as its form sends it."""
    return str(dict(page.context["hidden"])["as_of"])


def confirm(client: Client, url: str, **numbers: int) -> Any:
    """Open the page and confirm it, as a person does."""
    page = client.get(url)
    return client.post(url, {"as_of": as_of(page), "confirmed": "yes", **numbers}, follow=True)


def test_live_view_shows_the_batch_in_numbers(client: Client) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_running(status="launching")
    make_hit(batch=batch, number=3, status="intended", external_id="", sent_at=None)
    make_assignment(hit=HIT.objects.get(batch=batch, number=2), status="submitted", worked_s=48)

    text = text_of(client.get(live_url(batch)))

    assert "2 of 3 <progress" in text
    assert "1 of 9 <progress" in text
    assert (
        "<dt>Median hourly wage</dt><dd>$2.25 <small>by the reward alone, of all submitted work</small></dd>"
        in text
    )


def test_live_view_of_a_draft_leads_to_its_launch_page(client: Client) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_batch()

    page = client.get(live_url(batch))

    assert page.url == reverse("admin:hits_batch_launch", args=[batch.pk])  # type: ignore[attr-defined]


def test_hits_that_ended_before_their_time_are_counted_and_not_offered_any_more(client: Client) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_running()
    first, second = batch.hits.order_by("number")
    before = text_of(client.get(live_url(batch)))

    end_early(first)
    one = text_of(client.get(live_url(batch)))
    end_early(second)
    EarlyEnd.objects.filter(hit=second).update(reason="They show people.")
    both = text_of(client.get(live_url(batch)))

    assert "Workers can take the HITs." in before
    assert "Workers can take the other HITs." in one
    assert "1 HIT of 2 was ended at the marketplace before its time" in one
    assert "No worker can take a HIT now." in both
    assert "Ask those who run it why, or add HITs." in one
    assert "2 HITs of 2 were ended at the marketplace before their time" in both
    assert "The marketplace&#x27;s operator writes: “They show people.” Ask them, or add HITs." in both


@pytest.mark.parametrize(
    ("status", "problem", "advice"),
    [
        ("paused_funds", "There is no money.", "Put money in, then resume."),
        ("paused", "The title is too long.", "Fix what the provider names, then resume."),
    ],
)
def test_paused_batch_says_why_and_what_to_do(client: Client, status: str, problem: str, advice: str) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_running(status=status, problem=problem)

    text = text_of(client.get(live_url(batch)))

    assert problem in text
    assert advice in text


@pytest.mark.parametrize(
    ("permissions", "shown"),
    [
        ((), ["Terms of the launch"]),
        (("view_hit", "export_batch"), ["HITs", "Export", "Terms of the launch"]),
        (("view_assignment", "review_assignment"), ["Review the work", "Assignments", "Terms of the launch"]),
    ],
)
def test_links_are_those_that_open(client: Client, permissions: tuple[str, ...], shown: list[str]) -> None:
    sign_in_with(client, "view_batch", *permissions, "see_all_studies")

    text = text_of(client.get(live_url(make_running())))

    links = text.partition('<ul class="links">')[2].partition("</ul>")[0]
    assert re.findall(r">([^<]+)</a>", links) == shown


def test_fragment_holds_the_parts_alone(client: Client) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_running()

    whole, fragment = client.get(live_url(batch)), client.get(live_url(batch) + "?fragment")

    assert fragment.content.decode().strip().startswith('<div class="page" data-live data-every="5000"')
    assert "<html" not in text_of(fragment)
    assert next(template.name for template in fragment.templates) == "admin/hits/live_parts.html"
    assert "live.js" in text_of(whole)


@pytest.mark.parametrize(("status", "every"), [("complete", 0), ("launching", 2000), ("draining", 2000)])
def test_page_asks_for_news_only_while_there_may_be_some(client: Client, status: str, every: int) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_batch(status=status)

    assert client.get(live_url(batch)).context["every_ms"] == every


def test_pilot_says_what_it_found_and_offers_the_rest(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_batch(status="open", pilot_hits=1, hits_wanted=3, assignments_per_hit=1)
    done = make_hit(batch=batch, number=1, status="closed", max_assignments=1)
    make_assignment(hit=done, status="approved", worked_s=48)
    for number in (2, 3):
        make_hit(batch=batch, number=number, status="intended", external_id="", sent_at=None)

    text = text_of(client.get(live_url(batch)))

    assert "1 of 1 pilot HIT is done; median time 48 s, $2.25 an hour. 2 HITs wait" in text
    assert "Send the rest" in text


@pytest.mark.parametrize(
    ("floor", "words"),
    [("9.00", "Half of the work pays less"), ("2.00", "One in ten earns less"), ("1.00", "")],
)
def test_wages_below_the_floor_are_said_in_words(client: Client, floor: str, words: str) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_running(study=make_study(wage_floor=Decimal(floor)))
    hit = HIT.objects.filter(batch=batch)[0]
    for seconds in (48, 48, 90):
        make_assignment(hit=hit, status="submitted", worked_s=seconds)

    text = text_of(client.get(live_url(batch)))

    warnings = [line for line in ("Half of the work pays less", "One in ten earns less") if line in text]
    assert warnings == ([words] if words else [])


@pytest.mark.parametrize(("permissions", "is_offered"), [((), False), (("add_batch",), True)])
def test_batch_is_copied_from_its_live_view_by_who_may_draft(
    client: Client, permissions: tuple[str, ...], is_offered: bool
) -> None:
    batch = make_running(title="Which pictures?")
    sign_in_with(client, "view_batch", *permissions, studies=[batch.study])
    address = reverse("admin:hits_batch_copy", args=[batch.pk])

    page = text_of(client.get(live_url(batch)))
    answer = client.post(address)

    assert (f'action="{address}"' in page) is is_offered
    copies = Batch.objects.exclude(pk=batch.pk)
    assert [copy.title for copy in copies] == (["Which pictures?"] if is_offered else [])
    assert answer.status_code == (302 if is_offered else 403)


def test_events_come_newest_first_a_page_at_a_time(client: Client) -> None:
    sign_in_with(client, "view_batch", "see_all_studies")
    batch = make_running()
    BatchEvent.objects.bulk_create(
        BatchEvent(batch=batch, kind="k", words=f"deed {n}", at=NOW) for n in range(25)
    )

    first = client.get(live_url(batch))
    second = client.get(f"{live_url(batch)}?before={first.context['older']}")
    garbage = client.get(f"{live_url(batch)}?before=x")

    assert [event.words for event in first.context["events"]] == [f"deed {n}" for n in range(24, 4, -1)]
    assert [event.words for event in second.context["events"]] == [f"deed {n}" for n in range(4, -1, -1)]
    assert second.context["older"] is None
    assert len(garbage.context["events"]) == 20


def test_live_view_takes_few_queries_whatever_the_size(client: Client) -> None:
    user = sign_in_with(client, *STEERS, "export_batch")
    counts = []
    for size in (3, 30):
        batch = make_running()
        batch.study.members.add(user)
        for number in range(size):
            assignment = make_assignment(hit=make_hit(batch=batch), status="submitted", worked_s=number)
            BatchEvent.objects.create(batch=batch, kind="k", words="w", by=make_user(), at=NOW)
            Change.objects.create(hit=assignment.hit, kind="expire", made_at=NOW)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(live_url(batch)).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1] < 11


def test_batch_of_somebody_elses_study_is_not_found(client: Client) -> None:
    sign_in_with(client, *STEERS)
    batch = make_running()

    pages = [client.get(live_url(batch)), client.get(steer_url(batch, "drain"))]
    done = client.post(steer_url(batch, "pause"))

    assert [page.status_code for page in (*pages, done)] == [404, 404, 404]
    assert Batch.objects.get().status == "open"


def test_steering_needs_its_permission(client: Client) -> None:
    sign_in_with(client, "view_batch", "change_batch", "launch_batch", "see_all_studies")
    batch = make_running()

    page = client.get(live_url(batch))
    answers = [client.post(steer_url(batch, verb), {"confirmed": "yes"}).status_code for verb in VERBS]

    assert page.context["verbs"] == []
    assert answers == [403] * len(VERBS)
    assert (Batch.objects.get().status, BatchEvent.objects.count()) == ("open", 0)


def test_unknown_verb_is_not_found(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")

    assert client.post(steer_url(make_running(), "explode"), {"confirmed": "yes"}).status_code == 404


def test_pause_and_resume_are_buttons(client: Client) -> None:
    user = sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()

    paused = client.post(steer_url(batch, "pause"), follow=True)
    state = Batch.objects.get().status
    again = client.post(steer_url(batch, "pause"), follow=True)
    client.post(steer_url(batch, "resume"))

    assert "Paused: nothing more is sent" in text_of(paused)
    assert (paused.status_code, again.status_code) == (200, 200)
    assert (state, Batch.objects.get().status) == ("paused", "launching")
    assert {event.by for event in BatchEvent.objects.all()} == {user}


def test_pilot_is_released_by_its_button(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running(pilot_hits=1)
    make_hit(batch=batch, number=3, status="intended", external_id="", sent_at=None)

    client.post(steer_url(batch, "release-pilot"))

    found = Batch.objects.get()
    assert found.pilot_released_at is not None
    assert found.status == "launching"


@pytest.mark.parametrize("verb", ["drain", "cancel"])
def test_what_cannot_be_taken_back_is_asked_about_first(client: Client, verb: str) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()
    make_hit(batch=batch, number=3, status="intended", external_id="", sent_at=None)

    asked = client.post(steer_url(batch, verb))
    unchanged = Batch.objects.get().status
    confirm(client, steer_url(batch, verb))

    text = text_of(asked)
    assert "HITs expired at the provider: 2." in text
    assert "HITs not sent yet, which are withdrawn: 1." in text
    assert "Assignments in progress: 1." in text
    # The button and the way back are named apart.
    assert f">{verb.capitalize()} the batch</button>" in text
    assert ">Keep it</a>" in text
    assert (unchanged, Batch.objects.get().status) == ("open", "draining")


def test_extending_says_what_it_does_and_then_does_it_once(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()
    HIT.objects.update(expires_at=NOW)

    asked = client.post(steer_url(batch, "extend"), {"hours": 48})
    form = {"hours": 48, "as_of": as_of(asked), "confirmed": "yes"}
    done = client.post(steer_url(batch, "extend"), form, follow=True)
    again = client.post(steer_url(batch, "extend"), form, follow=True)

    assert "2 HITs can be started for 2 days longer." in text_of(asked)
    assert "The HITs stay open longer." in text_of(done)
    assert "Another person changed this batch" in text_of(again)
    assert Change.objects.count() == 2
    assert Change.objects.filter(expires_at__gte=NOW + timedelta(hours=48)).count() == 2


def test_extending_what_is_over_shows_what_its_open_places_cost(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running(status="complete")
    HIT.objects.update(expires_at=NOW, status="closed")
    for _ in range(3):
        make_assignment(hit=HIT.objects.get(number=2), status="submitted")
    make_assignment(hit=HIT.objects.get(number=1), status="submitted")

    asked = client.post(steer_url(batch, "extend"), {"hours": 1})
    confirm(client, steer_url(batch, "extend"), hours=1)

    assert "1 HIT can be started for 1 hour longer." in text_of(asked)
    assert "$0.08" in asked.context["confirm"].cost
    assert Batch.objects.get().reserved == Decimal("0.08")


def test_adding_hits_shows_the_cost_and_the_budget_before(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running(study=make_study(budget=Decimal(5)))
    make_association(study=batch.study)

    asked = client.post(steer_url(batch, "add-hits"), {"count": 4})
    form = {"count": 4, "as_of": as_of(asked), "confirmed": "yes"}
    client.post(steer_url(batch, "add-hits"), form)
    again = client.post(steer_url(batch, "add-hits"), form, follow=True)

    text = text_of(asked)
    assert "4 HITs with 12 places in all." in text
    assert "at most <strong>$0.48</strong>" in text
    assert "has <strong>$5.00</strong> left" in text
    assert "Another person changed this batch" in text_of(again)
    assert batch.hits.count() == 6


@pytest.mark.django_db(transaction=True)
def test_form_sent_twice_at_once_adds_once() -> None:
    user = make_user(is_superuser=True)
    batch = make_running()
    make_association(study=batch.study)
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(user)
    form = {"count": 4, "as_of": "0", "confirmed": "yes"}

    def send(client: Client) -> int:
        try:
            return client.post(steer_url(batch, "add-hits"), form).status_code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(send, clients))

    assert answers == [302, 302]
    assert (batch.hits.count(), BatchEvent.objects.count()) == (6, 1)


def test_adding_more_than_the_budget_holds_is_refused_and_changes_nothing(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running(study=make_study(budget=Decimal("0.10")))
    make_association(study=batch.study)

    asked = client.post(steer_url(batch, "add-hits"), {"count": 4})
    refused = confirm(client, steer_url(batch, "add-hits"), count=4)

    assert "That is more than is left." in asked.context["confirm"].problem
    assert "Raise the study" in text_of(refused)
    assert (batch.hits.count(), BatchEvent.objects.count()) == (2, 0)


def test_adding_places_shows_the_cost_of_all_hits(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()

    asked = client.post(steer_url(batch, "add-places"), {"places": 2})
    confirm(client, steer_url(batch, "add-places"), places=2)

    assert "2 more places on each of 2 HITs." in text_of(asked)
    assert "$0.16" in asked.context["confirm"].cost
    assert [change.places for change in Change.objects.all()] == [2, 2]


def test_adding_places_costs_the_higher_fee_on_large_hits(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    terms = {"bonus_rules": [], "fee_schedule": "amazon"}
    batch = make_batch(status="open", account=make_account(), reward=Decimal(1), terms=terms)
    make_hit(batch=batch, max_assignments=3)
    make_hit(batch=batch, max_assignments=10)

    asked = client.post(steer_url(batch, "add-places"), {"places": 1})

    assert "$2.60" in asked.context["confirm"].cost


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("extend", {"hours": "0"}),
        ("extend", {"hours": "x"}),
        ("add-hits", {"count": "100001"}),
        ("add-places", {"places": ""}),
    ],
)
def test_wrong_number_is_asked_for_again(client: Client, verb: str, form: dict[str, str]) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()
    before = (HIT.objects.count(), Change.objects.count())

    page = client.post(steer_url(batch, verb), {**form, "as_of": "0", "confirmed": "yes"})

    assert page.status_code == 400
    assert page.context["form"].errors
    assert (HIT.objects.count(), Change.objects.count(), BatchEvent.objects.count()) == (*before, 0)


def test_form_from_before_somebody_elses_deed_does_nothing(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()
    page = client.get(steer_url(batch, "drain"))
    BatchEvent.objects.create(batch=batch, kind="k", words="w", by=make_user(), at=NOW)

    client.post(steer_url(batch, "drain"), {"as_of": as_of(page), "confirmed": "yes"})

    assert Batch.objects.get().status == "open"


def test_exporting_does_not_count_as_a_deed(client: Client) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_running()
    page = client.get(steer_url(batch, "drain"))
    BatchEvent.objects.create(batch=batch, kind="exported", words="w", by=make_user(), at=NOW)

    client.post(steer_url(batch, "drain"), {"as_of": as_of(page), "confirmed": "yes"})

    assert Batch.objects.get().status == "draining"


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ("launching", ["pause", "extend", "add-hits", "add-places", "drain", "cancel"]),
        ("paused_funds", ["resume", "extend", "add-hits", "add-places", "drain", "cancel"]),
        ("paused", ["resume", "add-hits", "drain", "cancel"]),
        ("draining", []),
        ("complete", ["extend", "add-hits", "add-places"]),
        ("cancelled", []),
    ],
)
def test_verbs_shown_are_those_that_can_be_done(client: Client, status: str, shown: list[str]) -> None:
    sign_in_with(client, *STEERS, "see_all_studies")
    batch = make_batch(status=status)

    assert [one.key for one in client.get(live_url(batch)).context["verbs"]] == shown
