"""Races between several pages of one worker, several workers and several clicks."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from django.db import connections
from django.test import Client

from crowd.winoground.asking.onboarding import WARNED
from crowd.winoground.domain import ONBOARDING
from crowd.winoground.models import Example, FirstQuestion, Pairing, SecondChance
from crowd.winoground.services.posted_examples import ask_examples
from hits.core.errors import RuleBroken
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import lease_items
from tests.crowd.winoground.making_asked import (
    ask,
    make_first_questions,
    make_project,
    make_ready,
    open_batch,
)
from tests.crowd.winoground.visiting import fields_of, open_hit, send, visit
from tests.factories import NOW, make_assignment, make_hit, make_worker

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 8
Outcome = TypeVar("Outcome")


def all_at_once(deed: Callable[[int], Outcome], *, times: int = AT_ONCE) -> list[Outcome]:
    def done(number: int) -> Outcome:
        try:
            return deed(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(done, range(times)))


@pytest.mark.parametrize("apart", ["never", "gap"])
def test_no_worker_holds_two_combinations_of_an_example(apart: str) -> None:
    """Three workers hold many HITs open at once, over few examples whose answers run out."""
    project = make_project(apart=apart, least_gap=50, answers_wanted=2)
    ask(project, count=6)
    batch = open_batch(project, items=2)
    workers = [make_worker(account=batch.account) for _ in range(3)]
    works = [
        make_assignment(hit=make_hit(batch=batch, max_assignments=1), worker=worker)
        for _ in range(6)
        for worker in workers
    ]

    all_at_once(lambda number: lease_items(assignment=works[number], now=NOW), times=len(works))

    held = Counter(Lease.objects.values_list("worker", "item__winoground_pairing__example"))
    assert set(held.values()) == {1}
    assert all(item.wanted + item.leases.count() == 2 for item in Item.objects.all())
    # Every worker who could be asked is asked: three different people are fewer than eight answers.
    assert len(held) == 18


def test_examples_that_are_asked_from_several_windows_are_asked_once() -> None:
    project = make_project()
    rows = make_ready(project, count=3)

    def click(_: int) -> int | str:
        try:
            return ask_examples(project=project, examples=[row.pk for row in rows], now=NOW)
        except RuleBroken as refusal:
            return refusal.code

    assert Counter(all_at_once(click)) == {3: 1, "nothing_waits": AT_ONCE - 1}
    assert (Pairing.objects.count(), Item.objects.count()) == (12, 12)
    assert set(Example.objects.values_list("state", flat=True)) == {"asked"}


def test_first_questions_that_are_sent_from_several_tabs_give_one_second_chance() -> None:
    project = make_project()
    make_first_questions(project)
    hit = open_hit(project, task=ONBOARDING)
    page = visit(Client(), hit)
    fields = fields_of(page)

    def said(field: str, *, right: bool) -> str:
        question = FirstQuestion.objects.get(item__public_id=field)
        return "yes" if question.is_match == right else "no"

    right = {field: said(field, right=True) for field in fields}
    wrong = {field: said(field, right=False) for field in fields}

    def hand_in(tab: int) -> tuple[int, str]:
        """Send the form with a mistake of its own in each tab."""
        answer = {f"{field}-match": right[field] for field in fields}
        answer[f"{fields[tab]}-match"] = wrong[fields[tab]]
        again = send(Client(), page, answer)
        return again.status_code, again.context["warned"]["field"]

    outcomes = set(all_at_once(hand_in))

    chance = SecondChance.objects.get()
    warned = str(chance.item.public_id)
    assert outcomes == {(400, warned)}
    assert chance.first_answer == {**right, warned: wrong[warned]}
    assert Assignment.objects.get().status == "opened"

    def correct(_: int) -> int:
        answer = send(Client(), page, {f"{warned}-match": right[warned], WARNED: warned})
        return int(answer.status_code)

    assert Counter(all_at_once(correct))[200] >= 1
    answer = Assignment.objects.get().answer
    assert answer == {field: {"match": right[field]} for field in fields}
