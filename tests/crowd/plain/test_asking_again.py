"""Rows are asked of more people where the first do not agree, within bounds and budget."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from crowd.plain.models import Project, Row
from crowd.plain.services.asking_again import ask_where_unsure
from hits.identity.models.workers import Worker
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch
from hits.work.models.hits import HIT
from tests.crowd.plain.making import answer_each, asked_project, begin, hand_in, open_batch
from tests.factories import NOW, make_user, make_worker
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
YES, NO = {"q1": "1"}, {"q1": "2"}
CHOSEN = """\
title: T
say: {{ sentence }}
choice: natural
ask: Natural?
- yes
- no
"""
WRITTEN = """\
title: T
say: {{ sentence }}
text: why
ask: Why?
"""


def project_of(*sentences: str, text: str = CHOSEN, **rules: int) -> Project:
    return asked_project(*sentences, text=text, **{"answers_wanted": 2, "answers_most": 4, **rules})


def needed(project: Project) -> list[tuple[int, int]]:
    rows = Row.objects.filter(description__project=project).order_by("number")
    return list(rows.values_list("item__answers_needed", "item__wanted"))


@pytest.fixture
def project() -> Project:
    """Nine rows of which two people say the same, and one of which they do not."""
    project = project_of(*(f"Sentence {number}" for number in range(10)))
    batch = open_batch(project)
    answer_each(batch, [YES, NO] * 5)
    answer_each(batch, [YES, NO] * 4 + [YES, YES])
    return project


def third(project: Project, said: dict[str, str]) -> Worker:
    worker = make_worker(account=project.study.batches.get().account)
    hand_in(begin(project.study.batches.get(), worker), said)
    return worker


def test_one_more_is_asked_where_people_do_not_agree(project: Project) -> None:
    assert ask_where_unsure(now=NOW) == 1
    assert needed(project) == [(2, 0)] * 9 + [(3, 1)]
    assert ask_where_unsure(now=NOW) == 0

    third(project, NO)

    # Two of three are not sure enough yet, three of four are asked no more.
    assert ask_where_unsure(now=NOW) == 1
    assert needed(project)[-1] == (4, 1)
    third(project, NO)
    assert ask_where_unsure(now=NOW) == 0
    assert needed(project) == [(2, 0)] * 9 + [(4, 0)]


def test_a_row_that_seemed_sure_is_asked_again_once_its_workers_are_trusted_less() -> None:
    project = project_of(*(f"Sentence {number}" for number in range(10)))
    batch = open_batch(project)
    careless = answer_each(batch, [YES])
    answer_each(batch, [YES])
    assert ask_where_unsure(now=NOW) == 0
    before = needed(project)[0]

    # Somebody agrees with another in four rows, and the careless one is against them in five others.
    answer_each(batch, [NO, YES] * 2)
    answer_each(batch, [NO, YES] * 4 + [NO])
    answer_each(batch, [YES, NO] * 2 + [YES], worker=careless)
    ask_where_unsure(now=NOW)

    assert (before, needed(project)[0]) == ((2, 0), (3, 1))


def test_a_question_that_few_answer_is_asked_of_no_more_than_the_most() -> None:
    optional = CHOSEN.replace("ask: Natural?", "ask: Natural?\noptional")
    project = project_of("One", text=optional, answers_most=3)
    batch = open_batch(project)
    answer_each(batch, [YES])
    answer_each(batch, [{}])

    assert ask_where_unsure(now=NOW) == 1
    answer_each(batch, [{}])

    assert ask_where_unsure(now=NOW) == 0
    assert needed(project) == [(3, 0)]


def test_a_project_without_a_most_asks_everybody_alike(project: Project) -> None:
    Project.objects.update(answers_most=None)

    assert ask_where_unsure(now=NOW) == 0
    assert needed(project) == [(2, 0)] * 10


def test_nothing_is_asked_before_the_first_answers_count() -> None:
    project = project_of("One")
    batch = open_batch(project)
    answer_each(batch, [YES])
    late = begin(batch, make_worker(account=batch.account))

    assert ask_where_unsure(now=NOW) == 0
    hand_in(late, NO)
    assert ask_where_unsure(now=NOW) == 1
    assert needed(project) == [(3, 1)]


def test_what_is_written_is_not_compared() -> None:
    project = project_of("One", text=WRITTEN)
    answer_each(open_batch(project), [{"q1": "this"}])
    answer_each(project.study.batches.get(), [{"q1": "that"}])

    assert ask_where_unsure(now=NOW) == 0
    assert needed(project) == [(2, 0)]


def test_the_batch_grows_within_the_budget(project: Project) -> None:
    batch = Batch.objects.get()
    Batch.objects.update(launched_by=make_user(), launched_at=NOW, hits_wanted=20, assignments_per_hit=1)
    HIT.objects.update(status=HIT.Status.CLOSED)
    project.study.budget = Decimal(0)
    project.study.save()
    hits = batch.hits.count()

    ask_where_unsure(now=NOW)
    assert batch.hits.count() == hits
    project.study.budget = Decimal(10)
    project.study.save()
    ask_where_unsure(now=NOW)

    assert batch.hits.count() == hits + 1
    ask_where_unsure(now=NOW)
    assert batch.hits.count() == hits + 1


def test_the_cost_of_looking_does_not_grow_with_settled_rows(
    project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ask_where_unsure(now=NOW)

    with django_assert_num_queries(3):
        ask_where_unsure(now=NOW)


def test_bounds_are_set_on_the_page_of_rules(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    address = reverse("admin:plain_settings", args=[project.pk])

    refused = text_of(client.post(address, {"answers_wanted": "3", "answers_most": "2"}))
    client.post(address, {"answers_wanted": "2", "answers_most": "6", "sure_percent": "80"})
    hub = text_of(client.get(reverse("admin:plain_project_change", args=[project.pk])))

    assert "Give 3 or more, or leave it empty." in refused
    project.refresh_from_db()
    assert (project.answers_most, project.sure_percent) == (6, 80)
    assert "each row: 2 to 6, until an answer is 80 % sure." in hub
