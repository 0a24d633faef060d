"""Combinations that one worker is asked about: never two of one example, or only far apart."""

from datetime import timedelta

import pytest

from crowd.winoground.models import Pairing, Project
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import answer_leases, give_up, items_of
from tests.crowd.winoground.making_asked import (
    answer_all,
    answers,
    ask,
    begin,
    examples_of,
    hand_in,
    make_project,
    open_batch,
)
from tests.factories import NOW, make_worker

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize("apart", Project.Apart.values)
def test_page_has_one_question_of_each_example(apart: str) -> None:
    project = make_project(apart=apart, least_gap=1)
    ask(project, count=4)
    batch = open_batch(project, items=10)

    work = begin(batch, make_worker(account=batch.account))

    assert examples_of(items_of(work)) == [1, 2, 3, 4]


def test_never_means_that_a_second_page_has_other_examples() -> None:
    project = make_project()
    ask(project, count=5)
    batch = open_batch(project, items=3)
    worker = make_worker(account=batch.account)

    pages = [examples_of(items_of(answer_all(batch, worker))) for _ in range(3)]

    assert pages == [[1, 2, 3], [4, 5], []]


def test_two_open_pages_of_one_worker_share_no_example() -> None:
    project = make_project()
    ask(project, count=4)
    batch = open_batch(project, items=2)
    worker = make_worker(account=batch.account)

    first, second = begin(batch, worker), begin(batch, worker)

    assert (examples_of(items_of(first)), examples_of(items_of(second))) == ([1, 2], [3, 4])


def test_a_page_that_was_given_back_brings_the_same_combinations_again() -> None:
    project = make_project()
    ask(project, count=2)
    batch = open_batch(project, items=2)
    worker = make_worker(account=batch.account)
    work = begin(batch, worker)
    seen = items_of(work)
    give_up(work, now=NOW)

    again = begin(batch, worker)

    assert items_of(again) == seen


def test_a_page_that_was_given_back_was_seen() -> None:
    """Another worker has answered meanwhile: the example's other combinations stay closed to this worker."""
    project = make_project(answers_wanted=1)
    ask(project, count=1)
    batch = open_batch(project, items=1)
    worker, other = (make_worker(account=batch.account) for _ in range(2))
    work = begin(batch, worker)
    [seen] = items_of(work)
    give_up(work, now=NOW)
    assert items_of(answer_all(batch, other)) == [seen]

    again = begin(batch, worker)

    assert items_of(again) == []


def test_late_answer_comes_back_and_nothing_else_of_its_example_is_asked() -> None:
    project = make_project()
    ask(project, count=1)
    batch = open_batch(project, items=1)
    worker = make_worker(account=batch.account)
    work = begin(batch, worker)
    [item] = items_of(work)
    give_up(work, now=NOW)

    move(work, Assignment.Status.SUBMITTED, answer=answers([item]), submitted_at=NOW)
    answer_leases(work, now=NOW)

    assert Lease.objects.get().status == Lease.Status.ANSWERED
    assert items_of(begin(batch, worker)) == []


def test_gap_counts_answered_questions_about_other_examples_since() -> None:
    project = make_project(apart=Project.Apart.GAP, least_gap=4)
    ask(project, count=5)
    batch = open_batch(project, items=2)
    worker = make_worker(account=batch.account)

    pages = [examples_of(items_of(answer_all(batch, worker, now=NOW + page * MINUTE))) for page in range(6)]

    # Three questions lie behind the first page by then, and nothing else is left to ask.
    assert pages[:2] == [[1, 2], [3, 4]]
    assert pages[2] == [5]
    assert pages[3] == []


def test_gap_lets_another_combination_in_once_it_is_wide_enough() -> None:
    project = make_project(apart=Project.Apart.GAP, least_gap=4)
    ask(project, count=6)
    batch = open_batch(project, items=2)
    worker = make_worker(account=batch.account)

    pages = [examples_of(items_of(answer_all(batch, worker, now=NOW + page * MINUTE))) for page in range(13)]

    assert pages == [[1, 2], [3, 4], [5, 6]] * 4 + [[]]
    assert Lease.objects.count() == 24
    assert len(set(Lease.objects.values_list("item", flat=True))) == 24


def test_gap_is_not_filled_by_pages_that_are_open() -> None:
    project = make_project(apart=Project.Apart.GAP, least_gap=1)
    ask(project, count=2)
    batch = open_batch(project, items=1)
    worker = make_worker(account=batch.account)
    first = begin(batch, worker)
    second = begin(batch, worker, now=NOW + MINUTE)
    hand_in(second, answers(items_of(second)), now=NOW + 2 * MINUTE)

    third = begin(batch, worker, now=NOW + 3 * MINUTE)

    assert (examples_of(items_of(first)), examples_of(items_of(second))) == ([1], [2])
    assert items_of(third) == []


def test_rule_that_changes_holds_from_the_next_page_on() -> None:
    project = make_project()
    ask(project, count=2)
    batch = open_batch(project, items=1)
    worker = make_worker(account=batch.account)
    for page in range(2):
        answer_all(batch, worker, now=NOW + page * MINUTE)
    assert items_of(begin(batch, worker, now=NOW + 3 * MINUTE)) == []

    Project.objects.update(apart=Project.Apart.GAP, least_gap=1)

    assert examples_of(items_of(begin(batch, worker, now=NOW + 4 * MINUTE))) == [1]


def test_combinations_of_an_example_fill_up_side_by_side() -> None:
    project = make_project(answers_wanted=3)
    ask(project)
    batch = open_batch(project, items=1)

    for _ in range(8):
        answer_all(batch, make_worker(account=batch.account))

    assert sorted(Item.objects.values_list("wanted", flat=True)) == [1, 1, 1, 1]


def test_forty_workers_answer_an_example_whole_and_the_next_one_finds_nothing() -> None:
    project = make_project()
    ask(project)
    batch = open_batch(project)

    for _ in range(40):
        assert len(items_of(answer_all(batch, make_worker(account=batch.account)))) == 1

    assert set(Item.objects.values_list("wanted", flat=True)) == {0}
    assert items_of(begin(batch, make_worker(account=batch.account))) == []
    assert {pairing.item.leases.count() for pairing in Pairing.objects.all() if pairing.item} == {10}


def test_other_studies_are_nobodys_business() -> None:
    one, other = make_project(), make_project(apart=Project.Apart.GAP, least_gap=1)
    ask(one, count=1)
    ask(other, count=1)
    batch = open_batch(one)
    worker: Worker = make_worker(account=batch.account)
    answer_all(batch, worker)

    theirs = begin(open_batch(other, account=batch.account), worker)

    assert len(items_of(theirs)) == 1
