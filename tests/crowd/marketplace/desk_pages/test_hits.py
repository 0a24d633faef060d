"""HITs at the desk: those on offer are found, and taken down one by one or with their requester."""

import re
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.utils import timezone

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import HIT, LedgerEntry
from crowd.marketplace.models.parties import AuditEntry, Message, Requester, Worker
from crowd.marketplace.services import hit_creation, hit_endings, requesters, work
from tests.crowd.marketplace.desk import Desk, form_token, rows_of
from tests.crowd.marketplace.rows import accept, available, facts, hand_in, post_hit, status_of
from tests.crowd.marketplace.site import accepted, open_hit, signed_in, text_of, work_path
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db


@pytest.fixture
def requester() -> Requester:
    return make_requester(now=timezone.now()).requester


def test_closing_takes_every_hit_off_offer_and_says_how_many(desk: Desk, requester: Requester) -> None:
    now = timezone.now()
    begun = open_hit(requester=requester, reward="0.50", max_assignments=3)
    open_hit(requester=requester, reward="0.25", title="Another")
    elsewhere = open_hit()
    held = accept(begun, now=now)

    asked = text_of(desk.get(f"requesters/{requester.external_id}/close/"))
    desk.post(f"requesters/{requester.external_id}/close/")
    told = text_of(desk.get(f"requesters/{requester.external_id}/"))

    assert "2 HITs on offer: taken down at once. Begun work may still be submitted." in asked
    assert f"{requester} is closed. 2 HITs taken down." in told
    assert "requester closed: 2 HITs taken down" in told
    with pytest.raises(work.NotAvailable):
        accept(begun, worker=invite(now=now)[0], now=timezone.now())
    assert available(requester) == Decimal("99.50")  # what is held for the begun work stays
    assert work.submit_assignment(assignment=held, answer="<answer/>", now=timezone.now())
    assert (status_of(held), facts(elsewhere, now=timezone.now()).status) == ("Submitted", "Assignable")


def test_many_hits_are_off_offer_at_once_before_the_clock_has_ended_each(requester: Requester) -> None:
    now = timezone.now()
    hits = [post_hit(requester=requester, title=f"No. {number}", now=now) for number in range(3)]

    taken_down = requesters.close_requester(requester_id=requester.pk, now=now)

    assert taken_down == 3
    assert {hit.closed_at for hit in HIT.objects.all()} == {None}
    for hit in hits:
        with pytest.raises(work.NotAvailable):
            accept(hit, now=now)
    work.settle_all(now=now)
    assert {hit.closed_at for hit in HIT.objects.all()} == {now}
    assert available(requester) == Decimal(100)


def test_a_hit_that_is_posted_while_its_requester_closes_is_refused(requester: Requester) -> None:
    now = timezone.now()
    hit = post_hit(requester=requester, now=now)
    requesters.close_requester(requester_id=requester.pk, now=now)
    entries = LedgerEntry.objects.count()

    with pytest.raises(RequestError, match="closed"):
        post_hit(requester=requester, title="Late", now=now)
    with pytest.raises(RequestError, match="closed"), atomic():
        hit_creation.add_assignments(
            hit=hit_creation.lock_hit(hit.pk),
            more=1,
            at_least_until=now + timedelta(days=1),
            now=now + timedelta(minutes=1),
        )

    assert (HIT.objects.count(), LedgerEntry.objects.count()) == (1, entries)


