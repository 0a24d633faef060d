"""Workers at the desk: invited, described, suspended, searched; and the blocks that requesters set."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace.desk import lists
from crowd.marketplace.models import EmailAddress
from crowd.marketplace.models.parties import AuditEntry, Block, Invitation, Message, Worker
from crowd.marketplace.services import reviewing, worker_sign_in
from tests.crowd.marketplace.desk import Desk, form_token, hidden, lines_of, rows_of
from tests.crowd.marketplace.mailing import path_in, sent
from tests.crowd.marketplace.rows import hand_in
from tests.crowd.marketplace.site import open_hit, stranger, text_of
from tests.factories import invite, make_requester
from tests.pages import text_of as markup_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mail_server(settings: LazySettings) -> None:
    settings.EMAIL_HOST, settings.MARKETPLACE_EMAILS_ARE_FILES = "mail.example.org", False


@pytest.fixture
def worker() -> Worker:
    return invite(now=timezone.now())[0]


def path_of(worker: Worker, rest: str = "") -> str:
    return f"workers/{worker.external_id}/{rest}"


VALUES = ("false", "approval", "true")


def links_on(page: object) -> list[str]:
    return re.findall(r"/invitation/[\w-]+/", unescape(markup_of(page)))


def test_the_list_names_the_values_of_the_setting_that_lets_workers_in(desk: Desk) -> None:
    page = text_of(desk.get("workers/"))

    assert "Workers come by invitation only." in page
    assert [f"<code>{value}</code>" in markup_of(desk.get("workers/")) for value in VALUES] == [True] * 3


def test_workers_are_invited_one_on_each_line(desk: Desk) -> None:
    page = desk.post("workers/invite/", names="Ada\r\n\r\n  Bo \n")

    assert [worker.name for worker in Worker.objects.order_by("pk")] == ["Ada", "Bo"]
    assert [stranger().get(link).status_code for link in links_on(page)] == [200, 200]


def test_links_come_as_a_file_too(desk: Desk) -> None:
    page = desk.post("workers/invite/", names="=Ada\nBo, the other")
    links = links_on(page)

    lines = lines_of(desk.post("workers/links.csv", links=hidden(page, "links")))

    ada, bo = Worker.objects.order_by("pk")
    assert lines[0] == "worker id,name,link"
    assert lines[1].startswith(f"{ada.external_id},'=Ada,http")
    assert lines[1].endswith(links[0])
    assert lines[2].startswith(f'{bo.external_id},"Bo, the other",http')
    assert lines[2].endswith(links[1])


def test_page_of_a_worker_lists_the_latest_work_with_reward_and_reason(desk: Desk, worker: Worker) -> None:
    now = timezone.now()
    rejected, approved = (hand_in(open_hit(reward="0.50"), worker=worker, now=now) for _ in range(2))
    ask = f"{rejected.hit.external_url.partition('?')[0]}statement/secret/"
    words = f"The answers were empty. · Ask about it: {ask}"
    reviewing.reject_assignment(assignment=rejected, feedback=words, now=now)
    reviewing.approve_assignment(assignment=approved, feedback="", override=False, now=now)

    page = desk.get(path_of(worker))

    newest, oldest, *_ = rows_of(page)

    assert "Approved $0.50 – –" in newest
    assert "Rejected $0.50 – The answers were empty." in oldest
    assert approved.external_id in newest
    assert str(approved.hit.requester) in newest
    assert "statement/secret" not in text_of(page)


def test_all_work_of_a_worker_says_what_the_sum_owed_is_made_of(desk: Desk, worker: Worker) -> None:
    now = timezone.now()
    works = [
        hand_in(open_hit(reward="0.50"), worker=worker, now=now) for _ in range(lists.ROWS_ON_A_PAGE + 1)
    ]
    first, second, third = works[:3]
    for work in (first, second):
        reviewing.reject_assignment(assignment=work, feedback="Empty.", now=now)
    reviewing.approve_assignment(assignment=first, feedback="", override=True, now=now)
    reviewing.pay_bonus(
        requester=third.hit.requester, assignment=third, amount=Decimal("0.21"), reason="Good", now=now
    )

    page, rest = (desk.get(path_of(worker, f"work/{after}")) for after in ("", f"?after={second.pk}"))

    assert path_of(worker, "work/") in desk.get(path_of(worker)).content.decode()
    shown = (
        "Rewards</dt><dd>$0.50<",
        "Bonuses</dt><dd>$0.21<",
        "Paid out</dt><dd>$0.00<",
        "Owed</dt><dd>$0.71<",
    )
    assert [words in markup_of(page) for words in shown] == [True] * 4
    assert f"?only=all&amp;after={second.pk}" in page.content.decode()
    assert len(rows_of(page)) == lists.ROWS_ON_A_PAGE
    [overridden] = rows_of(rest)
    assert "Approved rejected first" in overridden
    rejected = rows_of(desk.get(path_of(worker, "work/?only=rejected")))
    assert [("Empty." in row, "Approved" in row) for row in rejected] == [(True, False), (False, True)]
    [with_bonus] = rows_of(desk.get(path_of(worker, "work/?only=bonus")))
    assert "$0.21" in with_bonus


def test_log_names_and_links_whom_an_action_was_about(desk: Desk, worker: Worker) -> None:
    desk.post(path_of(worker, "suspend/"), reason="Odd")

    page = desk.get("log/")

    assert f'<a href="/desk/{path_of(worker)}">{worker.name}</a>' in markup_of(page)
    assert worker.external_id in rows_of(page)[0]


def test_an_invitation_is_found_by_name_with_whom_it_invited(desk: Desk) -> None:
    desk.post("workers/invite/", names="Ada\nBo\nCy\nDi")
    desk.post("workers/invite/", names="Eve")
    ada, di, eve = (Worker.objects.get(name=name) for name in ("Ada", "Di", "Eve"))

    [of_di], [of_eve] = (rows_of(desk.get(f"log/?q={name}")) for name in ("Di", "Eve"))

    assert "Ada , Bo , Cy , Workers 4" in of_di
    assert f"Eve {eve.external_id} 1" in of_eve
    for worker in (ada, di, eve):
        assert "workers invited" in text_of(desk.get(path_of(worker)))


def test_file_of_links_that_are_not_ours_is_refused(desk: Desk) -> None:
    assert desk.post("workers/links.csv", links="made up").status_code == 409


def test_a_link_is_sent_to_the_address_behind_a_name_and_proves_it(desk: Desk) -> None:
    page = desk.post("workers/invite/", names="Ada, the first, Ada@Example.org\nBo, the other")
    ada, bo = Worker.objects.order_by("pk")
    [letter] = sent()
    link = path_in(letter, part="/email/invitation/")
    visitor = stranger()

    asked = text_of(visitor.get(link))
    before = EmailAddress.objects.get().address
    let_in = visitor.post(link)

    assert (ada.name, bo.name, letter.to) == ("Ada, the first", "Bo, the other", ["ada@example.org"])
    assert "1 of them also goes by e-mail" in text_of(page)
    assert (f"This invitation is for {ada.name}" in asked, before) == (True, "")
    assert (let_in.status_code, EmailAddress.objects.get().address) == (302, "ada@example.org")
    assert "Find work" in text_of(visitor.get("/"))
    assert "E-mail, confirmed ada@example.org" in text_of(desk.get(path_of(ada)))


def test_a_new_invitation_is_sent_to_a_confirmed_address_and_ends_the_earlier_link(desk: Desk) -> None:
    desk.post("workers/invite/", names="Ada, ada@example.org")
    ada = Worker.objects.get()
    first = path_in(sent()[0], part="/email/invitation/")
    desk.post(path_of(ada, "invitation/"))
    to_nobody = sent()
    EmailAddress.objects.update(address="ada@example.org", unconfirmed="")

    page = desk.post(path_of(ada, "invitation/"))
    [letter] = sent()

    assert (to_nobody, stranger().post(first).status_code) == ([], 404)
    assert "goes by e-mail" in text_of(page)
    assert stranger().post(path_in(letter, part="/email/invitation/")).status_code == 302


def test_invitation_that_only_becomes_a_file_is_not_said_to_be_sent(
    desk: Desk, settings: LazySettings
) -> None:
    settings.EMAIL_HOST, settings.MARKETPLACE_EMAILS_ARE_FILES = "", True

    asked = text_of(desk.get("workers/invite/"))
    one = text_of(desk.post("workers/invite/", names="Ada, ada@example.org"))
    two = text_of(desk.post("workers/invite/", names="Bo, bo@example.org\nCy, cy@example.org"))

    assert "an e-mail with the link is also written into the folder “emails”" in asked
    assert "none is sent. As a trial, 1 of them is also written as an e-mail into the folder “emails”" in one
    assert "2 of them are also written as e-mails into" in two
    assert "the addresses bo@example.org, cy@example.org." in two
    assert "by e-mail" not in one + two


def test_page_of_a_worker_says_where_an_address_comes_from(
    desk: Desk, worker: Worker, settings: LazySettings
) -> None:
    without = text_of(desk.get(path_of(worker)))
    mine = EmailAddress.objects.create(worker=worker, unconfirmed="jo@example.org", language="en")
    unconfirmed = text_of(desk.get(path_of(worker)))
    mine.address, mine.unconfirmed = "jo@example.org", ""
    mine.save()
    confirmed = text_of(desk.get(path_of(worker)))
    mine.delete()
    settings.EMAIL_HOST, settings.MARKETPLACE_EMAILS_ARE_FILES = "", False
    unsent = text_of(desk.get(path_of(worker)))
    asked = text_of(desk.get("workers/invite/"))

    assert "E-mail none" in without
    assert "Workers give their e-mail address themselves, under Settings on the worker site" in without
    assert "counts once the worker has opened a link that was sent there" in unconfirmed
    assert "Settings" not in confirmed
    assert "No mail server is set (CROWD_EMAIL_URL), so nobody is asked for an e-mail address." in unsent
    assert "behind a comma" not in asked


@pytest.mark.parametrize("line", ["Ada, ada@", "ada@example.org", ", a@example.org", "x" * 65 + ", a@b.org"])
def test_lines_with_addresses_that_cannot_be_are_refused(desk: Desk, line: str) -> None:
    answer = desk.post("workers/invite/", names=f"Bo\n{line}")

    assert (answer.status_code, Worker.objects.count(), sent()) == (422, 0, [])


def test_no_address_is_taken_where_nothing_is_sent(desk: Desk, settings: LazySettings) -> None:
    settings.EMAIL_HOST, settings.MARKETPLACE_EMAILS_ARE_FILES = "", False

    answer = desk.post("workers/invite/", names="Ada, ada@example.org")

    assert (answer.status_code, Worker.objects.count()) == (422, 0)
    assert "No mail server is set" in text_of(answer)


def test_invitations_sent_twice_invite_once(desk: Desk) -> None:
    token = form_token(desk.get("workers/invite/"))

    answers = [desk.post("workers/invite/", token=token, names="Ada").status_code for _ in range(2)]

    assert (answers, Worker.objects.count()) == ([200, 409], 1)


@pytest.mark.parametrize("names", ["", " \n ", "x" * 65, "nul\0", "A\n" * 501, "A\u2028B", "A\x0bB", "A\tB"])
def test_names_that_cannot_be_are_refused(desk: Desk, names: str) -> None:
    answer = desk.post("workers/invite/", names=names)

    assert (answer.status_code, Worker.objects.count(), AuditEntry.objects.count()) == (422, 0, 0)


def test_new_invitation_ends_the_old_one(desk: Desk) -> None:
    worker, old = invite(now=timezone.now())

    [link] = links_on(desk.post(path_of(worker, "invitation/")))

    assert worker_sign_in.find_invitation(token=old, now=timezone.now()) is None
    assert (stranger().get(link).status_code, Invitation.objects.count()) == (200, 1)


def test_facts_are_set(desk: Desk, worker: Worker) -> None:
    desk.post(path_of(worker, "facts/"), country="US", subdivision="pa", is_adult="on")

    worker.refresh_from_db()
    facts = (worker.country, worker.subdivision, worker.is_adult, worker.is_master)
    assert facts == ("US", "PA", True, False)


@pytest.mark.parametrize(
    "wrong", [{"country": "XX"}, {"country": "1!"}, {"subdivision": "PA"}, {"country": "\0\0"}]
)
def test_facts_that_cannot_be_are_refused(desk: Desk, worker: Worker, wrong: dict[str, str]) -> None:
    answer = desk.post(path_of(worker, "facts/"), is_master="on", **wrong)

    worker.refresh_from_db()
    assert (answer.status_code, worker.country, worker.subdivision, worker.is_master) == (422, "", "", False)


def test_worker_is_suspended_and_let_back_with_reasons(desk: Desk, worker: Worker) -> None:
    without_a_reason = desk.post(path_of(worker, "suspend/")).status_code
    still_free = Worker.objects.get().suspended_at

    desk.post(path_of(worker, "suspend/"), reason="Two people, one account")
    suspended = Worker.objects.get().suspended_at
    desk.post(path_of(worker, "lift/"), reason="Explained")

    assert (without_a_reason, still_free, suspended is None) == (422, None, False)
    assert Worker.objects.get().suspended_at is None
    assert [(audit_entry.what, audit_entry.note) for audit_entry in AuditEntry.objects.order_by("pk")] == [
        ("worker suspended", "Two people, one account"),
        ("suspension lifted", "Explained"),
    ]
    assert "Two people, one account" in text_of(desk.get(path_of(worker)))


def test_list_is_searched_sorted_and_filtered(desk: Desk) -> None:
    now = timezone.now()
    values = [
        {"name": "Ada", "submitted": 5},
        {"name": "Bo", "owed": "2.50", "submitted": 9, "sign_in_name": "bo@example.org"},
        {"name": "Cy", "suspended_at": now},
        {"name": "Di", "erasure_requested_at": now},
        {"name": "Erased worker", "erasure_requested_at": now, "erased_at": now},
    ]
    made = [Worker.objects.create(created_at=now, **value) for value in values]

    def names(query: str) -> list[str]:
        found = re.findall(r"<tr><td><a [^>]*>([^<]*)<", markup_of(desk.get(f"workers/?{query}")))
        return [unescape(name) for name in found]

    assert names("") == ["Di", "Cy", "Bo", "Ada"]
    assert names("sort=name") == ["Ada", "Bo", "Cy", "Di"]
    assert names("sort=submitted")[:2] == ["Bo", "Ada"]
    assert names("only=owed") == ["Bo"]
    assert names("only=suspended") == ["Cy"]
    assert names("only=erasure") == ["Di"]
    assert names("only=erased") == ["Erased worker"]
    assert names("only=anything&sort=anything") == ["Di", "Cy", "Bo", "Ada"]
    assert names("q=BO%40example") == ["Bo"]
    assert names(f"q={made[0].external_id.lower()}") == ["Ada"]


def test_list_comes_in_pages_that_keep_the_question(desk: Desk) -> None:
    now = timezone.now()
    Worker.objects.bulk_create(Worker(name=f"Worker {n:03}", created_at=now) for n in range(60))

    page = desk.get("workers/?q=worker&sort=name")

    assert len(rows_of(page)) == 50
    assert "?q=worker&amp;sort=name&amp;page=2" in page.content.decode()
    assert len(rows_of(desk.get("workers/?q=worker&sort=name&page=2"))) == 10


def test_blocks_name_the_operators_own_means(desk: Desk, worker: Worker) -> None:
    page = desk.get("blocks/")

    assert "use Suspend on the worker’s page, under Access" in text_of(page)
    assert 'href="/desk/workers/"' in page.content.decode().partition("<main")[2]
    assert "Access" in text_of(desk.get(path_of(worker)))
    assert f"{path_of(worker)}suspend/" in desk.get(path_of(worker)).content.decode()


def test_block_is_lifted_after_a_question(desk: Desk, worker: Worker) -> None:
    requester = make_requester(now=timezone.now()).requester
    block = Block.objects.create(
        requester=requester, worker=worker, reason="=Noise", created_at=timezone.now() - timedelta(days=1)
    )
    found, not_found = desk.get(f"blocks/?q={worker.external_id}"), desk.get("blocks/?q=another")
    desk.get(f"blocks/{block.pk}/lift/")
    untouched = Block.objects.count()

    answer = desk.post(f"blocks/{block.pk}/lift/")

    assert (len(rows_of(found)), len(rows_of(not_found)), untouched) == (1, 0, 1)
    assert (answer.status_code, Block.objects.count()) == (302, 0)
    assert desk.post(f"blocks/{block.pk}/lift/").status_code == 404


def test_what_people_wrote_is_shown_as_text(desk: Desk) -> None:
    worker = Worker.objects.create(name="<script>alert(1)</script>", created_at=timezone.now())

    pages = [desk.get("workers/"), desk.get(path_of(worker)), desk.get(path_of(worker, "erase/"))]

    assert ["<script" in page.content.decode() for page in pages] == [False, False, False]


def test_operator_writes_to_a_worker_once(desk: Desk) -> None:
    worker, _ = invite(now=timezone.now())
    path = f"workers/{worker.external_id}/write/"
    token = form_token(desk.get(path))
    fields = {"subject": "Your question", "text": "Look at\nthe terms."}

    answers = [
        desk.post(path, **{**fields, "text": ""}),
        *(desk.post(path, token=token, **fields) for _ in "12"),
    ]

    message, entry = Message.objects.get(), AuditEntry.objects.get()
    assert [answer.status_code for answer in answers] == [422, 302, 409]
    assert (message.worker, message.requester, message.subject) == (worker, None, "Your question")
    assert (entry.what, entry.about, entry.note) == ("message written", worker.external_id, "Your question")
    assert f'href="/desk/{path}"' in desk.get(f"workers/{worker.external_id}/").content.decode()


def test_nobody_writes_to_an_erased_worker(desk: Desk) -> None:
    worker, _ = invite(now=timezone.now())
    Worker.objects.update(erased_at=timezone.now())

    answer = desk.post(f"workers/{worker.external_id}/write/", subject="Hello", text="You")

    assert (answer.status_code, Message.objects.count()) == (404, 0)


def test_lifting_a_block_says_what_the_requesters_own_system_may_keep(desk: Desk, worker: Worker) -> None:
    requester = make_requester(now=timezone.now()).requester
    block = Block.objects.create(requester=requester, worker=worker, reason="Spam", created_at=timezone.now())

    asked = text_of(desk.get(f"blocks/{block.pk}/lift/"))
    desk.post(f"blocks/{block.pk}/lift/")
    page = text_of(desk.get("blocks/"))

    assert "it has to lift its own block too" in asked
    assert (
        f"The system of {requester} may still keep {worker} out, and has to lift its own block too." in page
    )


def test_access_comes_before_the_long_tables(desk: Desk, worker: Worker) -> None:
    page = desk.get(path_of(worker)).content.decode()

    headings = re.findall(r"<h2>([^<]*)</h2>", page)
    assert headings == ["Access", "Latest work", "Payouts", "Facts", "Blocks", "Actions of operators"]
