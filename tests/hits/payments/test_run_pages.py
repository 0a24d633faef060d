"""The pages of bonus runs: what they show, what they ask, and how many queries they take."""

from collections.abc import Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs, kill_switch, run_rows
from hits.studies.models import Study
from tests.factories import (
    NOW,
    approve,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
)
from tests.pages import text_of
from tests.people import permissions, sign_in_with

pytestmark = pytest.mark.django_db
LIST = "admin:hits_run_changelist"
PREPARE = "admin:hits_run_prepare"
MOST = 11


def sign_in_reader(client: Client, *also: str, studies: Sequence[Study] = ()) -> User:
    """Sign in a reader of runs and bonuses, who sees every study unless some are given."""
    names = (
        ("view_run", "view_bonus", *also) if studies else ("view_run", "view_bonus", "see_all_studies", *also)
    )
    return sign_in_with(client, *names, studies=studies)


def preparer(client: Client, **more: Any) -> User:
    return sign_in_reader(client, "prepare_run", "hold_bonus", **more)


def approver(client: Client, **more: Any) -> User:
    return sign_in_reader(client, "approve_run", **more)


def url(name: str, run: Run) -> str:
    return reverse(f"admin:hits_run_{name}", args=[run.pk])


def owed(count: int = 1, *, study: Study | None = None, **changes: Any) -> list[Bonus]:
    hit = make_hit(batch=make_batch(status="open", study=study or make_study()))
    return [
        make_bonus(status="owed", assignment=make_assignment(hit=hit, status="approved"), **changes)
        for _ in range(count)
    ]


def draft(bonuses: list[Bonus], *, by: User | None = None) -> Run:
    by = by or make_user(is_superuser=True)
    return bonus_runs.prepare_run(bonuses=bonuses, by=by, title="November", now=NOW)


def frozen(bonuses: list[Bonus], *, by: User | None = None) -> Run:
    run = draft(bonuses, by=by)
    bonus_runs.freeze_run(run=run, by=run.prepared_by, now=NOW)
    return run


