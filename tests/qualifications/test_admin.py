"""The pages of association lists: who sees them, what they say, and how many queries they take."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from qualifications.models import SwowEdge, SwowList
from tests.pages import text_of
from tests.people import sign_in
from tests.qualifications.files import said
from tests.qualifications.lists import make_list
from tests.sweeping import is_woken, written

pytestmark = pytest.mark.django_db
LIST = "admin:qualifications_swowlist_changelist"
ONE = "admin:qualifications_swowlist_change"
REMOVE = "admin:qualifications_swow_remove"
ROWS = [*said("yolk", ("egg", 6), ("yellow", 2)), *said("hen", ("egg", 1), ("feather", 3))]


@pytest.mark.parametrize("role", [RESEARCHER, REVIEWER, OPERATOR])
def test_whoever_looks_at_items_sees_the_lists(client: Client, role: str) -> None:
    swow = make_list(ROWS, name="swow-en", rows=4)
    sign_in(client, role)

    listed, one = text_of(client.get(reverse(LIST))), text_of(client.get(reverse(ONE, args=[swow.pk])))

    assert "swow-en" in listed
    assert "manage.py import_swow" in listed
    assert "Look a word up" in one


@pytest.mark.parametrize("role", [PAYMENTS_PREPARER, PAYMENTS_APPROVER])
def test_whoever_pays_does_not(client: Client, role: str) -> None:
    swow = make_list(ROWS)
    sign_in(client, role)

    for address in (reverse(LIST), reverse(ONE, args=[swow.pk]), reverse(REMOVE, args=[swow.pk])):
        assert client.get(address).status_code == 403


def test_a_word_is_looked_up_both_ways(client: Client) -> None:
    swow = make_list(ROWS)
    sign_in(client, RESEARCHER)

    page = text_of(client.get(reverse(ONE, args=[swow.pk]), {"word": " YOLK "}))
    back = text_of(client.get(reverse(ONE, args=[swow.pk]), {"word": "egg"}))

    assert (
        '<a href="?word=egg">egg</a></th><td class="number">6</td><td class="number">8</td>'
        '<td class="number">75.0 %</td>'
    ) in page
    assert "Nobody said it to any word." in page
    assert '<a href="?word=hen">hen</a></th><td class="number">1</td>' in back
    assert "Nobody was asked about it, or said anything." in back


def test_an_unknown_word_is_met_with_words_that_begin_like_it(client: Client) -> None:
    swow = make_list(ROWS)
    sign_in(client, RESEARCHER)

    near = text_of(client.get(reverse(ONE, args=[swow.pk]), {"word": "ye"}))
    far = text_of(client.get(reverse(ONE, args=[swow.pk]), {"word": "<b>"}))

    assert "“ye” is not in this list." in near
    assert '<a href="?word=yellow">yellow</a>' in near
    assert "“&lt;b&gt;” is not in this list." in far
    assert "Try a shorter one." in far


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param(
            {"status": "importing", "rows": 7}, "7 rows are in; nobody can use the list", id="importing"
        ),
        pytest.param({"status": "failed", "problem": "It broke off."}, "It broke off.", id="failed"),
        pytest.param({"status": "leaving"}, "Being removed.", id="leaving"),
    ],
)
def test_a_list_that_is_not_ready_says_why_and_shows_no_word(
    client: Client, changes: dict[str, Any], words: str
) -> None:
    swow = make_list(ROWS, **changes)
    sign_in(client, RESEARCHER)

    page = text_of(client.get(reverse(ONE, args=[swow.pk]), {"word": "yolk"}))

    assert words in page
    assert "Look a word up" not in page
    assert "75.0 %" not in page


def test_lines_that_could_not_be_counted_are_named(client: Client) -> None:
    swow = make_list(ROWS, bad_lines=2, problems=["Line 3: the cue is missing."])
    sign_in(client, RESEARCHER)

    page = text_of(client.get(reverse(ONE, args=[swow.pk])))

    assert "2 lines could not be counted" in page
    assert "<li>Line 3: the cue is missing.</li>" in page
    assert "These are the first of them." in page


def test_an_operator_removes_a_list_after_a_second_look(client: Client) -> None:
    swow = make_list(ROWS, name="swow-en", rows=4)
    sign_in(client, OPERATOR)

    asked = text_of(client.get(reverse(REMOVE, args=[swow.pk])))
    before = SwowList.objects.get().status
    with written() as tables:
        done = client.post(reverse(REMOVE, args=[swow.pk]), follow=True)
    is_removed_then = is_woken("qualifications.remove_lists", tables)

    assert "This cannot be undone" in asked
    assert before == "ready"
    assert "The list swow-en is hidden now" in text_of(done)
    assert is_removed_then
    assert not SwowList.objects.exists()
    assert not SwowEdge.objects.exists()


def test_removing_twice_is_said(client: Client) -> None:
    swow = make_list(ROWS, status="leaving")
    sign_in(client, OPERATOR)

    page = text_of(client.post(reverse(REMOVE, args=[swow.pk]), follow=True))

    assert "is being removed already" in page
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize("role", [RESEARCHER, REVIEWER])
def test_who_may_only_look_removes_nothing(client: Client, role: str) -> None:
    swow = make_list(ROWS)
    sign_in(client, role)

    page = text_of(client.get(reverse(ONE, args=[swow.pk])))
    answer = client.post(reverse(REMOVE, args=[swow.pk]))

    assert "Remove this list" not in page
    assert answer.status_code == 403
    assert SwowList.objects.get().status == "ready"


@pytest.mark.parametrize("number", ["0", "9" * 30, "x"], ids=["none", "too large", "no number"])
def test_a_list_that_is_not_there_is_not_found(client: Client, number: str) -> None:
    sign_in(client, OPERATOR)

    assert client.get(f"{reverse(LIST)}{number}/change/").status_code == 404


def test_pages_take_few_queries_however_many_lists_and_words(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    swow = make_list([*ROWS, *said("bird", *((f"word {number}", 1) for number in range(90)))])
    for _ in range(30):
        make_list()
    sign_in(client, RESEARCHER)

    with django_assert_max_num_queries(6):
        client.get(reverse(LIST))
    with django_assert_max_num_queries(7):
        page = client.get(reverse(ONE, args=[swow.pk]), {"word": "bird"})
    assert "These are the first 50." in text_of(page)
