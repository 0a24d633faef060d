"""Different people at different steps: who is turned away at the door, and with which words."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from crowd.winoventi.domain import CHOOSE, EXCEPTIONS, PREMISES, TASKS, VALIDATE
from crowd.winoventi.domain.people_apart import tasks_apart
from crowd.winoventi.models import Project
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.identity.models.workers import Worker
from hits.identity.roles import RESEARCHER
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.eligibility import refuse_entry
from tests.crowd.winoventi.crowd import Crowd
from tests.factories import NOW, make_assignment, make_hit
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def refusal(hit: HIT, worker: Worker) -> str:
    try:
        refuse_entry(hit=hit, worker=worker, now=NOW)
    except RuleBroken as broken:
        return broken.code
    return ""


def doors(crowd: Crowd, worker: Worker) -> list[str]:
    """The tasks that this worker is turned away from."""
    return [task for task in TASKS if refusal(make_hit(batch=crowd.batch(task)), worker)]


@pytest.mark.parametrize(
    ("rule", "done", "closed"),
    [
        ("together", EXCEPTIONS, []),
        ("writers", EXCEPTIONS, [VALIDATE, CHOOSE]),
        ("writers", PREMISES, [VALIDATE, CHOOSE]),
        ("writers", VALIDATE, [EXCEPTIONS, PREMISES]),
        ("writers", CHOOSE, [EXCEPTIONS, PREMISES]),
        ("steps", EXCEPTIONS, [PREMISES, VALIDATE, CHOOSE]),
        ("steps", CHOOSE, [EXCEPTIONS, PREMISES, VALIDATE]),
    ],
)
def test_work_on_one_step_closes_those_that_the_project_keeps_apart(
    rule: str, done: str, closed: list[str]
) -> None:
    crowd = Crowd(people=rule)
    worker = crowd.worker()
    make_assignment(hit=make_hit(batch=crowd.batch(done)), worker=worker)

    assert doors(crowd, worker) == closed
    assert doors(crowd, crowd.worker()) == []


def test_the_paper_kept_nobody_apart_and_so_does_a_new_project() -> None:
    assert Crowd().project.people == Project.People.TOGETHER


@pytest.mark.parametrize("status", ["opened", "saved", "submitted", "approved", "rejected"])
def test_work_in_any_state_counts_but_for_what_was_given_back(status: str) -> None:
    crowd = Crowd(people="steps")
    worker = crowd.worker()
    work = make_assignment(hit=make_hit(batch=crowd.batch(PREMISES)), worker=worker)
    Assignment.objects.filter(pk=work.pk).update(status=status, answer={}, submitted_at=NOW)
    assert doors(crowd, worker) == [EXCEPTIONS, VALIDATE, CHOOSE]

    Assignment.objects.filter(pk=work.pk).update(status="gone")

    assert doors(crowd, worker) == []


def test_work_in_another_study_closes_nothing() -> None:
    here, there = Crowd(people="steps"), Crowd(people="steps")
    worker = here.worker()
    make_assignment(hit=make_hit(batch=there.batch(PREMISES)), worker=worker)

    assert doors(here, worker) == []


def test_the_worker_is_told_why_and_what_to_do() -> None:
    crowd = Crowd(people="steps")
    worker = crowd.worker()
    make_assignment(hit=make_hit(batch=crowd.batch(PREMISES)), worker=worker)

    with pytest.raises(RuleBroken) as refused:
        refuse_entry(hit=make_hit(batch=crowd.batch(VALIDATE)), worker=worker, now=NOW)

    assert refused.value.code == "other_step"
    assert "another step of this study" in str(refused.value)
    assert "Please return this work" in str(refused.value)


def test_a_launch_warns_of_people_who_would_come_in_vain() -> None:
    crowd = Crowd(people="writers")
    said: list[str] = []
    for _ in range(2):
        make_assignment(hit=make_hit(batch=crowd.batch(PREMISES)), worker=crowd.worker())
        said += entry_policies.ask(crowd.batch(VALIDATE)).warnings

    one, two = said
    assert one.startswith("1 person has done other steps of this study. Whoever")
    assert two.startswith("2 people have done other steps of this study. Whoever")
    assert entry_policies.ask(crowd.batch(EXCEPTIONS)).warnings == []


def test_the_project_page_says_who_does_not_enter_a_step(client: Client) -> None:
    project = Crowd(people="writers").project
    sign_in(client, RESEARCHER, project.study)

    page = text_of(client.get(reverse("admin:winoventi_project_change", args=[project.pk])))

    assert page.count("Not for who took part in “2. Exceptions” or “4. Premises”.") == 2
    assert page.count("Not for who took part in “5. Validation” or “Human performance”.") == 2
    Project.objects.update(people="together")
    again = text_of(client.get(reverse("admin:winoventi_project_change", args=[project.pk])))
    assert again.count("Also for people of other steps.") == 4


@pytest.mark.parametrize("rule", Project.People.values)
@pytest.mark.parametrize("task", TASKS)
def test_keeping_apart_goes_both_ways(rule: str, task: str) -> None:
    apart = tasks_apart(task, rule=rule)

    assert task not in apart
    assert all(task in tasks_apart(other, rule=rule) for other in apart)


@pytest.mark.needs_postgres
@pytest.mark.django_db(transaction=True)
def test_of_all_steps_opened_at_once_in_several_tabs_one_is_opened() -> None:
    crowd = Crowd(people="steps")
    hits = [make_hit(batch=crowd.batch(task)) for task in TASKS]
    worker = crowd.worker()
    together = Barrier(len(hits))

    def visit(hit: HIT) -> str:
        together.wait()
        try:
            with transaction.atomic():
                refuse_entry(hit=hit, worker=worker, now=NOW)
                make_assignment(hit=hit, worker=worker)
        except RuleBroken as broken:
            return broken.code
        finally:
            connection.close()
        return "opened"

    with ThreadPoolExecutor(len(hits)) as pool:
        outcomes = sorted(pool.map(visit, hits))

    assert outcomes == ["opened", *["other_step"] * 3]
