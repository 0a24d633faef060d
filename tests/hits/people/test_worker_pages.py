"""The workers' pages: under pseudonyms, within the user's studies, and quick however much there is."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.formats import date_format
from structlog.testing import capture_logs

from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.people.models import Disclosure
from hits.people.services.blocking import block_worker
from hits.people.services.worker_letters import write_message
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.services.nothing_left import note_nothing_left
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
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
PLANTED = "APLANTEDWORKER01"
LIST = "admin:hits_worker_changelist"
READS = ("view_worker", "view_assignment", "view_bonus", "view_message", "view_block")
TABS = ("work", "payments", "messages", "blocks", "standing", "scores")


def sign_in_reader(client: Client, *also: str, studies: Sequence[Study] = ()) -> User:
    """Sign in a reader of workers and their rows, who sees every study unless some are given."""
    names = (*READS, *also) if studies else (*READS, "see_all_studies", *also)
    return sign_in_with(client, *names, studies=studies)


def url(name: str, *args: object) -> str:
    return reverse(f"admin:hits_worker_{name}", args=args)


def make_busy_worker(count: int = 3, *, study: Study | None = None) -> Worker:
    """Make a worker with work, bonuses, letters and a block."""
    batch = make_batch(status="open", study=study or make_study(), reward=Decimal("0.25"))
    hit, worker, by = make_hit(batch=batch), make_worker(account=batch.account), make_user()
    for number in range(count):
        done = make_assignment(hit=hit, worker=worker, status="approved", worked_s=60 + number)
        make_bonus(assignment=done, status="owed", amount=Decimal("0.10"))
        write_message(
            account=batch.account,
            study=batch.study,
            workers=[worker],
            subject="More",
            text="Work",
            by=by,
            now=NOW,
        )
    block_worker(worker=worker, kind="soft", reason="Answers at random", by=by, now=NOW)
    return worker


def test_worker_page_tells_work_time_and_rates(client: Client) -> None:
    sign_in_reader(client)
    worker = make_busy_worker()
    make_assignment(hit=make_hit(batch=make_batch(account=worker.account)), worker=worker, status="rejected")
    make_assignment(status="approved")

    context: Any = client.get(url("change", worker.pk)).context

    assert context["record"].total == 4
    assert context["record"].by_status == [("Approved", 3), ("Rejected", 1)]
    assert context["record"].approval == "75 % of 4"
    assert context["median"].replace("\xa0", " ") == "1 minute"
    assert [row.bonus for row in context["page"]] == [0, *[Decimal("0.10")] * 3]


def test_worker_page_sums_the_payments(client: Client) -> None:
    sign_in_reader(client)
    worker = make_busy_worker()
    make_bonus(assignment=worker.assignments.order_by("pk")[0], rule="another", status="refused")

    context: Any = client.get(url("change", worker.pk), {"show": "payments"}).context

    assert context["record"].rewards == Decimal("0.75")
    sums = [(part.words, part.count, part.amount) for part in context["sums"]]
    assert sums == [("Owed", 3, Decimal("0.30")), ("Refused by the provider", 1, Decimal("0.01"))]
    assert len(context["page"].object_list) == 4


def test_worker_page_lists_letters_and_blocks(client: Client) -> None:
    sign_in_reader(client, "block_worker", "send_message")
    worker = make_busy_worker()

    letters = client.get(url("change", worker.pk), {"show": "messages"}).content.decode()
    blocks = text_of(client.get(url("change", worker.pk), {"show": "blocks"}))

    assert letters.count(">More</a>") == 3
    assert "Answers at random" in blocks
    assert url("lift", Block.objects.get().pk) in blocks
    assert "concerns the whole account" in blocks


def test_worker_page_goes_through_long_lists_in_pages(client: Client) -> None:
    sign_in_reader(client)
    worker = make_busy_worker(count=51)

    first: Any = client.get(url("change", worker.pk))
    second: Any = client.get(url("change", worker.pk), {"show": "work", "page": "2"})

    assert [len(page.context["page"].object_list) for page in (first, second)] == [50, 1]
    assert "Page 1 of 2" in text_of(first)


@pytest.mark.parametrize("page", ["0", "-1", "x", "999999999999999999999", "\0"])
def test_worker_page_takes_rubbish_for_a_page(client: Client, page: str) -> None:
    sign_in_reader(client)

    answer: Any = client.get(url("change", make_busy_worker().pk), {"page": page, "show": "rubbish"})

    assert (answer.status_code, len(answer.context["page"].object_list)) == (200, 3)


@pytest.mark.parametrize("tab", TABS)
def test_worker_page_asks_as_often_for_much_work_as_for_little(client: Client, tab: str) -> None:
    every = ("block_worker", "send_message", "see_worker_id")
    sign_in_reader(client, *every)
    workers = [make_busy_worker(count) for count in (3, 30)]
    counts = []
    for worker in workers:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(url("change", worker.pk), {"show": tab}).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]
    # One open batch is judged by the rules of the entry.
    assert counts[0] < (13 if tab == "standing" else 10)


def test_worker_list_asks_as_often_for_many_rows_as_for_few(client: Client) -> None:
    sign_in_reader(client, "block_worker", "send_message")
    counts = []
    for _ in range(2):
        for _ in range(3):
            make_busy_worker()
        with CaptureQueriesContext(connection) as queries:
            page = client.get(reverse(LIST))
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] < 10
    assert '<td class="field-handed_in">3</td>' in text_of(page)


@pytest.mark.parametrize(
    ("value", "shown"),
    [("soft", ["soft"]), ("hard", ["hard"]), ("refused", ["refused"]), ("no", ["free", "refused"])],
)
def test_worker_list_is_filtered_by_blocks(client: Client, value: str, shown: list[str]) -> None:
    sign_in_reader(client)
    workers = {name: make_worker() for name in ("free", "hard", "refused", "soft")}
    for name, kind in {"soft": "soft", "hard": "hard", "refused": "hard"}.items():
        block_worker(worker=workers[name], kind=kind, reason="Reason", by=make_user(), now=NOW)
    Block.objects.filter(worker=workers["refused"]).update(status="refused")

    page: Any = client.get(reverse(LIST), {"blocked": value})

    found = {worker.pk for worker in page.context["cl"].result_list}
    assert found == {workers[name].pk for name in shown}


def test_workers_of_other_studies_are_hidden_with_all_that_is_done_to_them(client: Client) -> None:
    study = make_study()
    every = ("block_worker", "send_message", "see_worker_id")
    sign_in_reader(client, *every, studies=[study])
    own, other = make_busy_worker(study=study), make_busy_worker()
    block = other.blocks.get()

    page: Any = client.get(reverse(LIST))
    statuses = [
        client.get(url("change", other.pk)).status_code,
        client.get(url("id", other.pk)).status_code,
        client.post(url("id", other.pk), {"reason": "Curious"}).status_code,
        client.post(url("lift", block.pk)).status_code,
        client.post(url("block_again", block.pk)).status_code,
        client.post(url("block"), {"workers": other.pk, "kind": "hard", "reason": "x"}).status_code,
    ]

    assert [worker.pk for worker in page.context["cl"].result_list] == [own.pk]
    assert statuses == [302, 404, 404, 404, 404, 404]
    assert (Block.objects.count(), Disclosure.objects.count()) == (2, 0)
    assert {block.status for block in Block.objects.all()} == {"active"}


def test_worker_page_shows_no_work_of_other_studies(client: Client) -> None:
    study = make_study()
    sign_in_reader(client, studies=[study])
    worker = make_busy_worker(study=study)
    elsewhere = make_hit(batch=make_batch(account=worker.account, title="Hidden work"))
    make_bonus(assignment=make_assignment(hit=elsewhere, worker=worker, status="approved"), status="owed")

    pages: Any = [client.get(url("change", worker.pk), {"show": tab}) for tab in TABS]

    assert pages[0].context["record"].total == 3
    assert [part.count for part in pages[1].context["sums"]] == [3]
    assert not any("Hidden work" in text_of(page) for page in pages)


def test_verbs_need_their_permissions(client: Client) -> None:
    sign_in_reader(client)
    worker = make_busy_worker()
    block = worker.blocks.get()
    posts: dict[str, dict[str, Any]] = {
        url("block"): {"workers": worker.pk, "kind": "hard", "reason": "x"},
        url("lift", block.pk): {},
        url("block_again", block.pk): {},
        url("id", worker.pk): {"reason": "x"},
        url("find"): {"external_id": worker.external_id, "reason": "x"},
    }

    page = text_of(client.get(url("change", worker.pk)))
    statuses = [client.post(address, values).status_code for address, values in posts.items()]

    assert statuses == [403] * len(posts)
    assert not any(address in page for address in posts)
    assert (Block.objects.get().status, Disclosure.objects.count()) == ("active", 0)


def test_pages_of_workers_need_the_view_permission(client: Client) -> None:
    sign_in_with(client, "see_all_studies", "see_worker_id")

    addresses = [url("change", make_worker().pk), reverse(LIST), url("find"), url("id", make_worker().pk)]

    assert [client.get(address).status_code for address in addresses] == [403] * 4


def test_block_is_explained_and_then_made(client: Client) -> None:
    user = sign_in_reader(client, "block_worker")
    worker = make_worker()

    asked = text_of(client.get(url("block"), {"workers": str(worker.pk), "kind": "hard"}))
    missing = client.post(url("block"), {"workers": worker.pk, "kind": "hard", "reason": " "})
    before = Block.objects.count()
    done = client.post(
        url("block"), {"workers": worker.pk, "kind": "hard", "reason": "Sold the account"}, follow=True
    )

    block = Block.objects.get()
    assert "in every study" in asked
    assert (before, "This field is required" in text_of(missing)) == (0, True)
    assert (block.worker, block.kind, block.status) == (worker, "hard", "intended")
    assert (block.reason, block.by) == ("Sold the account", user)
    assert "Blocked 1 worker." in text_of(done)
    assert "Blocked at the provider" not in asked


def test_second_click_on_block_blocks_once_and_says_so(client: Client) -> None:
    sign_in_reader(client, "block_worker")
    values = {"workers": make_worker().pk, "kind": "soft", "reason": "x"}

    pages = [client.post(url("block"), values, follow=True).content.decode() for _ in range(2)]

    assert "blocked in this way already" in pages[1]
    assert Block.objects.count() == 1


def test_selection_of_the_list_is_blocked_softly(client: Client) -> None:
    sign_in_reader(client, "block_worker")
    workers = [make_worker() for _ in range(3)]
    block_worker(worker=workers[0], kind="soft", reason="Before", by=make_user(), now=NOW)

    asked: Any = client.post(
        reverse(LIST), {"action": "block_softly", "_selected_action": [worker.pk for worker in workers]}
    )
    carried = dict(asked.context["hidden"])["workers"]
    done = client.post(
        url("block"), {"workers": carried, "kind": "soft", "reason": "Same machine"}, follow=True
    )

    assert "Blocked 2 workers." in text_of(done)
    assert Block.objects.filter(status="active").count() == 3


@pytest.mark.parametrize("workers", ["", "x", "\0", "99999999999999999999999", "-1", "²"])
def test_block_of_nobody_is_not_found(client: Client, workers: str) -> None:
    sign_in_reader(client, "block_worker")

    answer = client.post(url("block"), {"workers": workers, "kind": "soft", "reason": "x"})

    assert answer.status_code == 404


def test_block_is_lifted_after_a_question(client: Client) -> None:
    user = sign_in_reader(client, "block_worker")
    block = make_busy_worker().blocks.get()

    asked = client.get(url("lift", block.pk))
    before = Block.objects.get().status
    client.post(url("lift", block.pk))
    client.post(url("lift", block.pk))

    assert (asked.status_code, before) == (200, "active")
    assert (Block.objects.get().status, Block.objects.get().lifted_by) == ("lifted", user)


def test_who_lifts_a_hard_block_reads_a_whole_sentence_and_may_say_why(client: Client) -> None:
    sign_in_reader(client, "block_worker")
    worker, by = make_worker(), make_user(username="rosa")
    block = block_worker(worker=worker, kind="hard", reason="Clicked at random.", by=by, now=NOW)

    asked = text_of(client.get(url("lift", block.pk)))
    client.post(url("lift", block.pk), {"reason": "It was another worker."})

    has = f"{worker} on {worker.account} has a hard block, which the provider was told of too."
    assert f"{has} rosa made it on {date_format(NOW, 'j M Y, H:i')}: “Clicked at random.”" in asked
    assert "Why it is lifted (may stay empty)" in asked
    assert Block.objects.get().lifted_because == "It was another worker."
    assert "It was another worker." in text_of(client.get(url("change", worker.pk), {"show": "blocks"}))


def test_refused_block_is_asked_for_again(client: Client) -> None:
    sign_in_reader(client, "block_worker")
    worker = make_worker()
    block = block_worker(worker=worker, kind="hard", reason="x", by=make_user(), now=NOW)
    Block.objects.update(status="refused", problem="Not today.")

    page = text_of(client.get(url("change", worker.pk), {"show": "blocks"}))
    client.post(url("block_again", block.pk))

    assert "Refused by the provider: Not today." in page
    assert (Block.objects.get().status, Block.objects.get().problem) == ("intended", "")


def test_id_is_shown_once_for_a_reason_and_on_record(client: Client) -> None:
    user = sign_in_reader(client, "see_worker_id")
    worker = make_worker(external_id=PLANTED)

    with capture_logs() as logs:
        asked = client.get(url("id", worker.pk))
        refused = client.post(url("id", worker.pk), {"reason": " "})
        before = Disclosure.objects.count()
        shown = client.post(url("id", worker.pk), {"reason": "A payment is disputed"})
        after = client.get(url("id", worker.pk))

    pages = [PLANTED in text_of(page) for page in (asked, refused, shown, after)]
    assert (pages, before) == ([False, False, True, False], 0)
    assert "no-store" in shown["Cache-Control"]
    assert "A payment is disputed" in text_of(after)
    assert Disclosure.objects.get().user == user
    assert PLANTED not in str(logs)


def test_worker_is_found_by_the_id_at_the_provider(client: Client) -> None:
    sign_in_reader(client, "see_worker_id")
    worker = make_worker(external_id=PLANTED)
    make_worker(account=make_account())

    listed = text_of(client.get(reverse(LIST)))
    with capture_logs() as logs:
        found = client.post(url("find"), {"external_id": PLANTED, "reason": "A letter"})
        wrong = client.post(url("find"), {"external_id": f"{PLANTED}X", "reason": "A letter"})
        refused = client.post(url("find"), {"external_id": PLANTED, "reason": ""})

    assert url("find") in listed
    assert found.headers["Location"] == f"{url('change', worker.pk)}?show=standing"
    assert "No worker whom you can see has this id" in text_of(wrong)
    assert "nobody with it has accepted work of your studies yet" in text_of(wrong)
    assert "refused before accepting" in text_of(wrong)
    assert "a refusal keeps nothing of a worker" in text_of(wrong)
    assert not any(PLANTED.encode() in page.content for page in (wrong, refused))
    assert PLANTED not in str(logs)
    assert Disclosure.objects.get().reason == "Searched by id: A letter"


def test_a_search_of_the_list_that_finds_nobody_says_where_ids_are_looked_up(client: Client) -> None:
    sign_in_reader(client, "see_worker_id")
    worker = make_worker()

    nobody = text_of(client.get(reverse(LIST), {"q": PLANTED}))
    somebody = text_of(client.get(reverse(LIST), {"q": worker.pseudonym}))

    assert "Only pseudonyms are searched here." in nobody
    assert "a refusal keeps nothing of a worker" in nobody
    assert "Only pseudonyms" not in somebody


def test_search_from_anywhere_leads_to_the_worker_with_a_reason_on_record(client: Client) -> None:
    user = sign_in_reader(client, "see_worker_id")
    worker = make_worker(external_id=PLANTED)
    search = reverse("admin:search")

    page = text_of(client.get(search, {"q": PLANTED}))
    assert f'action="{url("find")}"' in page
    assert Disclosure.objects.count() == 0
    found = client.post(url("find"), {"external_id": PLANTED, "reason": "Asked why they may not work"})

    assert found.headers["Location"] == f"{url('change', worker.pk)}?show=standing"
    assert Disclosure.objects.get().user == user
    assert url("find") not in text_of(client.get(search))
    sign_in_reader(client)
    assert url("find") not in text_of(client.get(search, {"q": PLANTED}))


def test_ids_at_the_provider_are_on_no_other_page(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    worker = make_worker(external_id=PLANTED)
    done = make_assignment(
        hit=make_hit(batch=make_batch(account=worker.account)), worker=worker, status="approved"
    )
    make_bonus(assignment=done)
    block = block_worker(worker=worker, kind="hard", reason="x", by=make_user(), now=NOW)
    message = write_message(
        account=worker.account,
        study=None,
        workers=[worker],
        subject="More",
        text="Work",
        by=make_user(),
        now=NOW,
    )
    letter = {"workers": worker.pk, "subject": "More", "text": "Work", "step": "preview"}

    with capture_logs() as logs:
        pages = [
            client.get(reverse(LIST)),
            client.get(reverse(LIST), {"q": PLANTED}),
            *(client.get(url("change", worker.pk), {"show": tab}) for tab in TABS),
            client.get(url("block"), {"workers": str(worker.pk), "kind": "soft"}),
            client.get(url("lift", block.pk)),
            client.get(url("id", worker.pk)),
            client.get(url("find")),
            client.get(reverse("admin:hits_message_changelist")),
            client.get(reverse("admin:hits_message_change", args=[message.pk])),
            client.get(reverse("admin:hits_message_compose"), {"workers": worker.pk}),
            client.post(reverse("admin:hits_message_compose"), letter),
        ]

    assert [page.status_code for page in pages] == [200] * len(pages)
    typed = f'value="{PLANTED}"'  # the search box shows what was typed
    assert not any(
        PLANTED in page.content.decode().replace(typed, "").replace(f"q={PLANTED}", "") for page in pages
    )
    assert PLANTED not in str(logs)


def test_long_reasons_and_times_do_not_break_the_page(client: Client) -> None:
    sign_in_reader(client)
    worker = make_busy_worker()
    worker.assignments.update(worked_s=None, submitted_at=NOW + timedelta(days=1))

    page: Any = client.get(url("change", worker.pk))

    assert page.context["median"] is None
    assert "not measured yet" in text_of(page)


def test_that_nothing_was_left_for_a_worker_is_on_their_page_and_on_the_work(
    client: Client,
) -> None:
    seen, hidden = make_study(), make_study()
    worker = make_worker()
    sign_in_with(client, "view_worker", "view_assignment", studies=[seen])
    for study in (seen, hidden):
        batch = make_batch(study=study, account=worker.account, title=f"Words of {study.pk}")
        work = make_assignment(hit=make_hit(batch=batch), worker=worker, status="gone", answer=None)
        note_nothing_left(assignment=work, why="known", now=NOW)
    own = worker.assignments.get(hit__batch__study=seen)

    standing = text_of(client.get(f"{url('change', worker.pk)}?show=standing"))
    page = text_of(client.get(reverse("admin:hits_assignment_work", args=[own.pk])))

    told = "because what was left was their own, or they had answered it before"
    assert (standing.count(told), f"Words of {seen.pk}" in standing) == (1, True)
    assert f"Words of {hidden.pk}" not in standing
    assert "the worker read “Nothing left for you here”, and was asked to return the HIT" in page
    assert told in page


def test_worker_page_and_the_work_itself_name_one_time(client: Client) -> None:
    sign_in_reader(client)
    work = make_assignment(status="approved", worked_s=65, active_s=27)
    page = reverse("admin:hits_assignment_work", args=[work.pk])

    worker = text_of(client.get(url("change", work.worker_id)))
    measured = text_of(client.get(page))
    Assignment.objects.update(active_s=None)
    unmeasured = text_of(client.get(page))

    assert "<dt>Median active time</dt><dd>27" in worker
    assert '<td class="number">27</td>' in worker
    assert "from accepting to submitting" in worker
    assert "<dt>Active time</dt>" in measured
    assert "<dt>Time from accepting to submitting</dt>" in unmeasured