def test_hits_on_offer_are_listed_searched_and_filtered(desk: Desk, requester: Requester) -> None:
    ended = open_hit(requester=requester, title="Ended", ago=timedelta(days=2))
    first = open_hit(requester=requester, title="Colors", reward="0.30", max_assignments=4)
    other = open_hit(title="Sounds")
    accept(first, now=timezone.now())

    overview = desk.get("").content.decode()

    def titles(query: str) -> list[str]:
        return [row.split()[0] for row in rows_of(desk.get(f"hits/?{query}"))]

    row = rows_of(desk.get("hits/?q=color"))[0]
    assert '<dt>Open HITs</dt><dd><a href="/desk/hits/">2</a></dd>' in overview
    assert (titles(""), titles("q=SOUND"), titles(f"q={first}")) == (
        ["Sounds", "Colors"],
        ["Sounds"],
        ["Colors"],
    )
    assert titles(f"requester={other.requester.external_id}") == ["Sounds"]
    assert (titles("q=ended"), titles("q=%00&requester=%00")) == ([], ["Sounds", "Colors"])
    assert (titles("only=ended"), titles("only=all"), titles("only=down")) == (
        ["Ended"],
        ["Sounds", "Colors", "Ended"],
        [],
    )
    assert titles(f"q={ended}") == titles(f"q={str(ended).lower()}&only=down") == ["Ended"]
    assert f"Colors {first} {requester} $0.30 3 of 4" in row
    link = f"/desk/hits/?requester={requester.external_id}"
    assert f'<a href="{link}">1</a>' in desk.get(f"requesters/{requester.external_id}/").content.decode()


def test_a_hit_is_taken_down_for_a_reason_that_the_log_keeps(desk: Desk, requester: Requester) -> None:
    hit, other = open_hit(requester=requester, max_assignments=2), open_hit(requester=requester)
    held = accept(hit, now=timezone.now())

    without = desk.post(f"hits/{hit}/take-down/", reason="")
    still = facts(hit, now=timezone.now()).status
    desk.post(f"hits/{hit}/take-down/", reason="Asks for passwords")

    page = text_of(desk.get(f"hits/{hit}/"))
    entry = AuditEntry.objects.get()
    assert (without.status_code, still) == (422, "Assignable")
    assert "The HIT is taken down. 1 worker who had begun it is told." in page
    assert f"by {desk.operator}: Asks for passwords" in page
    assert f"{held.worker} {held}" in page
    assert (entry.what, entry.about) == ("HIT taken down", requester.external_id)
    assert entry.note == f"{hit} – Asks for passwords"
    assert f'<a href="/desk/hits/{hit}/">HIT</a>' in desk.get("log/").content.decode()
    [left], [down] = rows_of(desk.get("hits/")), rows_of(desk.get("hits/?only=down"))
    assert (str(other) in left, f"taken down {hit}" in down) == (True, True)
    assert work.submit_assignment(assignment=held, answer="<answer/>", now=timezone.now())


def test_workers_who_have_begun_it_are_told_and_may_submit_it(desk: Desk, requester: Requester) -> None:
    hit = open_hit(requester=requester, title="Colors", max_assignments=3)
    held, done = accept(hit, now=timezone.now()), hand_in(hit, now=timezone.now())

    desk.post(f"hits/{hit}/take-down/", reason="Asks for passwords")

    message = Message.objects.get()
    assert (message.worker, message.requester, message.subject) == (held.worker, None, "Taken down: Colors")
    assert "You need not finish it" in message.text
    assert "passwords" not in message.text
    assert (status_of(held), status_of(done)) == ("Accepted", "Submitted")
    assert work.submit_assignment(assignment=held, answer="<answer/>", now=timezone.now())


def test_begun_work_ends_too_and_counts_against_nobody(desk: Desk, requester: Requester) -> None:
    browser = signed_in()
    hit = open_hit(requester=requester, reward="0.50", max_assignments=3)
    held, done = accepted(browser, hit), hand_in(hit, now=timezone.now())
    before = Worker.objects.values().get(pk=browser.worker.pk)

    desk.post(f"hits/{hit}/take-down/", reason="Asks for passwords", tells_reason="on", ends_work="on")

    message, entry = Message.objects.get(), AuditEntry.objects.get()
    assert (status_of(held), status_of(done)) == ("Returned", "Submitted")
    assert Worker.objects.values().get(pk=browser.worker.pk) == before
    assert "Your work on it has ended." in message.text
    assert "The reason: Asks for passwords" in message.text
    assert entry.note == f"{hit} – Asks for passwords (begun work ended: 1)"
    assert available(requester) == Decimal("99.50")  # what is held for the submitted work stays
    assert not work.submit_assignment(assignment=held, answer="<answer/>", now=timezone.now())
    assert "was taken down by those who run this marketplace" in text_of(browser.get(work_path(held)))


