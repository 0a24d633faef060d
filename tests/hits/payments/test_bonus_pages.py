"""One bonus as payments staff find it, from the id in a file, and read it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.ledger.models.bonuses import Bonus
from hits.payments.queries.run_list import visible_runs
from hits.studies.models import Study
from tests.factories import NOW, approve, make_study
from tests.hits.books import open_batch, owed_bonus, paid_bonus
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
MOST = 20
DESK = ("view_bonus", "view_run", "view_ledgerentry", "view_worker", "view_study", "view_assignment")


def study_of(bonus: Bonus) -> Study:
    return bonus.assignment.hit.batch.study


def page_of(bonus: Bonus) -> str:
    return reverse("admin:hits_bonus_change", args=[bonus.pk])


def listed(client: Client, name: str, text: str) -> list[Any]:
    page: Any = client.get(reverse(f"admin:hits_{name}_changelist"), {"q": text})
    return list(page.context["cl"].result_list)


def search(client: Client, text: str) -> str:
    return text_of(client.get(reverse("admin:search"), {"q": text})).partition('<div class="page">')[2]


@pytest.mark.parametrize("name", ["public_id", "token"])
def test_bonus_of_a_file_is_found_by_its_id_everywhere(client: Client, name: str) -> None:
    batch = open_batch()
    paid_bonus(batch)
    bonus = paid_bonus(batch, rule="thanks")
    sign_in_with(client, *DESK, studies=[batch.study])
    key = str(getattr(bonus, name))

    found = search(client, key)

    assert page_of(bonus) in found
    assert "Nothing has" not in found
    assert listed(client, "bonus", f" {key} ") == [bonus]
    assert {entry.bonus for entry in listed(client, "ledgerentry", key)} == {bonus}
    books: Any = client.get(reverse("admin:hits_ledger_study", args=[batch.study_id]), {"q": key})
    assert {entry.bonus for entry in books.context["entries"]} == {bonus}


def test_first_digits_of_an_id_and_the_work_of_a_manifests_line_are_found(client: Client) -> None:
    batch = open_batch()
    bonus, _ = paid_bonus(batch, rule="thanks"), paid_bonus(batch)
    user = sign_in_with(client, *DESK, studies=[batch.study])
    run = visible_runs(user).get(rows__bonus=bonus)

    found = search(client, str(bonus.public_id)[:8])
    work = search(client, str(bonus.assignment.public_id))

    assert f'<a href="{page_of(bonus)}">$0.27 to {bonus.assignment.worker}, thanks</a>' in found
    assert reverse("admin:hits_run_change", args=[run.pk]) in search(client, str(run.public_id)[:8].upper())
    assert reverse("admin:hits_assignment_change", args=[bonus.assignment_id]) in work
    assert listed(client, "bonus", str(bonus.token)[:8]) == [bonus]
    assert "Nothing has" in search(client, "00000000")


def test_run_is_found_by_the_id_in_its_manifests_name_and_shows_the_bonus_by_its_id(client: Client) -> None:
    batch = open_batch()
    bonus = paid_bonus(batch)
    user = sign_in_with(client, *DESK, studies=[batch.study])
    run = visible_runs(user).get()
    address = reverse("admin:hits_run_change", args=[run.pk])

    page: Any = client.get(address, {"q": str(bonus.public_id)})

    assert address in search(client, str(run.public_id))
    assert [row.bonus_id for row, _ in page.context["lines"]] == [bonus.pk]
    assert f'<a href="{page_of(bonus)}">' in text_of(page)


def test_ledger_is_searched_by_a_worker_and_says_what_it_searches(client: Client) -> None:
    batch = open_batch()
    bonus, _ = paid_bonus(batch), paid_bonus(batch)
    sign_in_with(client, *DESK, studies=[batch.study])
    worker = bonus.assignment.worker

    found = listed(client, "ledgerentry", worker.pseudonym)

    assert {entry.assignment.worker for entry in found} == {worker}
    for name in ("bonus", "ledgerentry"):
        page = text_of(client.get(reverse(f"admin:hits_{name}_changelist")))
        assert 'id="searchbar_helptext">A bonus’s ' in page


def test_page_of_a_paid_bonus_tells_its_work_rule_money_and_run(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    rules = [{"kind": "flat", "name": "thanks", "amount": "0.27"}]
    batch = open_batch(terms={"bonus_rules": rules, "fee_schedule": "amazon"})
    bonus = paid_bonus(batch, rule="thanks", figures={"kind": "flat"})
    user = sign_in_with(client, *DESK, "view_batch", studies=[batch.study])
    run = visible_runs(user).get()

    with django_assert_max_num_queries(MOST):
        page = text_of(client.get(page_of(bonus)))

    worker = bonus.assignment.worker
    for name, row in (("worker_change", worker.pk), ("assignment_work", bonus.assignment_id)):
        assert f'href="{reverse(f"admin:hits_{name}", args=[row])}"' in page
    assert f'<p class="amount">$0.27 to worker {worker}</p>' in page
    assert "<p>Paid, and confirmed by the provider’s list.</p>" in page
    assert '<span class="tag good">Paid, confirmed by the provider</span>' in page
    assert "<strong>thanks</strong>: $0.27 for every approved submission" in page
    assert (
        f'<a href="{reverse("admin:hits_run_change", args=[run.pk])}">{run.title}</a>: approved, and paid'
        in page
    )
    booked = [entry.get_kind_display() for entry in bonus.ledger.order_by("pk")]
    found = [page.index(f"<td>{words}</td>") for words in booked]
    assert len(booked) == 5
    assert found == sorted(found)
    assert "<code>figures</code>" in page


def test_rule_of_a_bonus_says_what_its_measures_are(client: Client) -> None:
    tiers = [{"from": 40, "amount": "0.03"}]
    when = {"measure": "solvable", "at_least": 80}
    rules = [{"kind": "tiers", "name": "fooled", "measure": "fool", "tiers": tiers, "when": when}]
    batch = open_batch(terms={"bonus_rules": rules, "fee_schedule": "amazon"})
    bonus = owed_bonus(batch, rule="fooled", figures={"kind": "tiers"})
    sign_in_with(client, *DESK, studies=[batch.study])

    page = text_of(client.get(page_of(bonus)))

    assert (
        "for each item by its score “fool”, only where “solvable” is at least 80 %: $0.03 from 40 % on"
        in page
    )
    assert "(“fool” is how far your words misled the model; “solvable” is how well other" in page


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "Owed, and in no run yet: nobody has decided on it."),
        ({"held_reason": "Odd", "held_at": NOW}, "goes into no run until"),
        ({"status": "refused", "problem": "No such worker."}, "In the provider’s words: No such worker."),
        ({"status": "unknown"}, "The request got no clear answer"),
    ],
)
def test_page_of_a_bonus_says_where_it_stands(client: Client, changes: Any, words: str) -> None:
    bonus = owed_bonus(open_batch())
    user = sign_in_with(client, *DESK, "prepare_run", studies=[study_of(bonus)])
    if "held_at" in changes:
        changes = {**changes, "held_by": user}
    Bonus.objects.filter(pk=bonus.pk).update(before_runs=True, **changes)

    page = text_of(client.get(page_of(bonus)))

    assert words in page
    assert ("Put it into a run…" in page) == (not changes)


def test_bonus_is_held_and_released_on_its_own_page_and_the_audit_log_names_it(client: Client) -> None:
    bonus = owed_bonus(open_batch(), rule="thanks")
    sign_in_with(client, *DESK, "hold_bonus", "view_auditevent", studies=[study_of(bonus)])
    hold, release = (reverse(f"admin:hits_bonus_{verb}", args=[bonus.pk]) for verb in ("hold", "release"))
    named = f"“thanks” of {bonus.assignment.worker}"

    before = text_of(client.get(page_of(bonus)))
    asked = text_of(client.get(hold))
    held = text_of(client.post(hold, {"text": "Ask first", "confirmed": "yes"}, follow=True))
    bonus.refresh_from_db()
    reason = bonus.held_reason
    client.post(release)

    bonus.refresh_from_db()
    assert (reason, bonus.held_at) == ("Ask first", None)
    assert (f'href="{hold}"' in before, release in before) == (True, False)
    assert f"1 bonus chosen, $0.27: {named}, $0.27" in asked
    assert (f'action="{release}"' in held, f'href="{hold}"' in held) == (True, False)
    log = text_of(
        client.get(reverse("admin:hits_auditevent_changelist"), {"q": str(bonus.assignment.worker)})
    )
    assert log.count(f'<a href="{page_of(bonus)}">{named}</a>') == 2


def test_who_may_not_hold_is_offered_no_hold_and_changes_nothing(client: Client) -> None:
    bonus, other = owed_bonus(open_batch()), owed_bonus(open_batch())
    sign_in_with(client, *DESK, studies=[study_of(bonus)])
    hold = reverse("admin:hits_bonus_hold", args=[bonus.pk])
    page, refused = (
        text_of(client.get(page_of(bonus))),
        client.post(hold, {"text": "Odd", "confirmed": "yes"}),
    )
    sign_in_with(client, *DESK, "hold_bonus", studies=[study_of(bonus)])
    unseen = client.post(
        reverse("admin:hits_bonus_hold", args=[other.pk]), {"text": "Odd", "confirmed": "yes"}
    )

    assert hold not in page
    assert (refused.status_code, unseen.status_code) == (403, 404)
    assert not Bonus.objects.filter(held_at__isnull=False).exists()


def test_owed_bonus_is_found_where_its_page_leads_to_prepare_a_run(client: Client) -> None:
    bonus, _ = owed_bonus(batch := open_batch()), owed_bonus(batch)
    sign_in_with(client, *DESK, "prepare_run", studies=[batch.study])
    answer: Any = client.get(page_of(bonus))

    prepare: Any = client.get(answer.context["prepare_url"])

    assert list(prepare.context["page"]) == [bonus]


def test_page_of_a_bonus_shows_no_run_of_studies_that_are_hidden(client: Client) -> None:
    bonus, other = owed_bonus(open_batch()), owed_bonus(open_batch())
    approve([bonus, other], now=NOW)
    sign_in_with(client, *DESK, studies=[study_of(bonus)])

    page = text_of(client.get(page_of(bonus)))

    assert "A run with bonuses of studies that you do not see: approved" in page
    assert "hits/run/" not in page.partition("<h3>Runs with it</h3>")[2]


def test_ledger_names_worker_and_rule_on_its_page_and_in_its_file(client: Client) -> None:
    batch = open_batch()
    bonus = paid_bonus(batch, rule="thanks")
    sign_in_with(client, *DESK, studies=[batch.study])

    page = text_of(client.get(reverse("admin:hits_ledgerentry_changelist"), {"kind__exact": "sent"}))
    file = client.get(reverse("admin:hits_ledgerentry_csv"), {"kind__exact": "sent"})

    worker = bonus.assignment.worker.pseudonym
    books = text_of(client.get(reverse("admin:hits_ledger_study", args=[batch.study_id])))
    of_worker = reverse("admin:hits_worker_change", args=[bonus.assignment.worker_id])
    assert f'<td class="field-worker"><a href="{of_worker}">{worker}</a></td>' in page
    assert f'Bonus sent <span class="help"><a href="{page_of(bonus)}">thanks</a></span>' in page
    assert f'<a href="{of_worker}">{worker}</a>' in books
    assert f'Bonus sent (<a href="{page_of(bonus)}">thanks</a>)' in books
    assert "<td>Approved</td><td>Sent</td>" in books
    head, row = b"".join(file.streaming_content).decode("utf-8-sig").splitlines()  # type: ignore[attr-defined]
    assert head == "At,Amount,Kind,Rule,Worker,Study,Batch,From → to,Words,Grant code,By,Currency"
    assert f",Bonus sent,thanks,{worker},{batch.study}," in row


def test_bonus_of_a_hidden_study_is_not_found_by_its_id(client: Client) -> None:
    bonus = owed_bonus(open_batch())
    sign_in_with(client, *DESK, studies=[make_study()])

    assert "Nothing has" in search(client, str(bonus.public_id))
    assert listed(client, "bonus", str(bonus.public_id)) == []
    assert listed(client, "ledgerentry", str(bonus.public_id)) == []
    assert client.get(page_of(bonus)).status_code in (302, 404)


def test_bonus_is_not_found_without_the_permission_to_see_bonuses(client: Client) -> None:
    bonus = owed_bonus(open_batch())
    sign_in_with(client, "view_study", "view_ledgerentry", studies=[study_of(bonus)])

    assert page_of(bonus) not in search(client, str(bonus.public_id))
    assert client.get(page_of(bonus)).status_code == 403
