"""The worker's list of HITs: what it shows and hides, in which order, page by page, in how many queries."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from crowd.marketplace import queries
from crowd.marketplace.database import atomic
from crowd.marketplace.domain import KEPT_TIMES
from crowd.marketplace.models import HIT, HITType, QualificationType
from crowd.marketplace.models.parties import Block
from crowd.marketplace.services import reviewing, work
from crowd.marketplace.services.qualifying.qualifications import grant, tell_of_grant
from crowd.marketplace.services.qualifying.system_qualifications import LOCALE
from crowd.marketplace.site import hit_list
from hits.common.type_keywords import GIVEN_FOR_WORK
from tests.crowd.marketplace.qualifying import make_test, make_type
from tests.crowd.marketplace.rows import accept, hand_in
from tests.crowd.marketplace.site import Browser, accepted, group_path, open_hit, signed_in, text_of
from tests.factories import make_requester

pytestmark = pytest.mark.django_db

# No worker has more than all of their work approved.
IMPOSSIBLE = {
    "QualificationTypeId": "000000000000000000L0",
    "Comparator": "GreaterThan",
    "IntegerValues": [100],
}
REASON = "Needs more than 100 % approved work; yours is 100 %."


def offers(browser: Browser, address: str = "/") -> list[tuple[str, int]]:
    shown = browser.get(address).context["listing"].offers
    return [(offer.access.group.title, offer.hits) for offer in shown]


def titles(browser: Browser, address: str = "/") -> list[str]:
    return [title for title, _ in offers(browser, address)]


def walk(browser: Browser, address: str, step: str) -> list[str]:
    """Titles of this page and of every one that follows by "further" or "earlier"."""
    found: list[str] = []
    while address:
        page = browser.get(f"/{address}").context
        found += [offer.access.group.title for offer in page["listing"].offers]
        address = page[step]
    return found


def test_list_shows_each_group_once_newest_first(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    for title in ("Older", "Older", "Newer"):
        open_hit(requester=requester, title=title, duration_s=900)

    response = browser.get("/")

    assert offers(browser) == [("Newer", 1), ("Older", 2)]
    assert f"Requester {requester.name} Time allowed 15 minutes HITs left 2 Reward $0.05" in text_of(response)


def test_list_leaves_out_what_this_worker_cannot_have(browser: Browser) -> None:
    hand_in(open_hit(title="Done", max_assignments=2), worker=browser.worker, now=timezone.now())
    accepted(browser, open_hit(title="Held", max_assignments=2))
    accepted(signed_in(), open_hit(title="Full"))
    open_hit(title="Expired", lifetime=timedelta(minutes=1), ago=timedelta(minutes=2))
    work.return_assignment(assignment=accepted(browser, open_hit(title="Returned")), now=timezone.now())

    assert titles(browser) == ["Returned"]


def test_preview_by_the_address_that_old_programs_print(browser: Browser) -> None:
    hit = open_hit()

    page = browser.get(f"/mturk/preview?groupId={hit.hit_type.external_id}")

    assert (page.status_code, page["Location"]) == (302, group_path(hit))
    assert browser.get("/mturk/preview?groupId=a/b").status_code == 404
    assert browser.get("/mturk/preview").status_code == 404


def test_list_counts_to_a_hundred(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    with atomic():
        for title, hits in (("Many", 101), ("Hundred", 100)):
            for _ in range(hits):
                open_hit(requester=requester, title=title)

    said = text_of(browser.get("/"))

    assert (said.count("HITs left 100+ "), said.count("HITs left 100 ")) == (1, 1)


def pay_for(hit: HIT, *minutes: int) -> None:
    """Approve work of other workers on the HIT that took so long."""
    for took in minutes:
        begun = timezone.now() - timedelta(minutes=took)
        assignment = accept(hit, now=begun)
        work.submit_assignment(assignment=assignment, answer="<answer/>", now=timezone.now())
        reviewing.approve_assignment(assignment=assignment, feedback="", override=False, now=timezone.now())


def test_list_says_what_is_typical_by_the_hour_once_five_were_approved(browser: Browser) -> None:
    hit = open_hit(title="Paid", reward="0.50", max_assignments=9, duration_s=7200)
    pay_for(hit, 3, 3, 60, 6)
    after_four = text_of(browser.get("/"))
    pay_for(hit, 2)

    assert "an hour" not in after_four
    assert "Reward $0.50 the reward is typically $10.00 an hour" in text_of(browser.get("/"))


def test_times_that_nobody_can_work_in_say_nothing(browser: Browser) -> None:
    open_hit(title="Paid", reward="0.07")
    HITType.objects.update(work_times_s=[1, 2, 3, 9, 60, 60, 60, 60])
    with_four = text_of(browser.get("/"))
    HITType.objects.update(work_times_s=[1, 2, 3, 9, 60, 60, 60, 60, 60])

    assert "an hour" not in with_four
    assert "typically $4.20 an hour" in text_of(browser.get("/"))


def test_only_approved_work_says_what_is_typical_and_only_the_latest(browser: Browser) -> None:
    hit = open_hit(title="Paid", reward="0.50", max_assignments=99)
    hand_in(hit, now=timezone.now())
    HITType.objects.update(work_times_s=[60] * KEPT_TIMES)

    pay_for(hit, 2)

    assert HITType.objects.get().work_times_s == [60] * (KEPT_TIMES - 1) + [120]


def test_list_and_preview_show_the_possible_bonus_beside_the_reward(browser: Browser) -> None:
    hit = open_hit(title="More")
    HITType.objects.update(description="Pick them. · Bonus of up to $0.54")

    listed, preview = text_of(browser.get("/")), text_of(browser.get(group_path(hit)))

    assert "Reward $0.05 possible bonus: up to $0.54" in listed
    assert "Pick them. Requester" in listed
    assert "Reward $0.05 possible bonus: up to $0.54" in preview


def test_submitted_work_is_told_of_the_bonus_that_may_follow(browser: Browser) -> None:
    done = hand_in(open_hit(title="More"), worker=browser.worker, now=timezone.now())
    without = text_of(browser.get(f"/work/{done.external_id}/"))
    HITType.objects.update(description="Pick them. · Bonus of up to $0.54")

    assert "bonus" not in without
    assert "A bonus of up to $0.54 may come on top" in text_of(browser.get(f"/work/{done.external_id}/"))


@pytest.mark.parametrize("groups", [1, 50])
def test_what_is_typical_and_possible_costs_no_query(
    browser: Browser, django_assert_max_num_queries: DjangoAssertNumQueries, groups: int
) -> None:
    requester = make_requester(now=timezone.now()).requester
    with atomic():
        for number in range(groups):
            open_hit(requester=requester, title=f"Group {number}")
    HITType.objects.update(work_times_s=[60] * KEPT_TIMES, description="Pick. · Bonus of up to $0.54")

    with django_assert_max_num_queries(13, using="marketplace"):
        page = text_of(browser.get("/"))

    assert page.count("typically $3.00 an hour") == min(groups, hit_list.SIZE)


@pytest.mark.parametrize("hits", [1, 200])
def test_list_asks_the_same_number_of_queries(
    browser: Browser, django_assert_max_num_queries: DjangoAssertNumQueries, hits: int
) -> None:
    requester = make_requester(now=timezone.now()).requester
    with atomic():
        for number in range(hits):
            open_hit(requester=requester, title=f"Group {number % 19}")

    with django_assert_max_num_queries(13, using="marketplace"):
        response = browser.get("/")

    assert sum(offer.hits for offer in response.context["listing"].offers) == hits


def make_varied() -> None:
    """Make 23 groups, many of which have equal rewards and times."""
    requester = make_requester(now=timezone.now()).requester
    with atomic():
        for number in range(23):
            reward, duration_s = f"0.0{number % 3 + 1}", 60 * (number % 4 + 1)
            open_hit(requester=requester, title=f"{number:02}", reward=reward, duration_s=duration_s)


EXPECTED: Mapping[str, Any] = {
    "newest": lambda number: -number,
    "reward": lambda number: (-(number % 3), -number),
    "time": lambda number: (number % 4, -number),
}


@pytest.mark.parametrize("sort", EXPECTED)
@pytest.mark.parametrize("size", [1, 7, 22, 23])
def test_pages_hold_every_group_once_in_order(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, sort: str, size: int
) -> None:
    make_varied()
    monkeypatch.setattr(hit_list, "SIZE", size)
    monkeypatch.setattr(hit_list, "CHUNK", 5)
    wanted = [f"{number:02}" for number in sorted(range(23), key=EXPECTED[sort])]

    assert walk(browser, f"?sort={sort}", "further") == wanted


@pytest.mark.parametrize("sort", EXPECTED)
def test_pages_backwards_are_the_pages_forwards(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    make_varied()
    monkeypatch.setattr(hit_list, "SIZE", 5)
    forwards = [f"?sort={sort}"]
    while further := browser.get(f"/{forwards[-1]}").context["further"]:
        forwards.append(further)

    backwards = [forwards[-1]]
    while earlier := browser.get(f"/{backwards[-1]}").context["earlier"]:
        backwards.append(earlier)

    seen = [titles(browser, f"/{address}") for address in backwards[1:]]
    assert seen == [titles(browser, f"/{address}") for address in forwards[-2::-1]]


def test_page_ends_at_its_bound_and_goes_on_behind_it(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = open_hit(title="Last")
    for number in range(6):
        hit = open_hit(title=f"Done {number}", max_assignments=2)
        hand_in(hit, worker=browser.worker, now=timezone.now())
    monkeypatch.setattr(hit_list, "MOST", 4)
    monkeypatch.setattr(hit_list, "CHUNK", 2)

    first = browser.get("/")

    assert "There is no work on this page." in text_of(first)
    assert walk(browser, first.context["further"], "further") == [wanted.hit_type.title]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pictures", ["Pick PICTURES", "Other"]),
        ("pick words", ["Pick words"]),
        ("100%", ["100% sure"]),
        ("_", []),
        ("xyzzy", []),
        ("\0", ["Pick PICTURES", "Pick words", "100% sure", "Other"]),
    ],
)
def test_search_finds_every_word_anywhere(browser: Browser, text: str, found: list[str]) -> None:
    for title in ("Other", "100% sure", "Pick words", "Pick PICTURES"):
        open_hit(title=title)
    HITType.objects.filter(title="Other").update(keywords="pictures, quick")
    HITType.objects.update(description="")

    shown = browser.client.get("/", {"q": text}).context["listing"].offers

    assert [offer.access.group.title for offer in shown] == found


def test_search_finds_the_requester(browser: Browser) -> None:
    hit = open_hit(title="Theirs")
    open_hit(title="Not theirs")

    assert titles(browser, f"/?q={hit.requester.name}") == ["Theirs"]


def guarded(actions: str | None) -> Sequence[Mapping[str, Any]]:
    return [{**IMPOSSIBLE, **({"ActionsGuarded": actions} if actions else {})}]


@pytest.mark.parametrize(
    ("actions", "listed", "preview"),
    [
        (None, True, 200),
        ("Accept", True, 200),
        ("PreviewAndAccept", True, 403),
        ("DiscoverPreviewAndAccept", False, 404),
    ],
)
def test_requirement_guards_what_it_says(
    browser: Browser, actions: str | None, listed: bool, preview: int
) -> None:
    hit = open_hit(title="Guarded", requirements=guarded(actions))

    page = browser.get("/")
    answers = [browser.get(group_path(hit)), browser.post(f"{group_path(hit)}accept/")]

    assert ("Guarded" in text_of(page), REASON in text_of(page)) == (listed, listed)
    assert [answer.status_code for answer in answers] == [preview, 403 if listed else 404]
    assert [REASON in text_of(answer) for answer in answers] == [listed] * 2
    assert browser.worker.assignments.count() == 0


def test_only_mine_leaves_out_what_cannot_be_accepted_and_says_so(browser: Browser) -> None:
    open_hit(title="Guarded", requirements=guarded("Accept"))
    open_hit(title="Free")

    response = browser.get("/?mine=1")

    assert titles(browser, "/?mine=1") == ["Free"]
    assert "Some work is left out because you do not meet its requirements." in text_of(response)
    assert "left out" not in text_of(browser.get("/"))


def test_met_requirement_is_told(browser: Browser) -> None:
    open_hit(requirements=[{**IMPOSSIBLE, "Comparator": "GreaterThanOrEqualTo"}])

    assert "You meet all its requirements." in text_of(browser.get("/"))


def gated(**of_type: Any) -> tuple[HIT, HIT, QualificationType]:
    """Work that needs a qualification, and the paid test for those who lack it."""
    type_ = make_type(name="Solver", now=timezone.now(), **of_type)
    needed = {"QualificationTypeId": type_.external_id, "Comparator": "EqualTo", "IntegerValues": [1]}
    absent = {"QualificationTypeId": type_.external_id, "Comparator": "DoesNotExist"}
    work = open_hit(title="The work", requester=type_.requester, requirements=[needed])
    test = open_hit(title="The test", reward="0.50", requester=type_.requester, requirements=[absent])
    for hit in (work, test):
        hit.hit_type.required.add(type_)
    return work, test, type_


def test_locked_work_has_one_button_to_the_test_that_opens_it(browser: Browser) -> None:
    work, test, _ = gated()

    pages = [browser.get("/"), browser.get(group_path(work)), browser.post(f"{group_path(work)}accept/")]

    for page in pages:
        assert f'<a class="button" href="{group_path(test)}">' in page.content.decode()
        assert text_of(page).count("Take the test ($0.50)") == 1
        assert "Needs the qualification “Solver”, which you get by “The test”." in text_of(page)
        assert "which you can ask for" not in text_of(page)


@pytest.mark.parametrize("why", ["done", "closed", "tried"])
def test_test_that_is_not_open_to_the_worker_has_no_button(browser: Browser, why: str) -> None:
    work, test, type_ = gated()
    if why == "done":
        accepted(browser, test)
    if why == "closed":
        HIT.objects.filter(pk=test.pk).update(expires_at=timezone.now())
        HITType.objects.filter(pk=test.hit_type_id).update(is_listed=False)
    if why == "tried":
        reason = "Not passed: 58 %."
        grant(type_=type_, worker=browser.worker, value=0, reason=reason, now=timezone.now())

    said = text_of(browser.get(group_path(work)))

    assert "Take the test" not in said
    assert ("The requester says: “Not passed: 58 %.”" in said) == (why == "tried")
    assert ("Its test is not open now: look again later." in said) == (why == "closed")


@pytest.mark.parametrize(
    ("of_type", "label"), [({}, "Ask for it"), ({"test": make_test()}, "Take the test")], ids=["ask", "test"]
)
def test_other_ways_to_a_qualification_have_their_button_too(
    browser: Browser, of_type: dict[str, Any], label: str
) -> None:
    _, test, type_ = gated(**of_type)
    HITType.objects.filter(pk=test.hit_type_id).update(requirements=[], is_listed=False)

    page = browser.get("/")

    address = f"/qualifications/{type_.external_id}/"
    assert f'<a class="button" href="{address}">' in page.content.decode()
    assert f"{label} : Solver" in text_of(page)


def test_what_is_given_for_work_alone_is_never_asked_for_also_before_its_test_was_posted(
    browser: Browser,
) -> None:
    _, test, type_ = gated(keywords=f"solve, {GIVEN_FOR_WORK}")
    HITType.objects.filter(pk=test.hit_type_id).update(requirements=[], is_listed=False)
    address = f"/qualifications/{type_.external_id}/"

    pages = [browser.get(path) for path in ("/", "/qualifications/find/", address)]
    refused = browser.post(f"{address}ask/")

    said = [text_of(page) for page in pages]
    assert "Needs the qualification “Solver”. Its test is not open now: look again later." in said[0]
    assert "by a test in the list of work; none is open now" in said[1]
    assert "You get it by a test, not by asking. It is not open now" in said[2]
    assert not any("Ask for" in page for page in said)
    assert (refused.status_code, type_.requests.count()) == (409, 0)


def test_whose_country_is_not_known_is_led_to_where_it_is_said(browser: Browser) -> None:
    only = {"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": [{"Country": "US"}]}
    work = open_hit(requirements=[only])
    pages = [browser.get(path) for path in ("/", group_path(work))]

    browser.worker.country = "DE"
    browser.worker.save()
    abroad = text_of(browser.get("/"))

    for page in pages:
        assert "Your country is not known yet: say it under Settings, once." in text_of(page)
        assert '<a class="button" href="/settings/">' in page.content.decode()
        assert "Say where you live" in text_of(page)
    assert ("Say where you live" in abroad, "not known" in abroad) == (False, False)


def test_after_a_return_the_list_says_what_it_does_not_know(browser: Browser) -> None:
    work = accepted(browser, open_hit())

    returned = browser.post(f"/work/{work.external_id}/return/")

    page = text_of(browser.get(returned["Location"]))
    assert "You returned the HIT. If its page had nothing left for you, choose other work" in page
    assert "You returned the HIT" not in text_of(browser.get("/"))


@pytest.mark.parametrize("mark", ["4523a96f", "447d3329-62a6-4c0e-9a62-0f4f1d6b1a11"])
def test_mark_of_a_program_is_in_no_name_that_workers_read(browser: Browser, mark: str) -> None:
    type_ = make_type(name=f"Solver [{mark}]", now=timezone.now())
    needed = {"QualificationTypeId": type_.external_id, "Comparator": "Exists"}
    open_hit(requester=type_.requester, requirements=[needed]).hit_type.required.add(type_)

    asked = [browser.get(path) for path in ("/", "/qualifications/find/")]
    held = grant(type_=type_, worker=browser.worker, value=1, now=timezone.now())
    tell_of_grant(held, now=timezone.now())
    message = browser.worker.messages.get()
    pages = [*asked, browser.get("/qualifications/"), browser.get(f"/messages/{message.pk}/")]

    assert [("Solver" in text_of(page), mark in text_of(page)) for page in pages] == [(True, False)] * 4


@pytest.mark.parametrize("name", ["Level [2]", "[1f2e3d4c]", "Reads [Hebrew]"])
def test_other_brackets_stay_in_a_name(name: str) -> None:
    assert QualificationType(name=name).plain_name == name


def test_what_is_got_by_a_test_cannot_be_asked_for(browser: Browser) -> None:
    _, _, type_ = gated()
    address = f"/qualifications/{type_.external_id}/"

    page, asked = browser.get(address), browser.post(f"{address}ask/")

    assert "Ask for this qualification" not in text_of(page)
    assert "You get it by “The test”, in the list of work, and not by asking." in text_of(page)
    assert (asked.status_code, type_.requests.count()) == (409, 0)
    assert "by “The test”, in the list of work" in text_of(browser.get("/qualifications/find/"))


def test_block_is_told_and_kept(browser: Browser) -> None:
    hit = open_hit(title="Theirs")
    Block.objects.create(requester=hit.requester, worker=browser.worker, created_at=timezone.now())

    answers = [browser.get("/"), browser.get(group_path(hit)), browser.post(f"{group_path(hit)}accept/")]

    assert [answer.status_code for answer in answers] == [200, 403, 403]
    assert ["This requester has blocked you" in text_of(answer) for answer in answers] == [True] * 3
    assert browser.worker.assignments.count() == 0


def test_next_hit_comes_from_anywhere_among_what_is_left(browser: Browser) -> None:
    requester = make_requester(now=timezone.now()).requester
    with atomic():
        hits = [open_hit(requester=requester, max_assignments=2) for _ in range(6)]
        open_hit(requester=requester, title="Another group")
    for hit in (hits[0], hits[3]):
        accept(hit, worker=browser.worker, now=timezone.now())

    drawn = {
        found
        for _ in range(120)
        if (found := queries.next_hit_id(group=hits[0].hit_type, worker=browser.worker, now=timezone.now()))
    }

    assert drawn == {hit.pk for hit in hits} - {hits[0].pk, hits[3].pk}


def test_next_hit_of_a_group_where_all_is_done_is_none(browser: Browser) -> None:
    hit = open_hit(max_assignments=3)
    accept(hit, worker=browser.worker, now=timezone.now())

    assert queries.next_hit_id(group=hit.hit_type, worker=browser.worker, now=timezone.now()) is None
    assert HIT.objects.filter(closed_at=None).count() == 1
