"""Why a worker may not work, batch by batch: what the page says is what the entry decides."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from hits.core.domain.requirements import NUMBER_APPROVED
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.queries.open_work import judge, standing_batches
from hits.studies.models import Batch
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.people import sign_in_with
from tests.qualifications.gates import TEST, WORK, toys  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
READER = ("view_worker", "view_assignment", "view_batch", "view_block")


def make_open(worker: Worker, *, items: int = 1, hits: int = 1, **changes: object) -> Batch:
    """Make an open batch on the worker's account, with HITs and items that need answers."""
    batch = make_batch(**{"account": worker.account, "task": WORK, "status": "open", **changes})
    for number in range(hits):
        make_hit(batch=batch, number=number + 1)
    for _ in range(items):
        Item.objects.create(study=batch.study, task=batch.task, wanted=1, answers_needed=1)
    return batch


def reason(worker: Worker, batch: Batch) -> str:
    found = standing_batches(worker, make_user(is_superuser=True)).get(pk=batch.pk)
    return judge(found, worker=worker, now=NOW).because


def block(worker: Worker) -> Block:
    return Block.objects.create(
        worker=worker, kind="soft", status="active", reason="Blank work", by=make_user(), made_at=NOW
    )


def words_of(client: Client, worker: Worker) -> str:
    page = client.get(reverse("admin:hits_worker_change", args=[worker.pk]), {"show": "standing"})
    assert page.status_code == 200
    return " ".join(strip_tags(page.text.split('id="content-main"')[-1]).split())


def test_who_is_kept_out_by_nothing_may_work() -> None:
    worker = make_worker()

    assert reason(worker, make_open(worker)) == ""


def _take_part_before(worker: Worker, batch: Batch) -> None:
    earlier = make_assignment(hit=make_hit(batch=make_open(worker)), worker=worker, status="approved")
    batch.exclude_batches.add(earlier.hit.batch)


def _take_part_in_series(worker: Worker, batch: Batch) -> None:
    earlier = make_open(worker, repeat_group="spring")
    make_assignment(hit=make_hit(batch=earlier), worker=worker, status="approved")
    Batch.objects.filter(pk=batch.pk).update(repeat_group="spring")


def _work_on_all(worker: Worker, batch: Batch) -> None:
    make_assignment(hit=HIT.objects.get(batch=batch), worker=worker, status="submitted")


@pytest.mark.parametrize(
    ("arrange", "words"),
    [
        (lambda worker, _: block(worker), "they are blocked"),
        (_take_part_before, "they took part in work whose people this batch leaves out"),
        (_take_part_in_series, "they took part in the series already"),
        (_work_on_all, "they have worked on every HIT of it that is open"),
        (lambda _, batch: HIT.objects.filter(batch=batch).update(status="closed"), "no HIT of it is open"),
        (
            lambda _, batch: Item.objects.filter(study=batch.study_id).update(wanted=0),
            "all of it is answered",
        ),
        (lambda worker, batch: Item.objects.filter(study=batch.study_id).update(author=worker), "their own"),
        (lambda _, batch: Batch.objects.filter(pk=batch.pk).update(status="paused"), "it is paused"),
    ],
    ids=["blocked", "excluded", "series", "all-hits", "closed", "answered", "own", "paused"],
)
def test_each_reason_is_said_in_one_sentence(arrange: Callable[[Worker, Batch], object], words: str) -> None:
    worker = make_worker()
    batch = make_open(worker)
    assert reason(worker, batch) == ""

    arrange(worker, batch)

    assert words in reason(worker, batch)
    assert reason(make_worker(account=worker.account), batch) in ("", reason(worker, batch))


def test_a_refusal_without_words_for_staff_is_shown_as_the_worker_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Closed(EntryPolicy):
        def ask(self, batch: Batch) -> PlatformRequirements:
            return PlatformRequirements()

        def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
            raise RuleBroken("closed_today", "Come back tomorrow.")

    monkeypatch.setattr(entry_policies, "_policies", [Closed()])
    worker = make_worker()

    assert reason(worker, make_open(worker)) == "our page tells them: “Come back tomorrow.”"


def test_a_free_hit_is_judged_before_one_that_the_worker_knows() -> None:
    worker = make_worker()
    batch = make_open(worker, hits=2)
    make_assignment(hit=HIT.objects.filter(batch=batch).earliest("pk"), worker=worker, status="approved")

    assert reason(worker, batch) == ""


def test_page_shows_the_batches_of_ones_studies_on_the_workers_account(client: Client) -> None:
    study, worker = make_study(name="Mine"), make_worker()
    mine = make_open(worker, study=study, title="Solve riddles")
    make_assignment(hit=HIT.objects.get(batch=mine), worker=worker, status="submitted")
    make_open(worker, title="Of others")
    make_open(make_worker(account=make_account()), study=study, title="Elsewhere")
    make_open(worker, study=study, status="complete", title="Over")
    sign_in_with(client, *READER, studies=[study])

    words = words_of(client, worker)

    assert "Solve riddles Mine May not because they have worked on every HIT of it that is open" in words
    for other in ("Of others", "Elsewhere", "Over"):
        assert other not in words
    assert "No batch" not in words


def test_page_says_who_may_work_and_who_is_blocked_why(client: Client) -> None:
    worker = make_worker()
    make_open(worker, title="Solve riddles")
    sign_in_with(client, *READER, "see_all_studies")
    before = words_of(client, worker)
    block(worker)

    after = words_of(client, worker)

    assert "May work" in before
    assert "May not because they are blocked" in after
    assert "Blocked: soft: ours alone, since" in after
    assert "Blank work" in after


def test_what_the_provider_asks_for_itself_stands_beside_a_verdict_that_cannot_know_it(
    client: Client,
) -> None:
    worker = make_worker()
    asked = {"QualificationTypeId": NUMBER_APPROVED, "Comparator": "GreaterThan", "IntegerValues": [5000]}
    make_open(worker, requirements=[{**asked, "ActionsGuarded": "Accept"}])
    sign_in_with(client, *READER, "see_all_studies")

    words = words_of(client, worker)

    assert (
        "May work as far as we know; the provider also asks: "
        "Number of earlier assignments that were approved: more than 5000 " in words
    )


def test_tab_needs_the_right_to_see_work(client: Client) -> None:
    worker = make_worker()
    make_open(worker, title="Solve riddles")
    sign_in_with(client, "view_worker", "view_batch", "see_all_studies")

    words = words_of(client, worker)

    assert "Solve riddles" not in words
    assert "Tests and consent" not in words


def test_queries_do_not_grow_with_batches_and_stay_few(client: Client) -> None:
    worker = make_worker()
    sign_in_with(client, *READER, "see_all_studies", "view_gate", "view_attempt", "view_holding")

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            words_of(client, worker)
        return len(queries)

    for _ in range(4):
        make_open(worker)
    count()
    four = count()
    for _ in range(6):
        make_open(worker)

    assert count() <= four
    assert four <= 25


def test_tests_are_no_work_that_hides_work() -> None:
    """A batch of a test is judged like every other."""
    worker = make_worker()

    assert reason(worker, make_open(worker, task=TEST)) == ""