def test_page_of_the_work_says_that_its_hit_was_taken_down_while_it_is(
    desk: Desk, requester: Requester
) -> None:
    browser = signed_in()
    hit = open_hit(requester=requester, max_assignments=2)
    held = accepted(browser, hit)
    words = "Those who run this marketplace have taken this HIT down. You need not finish it"

    before = text_of(browser.get(work_path(held)))
    desk.post(f"hits/{hit}/take-down/", reason="Asks for passwords")
    between = text_of(browser.get(work_path(held)))
    with atomic():
        now = timezone.now()
        hit_endings.set_expiration(
            hit=hit_creation.lock_hit(hit.pk), expires_at=now + timedelta(days=1), now=now
        )
    after = text_of(browser.get(work_path(held)))

    assert [words in page for page in (before, between, after)] == [False, True, False]
    assert "passwords" not in between


def test_begun_work_is_ended_later_and_the_first_reason_stays(desk: Desk, requester: Requester) -> None:
    browser = signed_in()
    hit = open_hit(requester=requester, title="Colors", max_assignments=2)
    held = accepted(browser, hit)
    before = desk.get(f"hits/{hit}/").content.decode()
    desk.post(f"hits/{hit}/take-down/", reason="Asks for passwords")

    between = desk.get(f"hits/{hit}/").content.decode()
    again = desk.post(f"hits/{hit}/take-down/", reason="Once more")
    asked = text_of(desk.get(f"hits/{hit}/end-work/"))
    without = desk.post(f"hits/{hit}/end-work/", reason="")
    desk.post(f"hits/{hit}/end-work/", reason="They still come", tells_reason="on")
    after = desk.get(f"hits/{hit}/")

    assert [page.count("take-down/") for page in (before, between, after.content.decode())] == [1, 0, 0]
    assert [page.count("end-work/") for page in (before, between, after.content.decode())] == [0, 1, 0]
    assert "what they have begun: 1." in asked
    assert (again.status_code, without.status_code) == (409, 422)
    assert status_of(held) == "Returned"
    text = text_of(after)
    assert "The begun work has ended. 1 worker is told." in text
    first, second = text.index("Asks for passwords"), text.index("They still come (workers: 1)")
    assert text.index("Taken down on") < first < text.index("Begun work ended on") < second
    assert [entry.what for entry in AuditEntry.objects.order_by("pk")] == [
        "HIT taken down",
        "begun work ended",
    ]
    assert desk.get("log/").content.decode().count(f'<a href="/desk/hits/{hit}/">HIT</a>') == 2
    assert "The reason: They still come" in Message.objects.order_by("pk")[1].text
    assert "was taken down by those who run this marketplace" in text_of(browser.get(work_path(held)))


def test_work_is_ended_only_while_there_is_some_and_the_hit_is_over(desk: Desk, requester: Requester) -> None:
    hit, idle = open_hit(requester=requester), open_hit(requester=requester)
    accept(hit, now=timezone.now())
    desk.post(f"hits/{idle}/take-down/", reason="Asks for passwords")
    entries = AuditEntry.objects.count()

    posts = [desk.post(f"hits/{one}/end-work/", reason="No") for one in (hit, idle)]
    pages = [
        desk.get(f"hits/{path}/") for path in (f"{hit}/end-work", f"{idle}/end-work", f"{idle}/take-down")
    ]

    assert [answer.status_code for answer in posts] == [409, 409]
    assert [page.url for page in pages] == [f"/desk/hits/{one}/" for one in (hit, idle, idle)]
    assert AuditEntry.objects.count() == entries


def test_boxes_about_begun_work_stand_where_there_is_some(desk: Desk, requester: Requester) -> None:
    hit, idle = open_hit(requester=requester), open_hit(requester=requester)
    accept(hit, now=timezone.now())

    boxes = [
        re.findall(r'name="(\w+)" [^>]*?(checked)?>', desk.get(f"hits/{one}/take-down/").content.decode())
        for one in (hit, idle)
    ]

    assert [
        [(name, tick) for name, tick in of if name in ("tells_requester", "tells_reason", "ends_work")]
        for of in boxes
    ] == [
        [("tells_requester", "checked"), ("tells_reason", ""), ("ends_work", "")],
        [("tells_requester", "checked")],
    ]