def text(client: Client, address: str, **query: str) -> str:
    answer = client.get(address, query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_run_goes_from_what_is_owed_to_the_approval(client: Client) -> None:
    owed(3, amount=Decimal("0.27"))
    preparer(client)

    made = client.post(reverse(PREPARE), {"which": "all", "title": "November"})
    run = Run.objects.get()
    asked = text(client, url("freeze", run))
    client.post(url("freeze", run))
    waits = text(client, url("change", run))
    approver(client)
    run.refresh_from_db()
    page = text(client, url("change", run))
    client.post(url("approve", run), {"digest": run.digest, "confirmed": "3 bonuses, $0.81"})

    run.refresh_from_db()
    assert made.headers["Location"] == url("change", run)
    assert "Freeze: 3 bonuses, $0.81" in asked
    assert "It waits for a second person" in waits
    assert url("approve", run) not in waits
    assert "Approve 3 bonuses, $0.81" in page
    assert run.digest in page
    assert run.status == "approved"


@pytest.mark.parametrize("said", ["", "2 bonuses, $0.02", "3 bonuses, $0.81"])
def test_approval_without_the_count_and_total_approves_nothing(client: Client, said: str) -> None:
    run = frozen(owed())
    approver(client)

    page = client.post(url("approve", run), {"digest": run.digest, "confirmed": said}, follow=True)

    run.refresh_from_db()
    assert run.status == "frozen"
    assert "Nothing was approved: confirm" in text_of(page)


def test_real_money_is_approved_by_typing_the_total(client: Client) -> None:
    hit = make_hit(batch=make_batch(status="open", account=make_account(environment="production")))
    run = frozen([make_bonus(status="owed", assignment=make_assignment(hit=hit, status="approved"))])
    approver(client)

    page = text(client, url("change", run))
    client.post(url("approve", run), {"digest": run.digest, "confirmed": "1 bonus, $0.01"})
    run.refresh_from_db()
    ticked = run.status
    client.post(url("approve", run), {"digest": run.digest, "confirmed": "$0.01"})

    run.refresh_from_db()
    assert "This is real money. Type the total, $0.01" in page
    assert (ticked, run.status) == ("frozen", "approved")


def test_changed_row_is_shown_to_the_approver_and_voids_the_approval(client: Client) -> None:
    bonuses = owed(2)
    run = frozen(bonuses)
    Bonus.objects.filter(pk=bonuses[0].pk).update(amount=Decimal("0.09"))
    approver(client)

    page = text(client, url("change", run))
    after = client.post(
        url("approve", run), {"digest": run.digest, "confirmed": "2 bonuses, $0.02"}, follow=True
    )

    assert "1 row changed." in page
    assert "the run changed after the freeze, and is void" in text_of(after)
    assert {bonus.status for bonus in Bonus.objects.all()} == {"owed"}


def test_approver_reads_what_became_owed_since_the_freeze(client: Client) -> None:
    study = make_study()
    run = frozen(owed(study=study))
    Run.objects.filter(pk=run.pk).update(frozen_at=NOW.replace(hour=11))
    owed(2, study=study, amount=Decimal("0.30"))
    owed(4)
    approver(client)

    page: Any = client.get(url("change", run))

    since = page.context["since"]
    assert (since.new_count, since.new_total, since.changed) == (2, Decimal("0.60"), [])
    assert "2 more bonuses became owed in its studies, $0.60" in text_of(page)


def test_outliers_come_first_and_can_be_shown_alone(client: Client) -> None:
    study = make_study(large_bonus=Decimal(1))
    bonuses = [*owed(3, study=study), *owed(study=study, amount=Decimal(2))]
    run = draft(bonuses)
    sign_in_reader(client)

    page: Any = client.get(url("change", run))
    alone: Any = client.get(url("change", run), {"show": "marked"})
    found: Any = client.get(url("change", run), {"q": bonuses[1].assignment.worker.pseudonym})

    first = page.context["lines"][0]
    assert (first[0].bonus_id, first[1]) == (bonuses[3].pk, ["Above $1.00."])
    assert [row.bonus_id for row, _ in alone.context["lines"]] == [bonuses[3].pk]
    assert [row.bonus_id for row, _ in found.context["lines"]] == [bonuses[1].pk]


def test_mark_that_was_new_at_the_approval_is_named_beside_the_box_and_kept(client: Client) -> None:
    study = make_study(large_bonus=Decimal(1))
    bonuses = [*owed(study=study), *owed(study=study, amount=Decimal(2))]
    run = frozen(bonuses)
    blocked = bonuses[0].assignment.worker
    user = approver(client)
    Block.objects.create(worker=blocked, kind="soft", status="active", reason="Odd", by=user, made_at=NOW)

    page = text_of(client.get(url("change", run)))
    said = {"digest": run.digest, "confirmed": "2 bonuses, $2.01"}
    client.post(url("approve", run), said)
    Block.objects.all().delete()
    after: Any = client.get(url("change", run))

    box = page.partition('name="confirmed"')[2].partition("</label>")[0]
    assert "at the 2 marked rows: 2 bonuses, $2.01. Newly marked: " in box
    assert f"{blocked}, {bonuses[0].rule}, $0.01: The worker is blocked." in box
    assert Run.objects.get().status == "approved"
    assert [words for _, words in after.context["lines"]] == [["The worker is blocked."], ["Above $1.00."]]
    assert "2 marked rows</strong> when it was approved, first in the list." in text_of(after)


def test_refusal_needs_a_reason_that_the_preparer_reads(client: Client) -> None:
    run = frozen(owed())
    approver(client)

    client.post(url("refuse", run), {"reason": " "})
    run.refresh_from_db()
    silent = run.status
    client.post(url("refuse", run), {"reason": "Rejected work is in it"})

    assert silent == "frozen"
    assert "Rejected work is in it" in text(client, url("change", run))


def test_rows_are_taken_out_held_and_split_off(client: Client) -> None:
    out, odd, other, last = owed(4)
    run = draft([out, odd, other, last], by=preparer(client))
    rows = url("rows", run)

    client.post(rows, {"verb": "take_out", "bonus": out.pk})
    asked = text_of(client.post(rows, {"verb": "hold", "bonus": odd.pk}))
    client.post(rows, {"verb": "hold", "bonuses": odd.pk, "confirmed": "yes", "text": "Looks odd"})
    client.post(rows, {"verb": "split", "bonus": other.pk, "confirmed": "yes", "text": "Odd ones"})

    run.refresh_from_db()
    odd.refresh_from_db()
    assert "Hold 1 bonus?" in asked
    assert f"$0.01: “{odd.rule}” of {odd.assignment.worker}, $0.01" in asked
    assert (run.count, odd.held_reason) == (1, "Looks odd")
    assert [row.bonus for row in Run.objects.get(title="Odd ones").rows.all()] == [other]


def test_refused_words_about_rows_and_runs_come_back_as_they_were_typed(client: Client) -> None:
    run = draft(owed(2), by=preparer(client))
    bonuses = ",".join(str(row.bonus_id) for row in run.rows.all())
    sent = {"verb": "split", "bonuses": bonuses, "confirmed": "yes", "text": "All of them"}

    split = client.post(url("rows", run), sent)
    other = frozen(owed())
    approver(client)
    refused = client.post(url("refuse", other), {"reason": "x" * 1001})

    assert (split.status_code, 'value="All of them"' in text_of(split)) == (409, True)
    assert (refused.status_code, "x" * 1001 in text_of(refused)) == (400, True)


@pytest.mark.parametrize("verb", ["freeze", "unfreeze", "dissolve"])
def test_page_that_asks_about_a_run_that_has_moved_on_says_so_at_once(client: Client, verb: str) -> None:
    run = draft(owed(2), by=preparer(client))
    bonus_runs.freeze_run(run=run, by=run.prepared_by, now=NOW)
    bonus_runs.approve_run(run=run, digest=run.digest, by=make_user(is_superuser=True), now=NOW)

    asked = client.get(url(verb, run), follow=True)

    assert asked.redirect_chain == [(url("change", run), 302)]
    assert "This run is approved by now. Nothing was changed." in text_of(asked)


@pytest.mark.parametrize("verb", ["hold", "split", "take_out"])
def test_rows_of_a_run_that_has_moved_on_are_not_asked_about(client: Client, verb: str) -> None:
    run = draft(owed(2), by=preparer(client))
    bonus_runs.freeze_run(run=run, by=run.prepared_by, now=NOW)
    bonus_runs.refuse_run(run=run, reason="Odd", by=make_user(is_superuser=True), now=NOW)

    asked = client.post(url("rows", run), {"verb": verb, "bonus": run.rows.all()[0].bonus_id}, follow=True)

    assert asked.redirect_chain == [(url("change", run), 302)]
    assert "This run is refused by the second person by now. Nothing was changed." in text_of(asked)
    assert not Bonus.objects.filter(held_at__isnull=False).exists()


def test_approval_of_what_is_prepared_again_says_that_and_asks_for_no_total(client: Client) -> None:
    run = frozen(owed(2))
    digest = run.digest
    bonus_runs.unfreeze_run(run=run, by=run.prepared_by, now=NOW)
    approver(client)

    page = client.post(url("approve", run), {"digest": digest, "confirmed": "9 bonuses, $0.09"}, follow=True)

    run.refresh_from_db()
    assert run.status == "draft"
    assert "This run is being prepared by now: nothing was approved." in text_of(page)


def test_approval_while_payments_are_stopped_says_when_they_are_sent(client: Client) -> None:
    run = frozen(owed())
    kill_switch.halt_payments(account=None, reason="Odd", by=None, now=NOW)
    approver(client)

    page = client.post(
        url("approve", run), {"digest": run.digest, "confirmed": "1 bonus, $0.01"}, follow=True
    )

    assert "Payments are stopped: they are sent once somebody lets them go on." in text_of(page)
    assert "in a moment" not in text_of(page)


def test_nothing_ticked_changes_nothing(client: Client) -> None:
    run = draft(owed(), by=preparer(client))

    page = client.post(url("rows", run), {"verb": "take_out"}, follow=True)

    run.refresh_from_db()
    assert run.count == 1
    assert "Tick the rows first." in text_of(page)


def test_rows_of_another_run_are_not_reached_through_this_one(client: Client) -> None:
    user = preparer(client)
    run, other = draft(owed(), by=user), draft(owed(), by=user)

    client.post(url("rows", run), {"verb": "take_out", "bonus": other.rows.get().bonus_id})

    assert [part.rows.count() for part in (run, other)] == [1, 1]


def test_manifest_is_the_file_that_the_digest_is_of(client: Client) -> None:
    run = approve(owed(3))
    assert run is not None
    sign_in_reader(client)

    file = client.get(url("manifest", run))

    assert sha256(file.content).hexdigest() == run.digest
    assert file.headers["Content-Disposition"] == f'attachment; filename="run-{run.public_id}.txt"'
    assert f"sha256sum run-{run.public_id}.txt" in text(client, url("change", run))


def test_draft_has_no_manifest(client: Client) -> None:
    run = draft(owed())
    sign_in_reader(client)

    assert client.get(url("manifest", run)).status_code == 404


def test_approved_run_shows_how_far_it_is(client: Client) -> None:
    bonuses = owed(3)
    run = approve(bonuses)
    assert run is not None
    Bonus.objects.filter(pk=bonuses[0].pk).update(status="sent")
    Bonus.objects.filter(pk=bonuses[1].pk).update(status="unknown")
    sign_in_reader(client)

    page: Any = client.get(url("change", run))

    assert [(part.words, part.count) for part in page.context["progress"]] == [
        ("Approved", 1),
        ("Unknown outcome", 1),
        ("Sent", 1),
    ]
    assert "1 of 3 done" in text_of(page)


def test_run_says_what_it_paid_what_is_left_and_why(client: Client) -> None:
    bonuses = owed(3, amount=Decimal("0.27"))
    run = approve(bonuses)
    assert run is not None
    Bonus.objects.filter(pk__in=[bonus.pk for bonus in bonuses[:2]]).update(status="confirmed", sent_at=NOW)
    Bonus.objects.filter(pk=bonuses[2].pk).update(status="refused", problem="The worker's account is closed.")
    sign_in_reader(client)

    page = text_of(client.get(url("change", run)))

    assert "Paid: 2 bonuses, $0.54</strong>, the last on 21 Nov 2026, 12:00 UTC." in page
    assert "1 bonus, $0.27, is not paid. The table says why." in page
    assert "Not paid: the provider refused it." in page
    assert "The worker&#x27;s account is closed." in page
    assert reverse("admin:hits_payment_queue") in page


def test_voided_run_counts_no_bonus_that_another_run_paid(client: Client) -> None:
    run = approve(owed(2))
    assert run is not None
    Run.objects.filter(pk=run.pk).update(status="void")
    run.rows.update(is_live=False)
    Bonus.objects.update(status="confirmed", sent_at=NOW)
    sign_in_reader(client)

    page = text_of(client.get(url("change", run)))

    assert "Nothing of it is paid.</strong>" in page
    assert "No longer in this run" in page


def test_approved_run_is_looked_at_again_while_something_of_it_is_being_sent(client: Client) -> None:
    bonuses = owed(2)
    run = frozen(bonuses)
    approver(client)
    address = url("change", run)
    before = text_of(client.get(f"{address}?fragment"))
    bonus_runs.approve_run(run=run, digest=run.digest, by=make_user(is_superuser=True), now=NOW)

    sending, fragment = client.get(address), client.get(f"{address}?fragment")
    listed = text_of(client.get(reverse(LIST)))
    halt = kill_switch.halt_payments(account=None, reason="Odd", by=None, now=NOW)
    stopped = text_of(client.get(address))
    halt.delete()
    Bonus.objects.update(status="sent", sent_at=NOW)
    sent = client.get(f"{address}?fragment")

    assert 'data-every="5000"' in before
    assert "/static/hits/live.js" in sending.content.decode()
    assert 'data-live data-every="4000" data-news="Approved."' in text_of(fragment)
    assert "<strong>Approved, and paid</strong>" in text_of(client.get(address))
    assert "Approved, and paid" not in listed
    assert "Approved, and paid" in text_of(client.get(reverse(LIST)))
    assert "what is not paid yet waits until somebody lets them go on" in stopped
    assert "goes on by itself" not in stopped
    assert "All of it is paid: 2 bonuses, $0.02</strong>, the last on " in text_of(sent)
    assert "Payments of every account are stopped." in stopped
    assert "are stopped" not in text_of(sent)
    assert 'data-every="0" data-news="Approved, and paid. 2 of 2 paid."' in text_of(sent)


@pytest.mark.parametrize("end", ["refuse", "dissolve"])
def test_page_looks_again_while_another_person_may_change_the_run(client: Client, end: str) -> None:
    run, by = draft(owed()), make_user(is_superuser=True)
    sign_in_reader(client)
    address = url("change", run)

    being_prepared = text_of(client.get(address))
    bonus_runs.freeze_run(run=run, by=run.prepared_by, now=NOW)
    waits = text_of(client.get(f"{address}?fragment"))
    if end == "refuse":
        bonus_runs.refuse_run(run=run, reason="Odd", by=by, now=NOW)
    else:
        bonus_runs.dissolve_run(run=run, by=run.prepared_by, now=NOW)
    ended = text_of(client.get(address))

    assert "/static/hits/live.js" in being_prepared
    assert ('data-every="5000"' in being_prepared, 'data-every="5000"' in waits) == (True, True)
    assert run.digest in waits
    assert ('data-every="0"' in ended, "live.js" in ended) == (True, False)


def test_run_with_a_row_of_another_study_is_not_shown_at_all(client: Client) -> None:
    study = make_study()
    own, mixed = frozen(owed(study=study)), frozen([*owed(study=study), *owed()])
    approver(client, studies=[study])

    page: Any = client.get(reverse(LIST))
    answers = [client.get(url("change", mixed)), client.get(url("manifest", mixed))]
    answers += [client.post(url(verb, mixed)) for verb in ("approve", "refuse")]

    assert list(page.context["cl"].result_list) == [own]
    assert [answer.status_code for answer in answers] == [404] * 4
    assert Run.objects.get(pk=mixed.pk).status == "frozen"


def test_list_shows_first_what_waits_for_me(client: Client) -> None:
    user = approver(client)
    user.user_permissions.add(*permissions("prepare_run"))
    waits = frozen(owed())
    mine_frozen = frozen(owed(), by=user)
    mine = draft(owed(), by=user)
    done = approve(owed())

    page: Any = client.get(reverse(LIST))
    me: Any = client.get(reverse(LIST), {"waits": "me"})

    assert list(page.context["cl"].result_list) == [waits, mine, mine_frozen, done]
    assert list(me.context["cl"].result_list) == [waits]


def test_owed_bonuses_are_found_by_what_they_are(client: Client) -> None:
    study = make_study()
    [wanted] = owed(study=study, rule="flat", amount=Decimal("0.50"))
    owed(study=study, rule="flat", amount=Decimal("0.10"))
    owed(2)
    preparer(client)
    asked = {"study": str(study.pk), "rule": "flat", "least": "0.20", "most": "1", "days": "0"}

    page: Any = client.get(reverse(PREPARE), asked)
    by_worker: Any = client.get(reverse(PREPARE), {"worker": wanted.assignment.worker.pseudonym})
    wrong: Any = client.get(reverse(PREPARE), {"least": "much"})

    assert (page.context["count"], page.context["total"]) == (1, Decimal("0.50"))
    assert [bonus.pk for bonus in by_worker.context["page"]] == [wanted.pk]
    assert wrong.context["count"] == 0
    assert "Enter a number." in text_of(wrong)


def test_only_what_matches_is_put_into_the_run(client: Client) -> None:
    owed(2)
    wanted = owed(2, rule="flat")
    preparer(client)

    client.post(f"{reverse(PREPARE)}?rule=flat", {"which": "all", "title": "Flat"})
    client.post(reverse(PREPARE), {"which": "ticked", "title": "None"})

    assert [row.bonus for row in Run.objects.get().rows.order_by("pk")] == wanted


def test_ticked_bonuses_are_added_to_a_draft(client: Client) -> None:
    run = draft(owed(), by=preparer(client))
    [more, _] = owed(2)

    client.post(reverse(PREPARE), {"which": "ticked", "bonus": more.pk, "into": run.pk})

    assert run.rows.filter(bonus=more).count() == 1
    assert run.rows.count() == 2


def test_refused_preparation_keeps_the_ticks_and_chooses_them(client: Client) -> None:
    first, second = owed(2)
    preparer(client)

    both: Any = client.post(reverse(PREPARE), {"which": "all", "bonus": second.pk, "title": "November"})
    untitled: Any = client.post(reverse(PREPARE), {"bonuses": f"{first.pk},{second.pk}", "title": ""})

    page = text_of(both)
    assert (both.status_code, untitled.status_code) == (409, 409)
    assert f'value="{second.pk}" checked' in page
    assert f'value="{first.pk}" checked' not in page
    assert 'id="which-ticked" checked' in page
    assert "2 bonuses chosen" in text_of(untitled)
    assert not Run.objects.exists()


def test_ticked_bonuses_that_are_not_free_stay_out_and_are_counted(client: Client) -> None:
    free, held, taken = owed(3)
    user = preparer(client)
    run_rows.hold_bonuses(bonuses=[held], reason="Odd", by=user, now=NOW)
    draft([taken])

    keys = [bonus.pk for bonus in (free, held, taken)]
    page = client.post(reverse(PREPARE), {"which": "ticked", "bonus": keys, "title": "Rest"}, follow=True)

    assert [row.bonus for row in Run.objects.get(title="Rest").rows.all()] == [free]
    assert "A draft is made. Left out of it: 1 held, 1 in another run." in text_of(page)


def test_bonuses_of_the_list_are_put_into_a_run_held_and_released(client: Client) -> None:
    first, second = owed(2)
    preparer(client)
    bonuses = reverse("admin:hits_bonus_changelist")

    asked = text_of(client.post(bonuses, {"action": "put_into_run", "_selected_action": first.pk}))
    client.post(reverse(PREPARE), {"bonuses": first.pk, "title": "November"})
    client.post(bonuses, {"action": "hold", "_selected_action": second.pk})
    client.post(bonuses, {"action": "hold", "_selected_action": second.pk, "confirmed": "yes", "text": "Odd"})
    second.refresh_from_db()
    held = second.held_reason
    client.post(bonuses, {"action": "release", "_selected_action": second.pk})

    second.refresh_from_db()
    assert "1 bonus chosen" in asked
    assert [row.bonus for row in Run.objects.get().rows.all()] == [first]
    assert (held, second.held_at) == ("Odd", None)


def test_pages_without_rows_say_what_to_do(client: Client) -> None:
    user = preparer(client)
    listed, nothing = text(client, reverse(LIST)), text(client, reverse(PREPARE))
    [bonus] = owed()
    run = draft([bonus], by=user)
    run_rows.take_out(run=run, bonuses=[bonus], by=user, now=NOW)

    assert "Prepare one from what is owed" in listed
    assert "Nothing is owed that could go into a run." in nothing
    sign_in_reader(client, "prepare_run", "review_assignment", "view_appeal")
    links = text(client, reverse(PREPARE))
    for name in ("assignment_review", "appeal_changelist"):
        assert f'href="{reverse(f"admin:hits_{name}")}' in links
    assert "This draft is empty." in text(client, url("change", run))


def test_pages_show_no_id_of_a_worker_at_the_provider(client: Client) -> None:
    bonuses = owed(2)
    run = frozen(bonuses)
    sign_in_reader(client)

    page = text(client, url("change", run)) + text(client, url("manifest", run))

    assert not any(bonus.assignment.worker.external_id in page for bonus in bonuses)
    assert not any(bonus.assignment.external_id in page for bonus in bonuses)


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999999999999", "\0"])
def test_pages_take_rubbish_for_a_page(client: Client, number: str) -> None:
    preparer(client)
    run = draft(owed())
    owed(2)

    assert client.get(url("change", run), {"page": number, "q": "\0"}).status_code == 200
    assert client.get(reverse(PREPARE), {"page": number, "into": number, "study": number}).status_code == 200


@pytest.mark.parametrize("stage", ["prepare", "draft", "frozen", "approved", "list", "freeze"])
def test_pages_ask_as_often_for_many_rows_as_for_few(client: Client, stage: str) -> None:
    study = make_study()
    user = sign_in_reader(client, "approve_run", "prepare_run", "hold_bonus", studies=[study])
    counts = []
    for size in (3, 30):
        if stage == "prepare":
            owed(size, study=study)
            address = reverse(PREPARE)
        elif stage == "approved":
            run = approve(owed(size, study=study))
            assert run is not None
            address = url("change", run)
        elif stage == "frozen":
            address = url("change", frozen(owed(size, study=study)))
        else:
            made = draft(owed(size, study=study), by=user)
            verb = {"draft": "change", "freeze": "freeze"}.get(stage)
            address = url(verb, made) if verb else reverse(LIST)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] <= MOST