def test_ticked_hits_are_taken_down_together_after_a_page_that_lists_them(
    desk: Desk, requester: Requester
) -> None:
    first, second, left = (open_hit(requester=requester, title=title) for title in ("Ants", "Bees", "Cats"))
    over = open_hit(requester=requester, title="Old", ago=timedelta(days=2))
    held = accept(second, now=timezone.now())
    ticked = [str(one) for one in (first, second, over)]

    asked = desk.post("hits/take-down/?q=e", hit=ticked)
    without = desk.post("hits/take-down/", hit=ticked, reason=" ")
    token = form_token(asked)
    done = desk.post("hits/take-down/", token=token, hit=ticked, reason="Spam", ends_work="on")

    page = text_of(desk.get("hits/"))
    assert "Take down 2 HITs?" in text_of(asked)
    assert [row.split()[0] for row in rows_of(asked)] == ["Bees", "Ants"]
    assert 'href="/desk/hits/?q=e"' in asked.content.decode()
    assert (asked.status_code, without.status_code, done.status_code) == (200, 422, 302)
    assert "2 HITs are taken down. 1 worker who had begun is told." in page
    assert [row.split()[0] for row in rows_of(desk.get("hits/"))] == [left.hit_type.title]
    assert sorted(AuditEntry.objects.values_list("note", flat=True)) == sorted(
        [f"{first} – Spam (begun work ended: 0)", f"{second} – Spam (begun work ended: 1)"]
    )
    assert status_of(held) == "Returned"


def test_form_that_is_sent_again_takes_nothing_down_a_second_time(desk: Desk, requester: Requester) -> None:
    first, second = open_hit(requester=requester), open_hit(requester=requester)
    token, ticked = str(uuid4()), [str(first), str(second)]
    desk.post("hits/take-down/", token=token, hit=ticked, reason="Spam")
    with atomic():
        hit_endings.set_expiration(
            hit=hit_creation.lock_hit(first.pk),
            expires_at=timezone.now() + timedelta(days=1),
            now=timezone.now(),
        )

    again = desk.post("hits/take-down/", token=token, hit=ticked, reason="Spam")

    assert again.status_code == 409
    assert AuditEntry.objects.count() == 2
    assert facts(first, now=timezone.now()).status == "Assignable"


@pytest.mark.parametrize("ticked", [[], ["3NOSUCHHIT"], ["A" * 30], ["\0"]])
def test_nothing_ticked_is_said_on_the_list(desk: Desk, requester: Requester, ticked: list[str]) -> None:
    open_hit(requester=requester, title="Colors")

    answer = desk.post("hits/take-down/?q=col", hit=ticked, reason="Spam")

    assert answer.status_code == 409
    assert "Nothing was done, because no HIT on offer is ticked." in text_of(answer)
    assert 'value="col"' in answer.content.decode()
    assert desk.get("hits/take-down/?q=col").url == "/desk/hits/?q=col"
    assert not AuditEntry.objects.exists()


def test_hit_that_is_opened_again_or_whose_requester_closed_says_so(desk: Desk, requester: Requester) -> None:
    hit, other = open_hit(requester=requester), open_hit(requester=requester)
    desk.post(f"hits/{hit}/take-down/", reason="Asks for passwords")
    now = timezone.now()
    with atomic():
        hit_endings.set_expiration(
            hit=hit_creation.lock_hit(hit.pk), expires_at=now + timedelta(days=1), now=now
        )

    again = text_of(desk.get(f"hits/{hit}/"))
    desk.post(f"requesters/{requester.external_id}/close/")

    assert "Its requester has opened it again since." in again
    assert "Its requester was closed on" in text_of(desk.get(f"hits/{other}/"))


def test_nobody_but_an_operator_takes_a_hit_down(desk: Desk, requester: Requester) -> None:
    hit = open_hit(requester=requester)
    desk.client.cookies.clear()

    answers = [desk.get("hits/"), desk.get(f"hits/{hit}/"), desk.post(f"hits/{hit}/take-down/", reason="No")]

    assert {answer.status_code for answer in answers} == {302}
    assert facts(hit, now=timezone.now()).status == "Assignable"
