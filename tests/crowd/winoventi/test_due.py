"""Sweeps of the exception procedure that find nothing make few queries and write nothing."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from crowd.winoventi import domain, tasks
from crowd.winoventi.associations.services import model_readings
from crowd.winoventi.challenge.services import evaluations
from crowd.winoventi.filter.services import adversarial_filter
from crowd.winoventi.models import Evaluation, FilterScore, Project
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.procedure.services import batch_places, step_items
from hits.studies.models import Batch
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import retry_questions
from tests.crowd.winoventi.crowd import BAD, EXCEPTIONS, FINE, PREMISE, Crowd
from tests.crowd.winoventi.rows import by_itself, make_alternative, make_pair, make_project
from tests.factories import NOW, make_user
from tests.idle import watch
from tests.scoring.fakes import make_rival

pytestmark = pytest.mark.django_db
SWEEPS: dict[str, tuple[Callable[[], None], int]] = {
    "take_answers": (tasks.take_answers, 3),
    "advance_steps": (tasks.advance_steps, 2),
    "ask_models": (tasks.ask_models, 7),
}


def finished() -> Crowd:
    """A study whose steps all go on by themselves, with a launched batch each and every answer there."""
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, BAD, FINE)
    for _ in range(2):
        crowd.answer(domain.CHOOSE, {"choice": "sour"})
    Batch.objects.update(launched_by=make_user(is_superuser=True))
    for step in crowd.project.steps.exclude(kind__in=("generics", "filter")):
        step.batch = crowd.batches[step.task]
        step.save()
    return crowd


def masked_project(*words: str) -> Project:
    """A project with these words as exceptions, whose two model steps go on by themselves."""
    models = {"filter_model": make_rival("bert", kind="masked"), "generics_model": make_rival(kind="masked")}
    project = make_project("lemon", **models)
    by_itself(project, "generics")
    by_itself(project, "filter")
    for word in words:
        make_alternative(project, word=word)
    return project


def refuse_all() -> None:
    """Mark every question as one that the model cannot answer."""
    ModelQuestion.objects.update(status=ModelQuestion.Status.FAILED, problem="No such word.")


@pytest.mark.parametrize("name", SWEEPS)
def test_an_idle_run_writes_nothing_and_asks_as_much_for_two_projects_as_for_one(name: str) -> None:
    run, most = SWEEPS[name]
    finished()
    one = watch(run)
    finished()
    two = watch(run)

    assert (one.writes, two.writes) == ([], [])
    assert (one.queries, two.queries) == (most, most)


def test_each_step_with_something_to_post_is_found() -> None:
    crowd = Crowd()
    crowd.post()
    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)
    assert not crowd.wanting(domain.PREMISES)

    crowd.project.steps.update(by_itself=False)
    crowd.score()
    assert step_items.advance_steps(now=NOW) == 0
    crowd.project.steps.update(by_itself=True)
    assert step_items.advance_steps(now=NOW) == 1
    assert crowd.wanting(domain.PREMISES) == 1


def test_a_batch_that_could_not_grow_says_so_until_nothing_is_wanted_of_it() -> None:
    crowd = finished()
    batch = crowd.batches[domain.EXCEPTIONS]
    batch.hits.update(status=HIT.Status.CLOSED)
    study = crowd.project.study
    study.budget = 0
    study.save()
    generic = crowd.post("apple", "edible")

    batch_places.grow_steps(now=NOW)
    step = crowd.project.steps.get(kind="exceptions")
    assert step.problem
    assert watch(lambda: batch_places.grow_steps(now=NOW)).writes == []
    Item.objects.filter(generic=generic).update(wanted=0)
    batch_places.grow_steps(now=NOW)
    step.refresh_from_db()
    assert step.problem == ""


def test_a_model_that_is_waited_for_is_looked_at_without_a_write() -> None:
    project = masked_project("sweet")
    make_pair(project, words=("sour", "bitter"))
    evaluations.start_evaluation(project=project, rival=make_rival("other", kind="masked"), by=None, now=NOW)
    tasks.ask_models()
    asked = ModelQuestion.objects.count()
    assert asked > 0
    assert ModelRun.objects.filter(is_open=True, waiting__gt=0).count() == 2
    assert Evaluation.objects.get().waiting == 1

    again = watch(tasks.ask_models)

    assert (again.writes, ModelQuestion.objects.count()) == ([], asked)


def test_what_a_model_says_of_its_trouble_is_noted_once() -> None:
    masked_project("sweet")
    tasks.ask_models()
    ModelQuestion.objects.update(problem="The weights are gone.")

    first, second = watch(tasks.ask_models), watch(tasks.ask_models)

    assert len(first.writes) == 2
    assert second.writes == []
    assert set(ModelRun.objects.values_list("problem", flat=True)) == {"The weights are gone."}


def test_exceptions_that_no_model_will_ever_score_do_not_open_the_model_run_again_and_again() -> None:
    project = masked_project("sweet")
    adversarial_filter.filter_alternatives(now=NOW)
    refuse_all()
    adversarial_filter.filter_alternatives(now=NOW)
    model_run = ModelRun.objects.get()
    assert (model_run.is_open, model_run.failed, model_run.problem) == (False, 1, "No such word.")

    assert watch(lambda: adversarial_filter.filter_alternatives(now=NOW)).writes == []

    # Anything new opens it: another exception, and a question that is asked again.
    make_alternative(project, word="bitter")
    adversarial_filter.filter_alternatives(now=NOW)
    model_run.refresh_from_db()
    assert (model_run.is_open, model_run.waiting, model_run.failed) == (True, 1, 1)
    refuse_all()
    adversarial_filter.filter_alternatives(now=NOW)
    model_run.refresh_from_db()
    assert (model_run.is_open, model_run.failed) == (False, 2)
    retry_questions(ModelQuestion.objects.all(), now=NOW)
    adversarial_filter.filter_alternatives(now=NOW)
    model_run.refresh_from_db()
    assert (model_run.is_open, model_run.waiting, model_run.failed) == (True, 2, 0)
    assert not FilterScore.objects.exists()


def closed_with_failures(count: int) -> Project:
    project = masked_project(*(f"word{number}" for number in range(count)))
    adversarial_filter.filter_alternatives(now=NOW)
    refuse_all()
    adversarial_filter.filter_alternatives(now=NOW)
    return project


def test_what_has_no_answer_is_looked_up_ever_more_rarely_and_at_a_glance_meanwhile() -> None:
    closed_with_failures(200)
    looks = []
    glances = []

    at = NOW
    for _ in range(12):
        due = adversarial_filter.next_look(now=at)
        assert due
        looks.append(due - at)
        before = due - timedelta(milliseconds=1)
        glances.append(watch(partial(adversarial_filter.filter_alternatives, now=before)))
        at = due
        adversarial_filter.filter_alternatives(now=at)

    assert [look.total_seconds() for look in looks] == [5 * 2**n for n in range(10)] + [3600, 3600]
    assert {(one.queries, len(one.writes)) for one in glances} == {(7, 0)}
    assert not ModelRun.objects.filter(is_open=True).exists()


def test_a_look_finds_what_was_answered_meanwhile() -> None:
    project = closed_with_failures(2)
    ModelQuestion.objects.update(
        status="answered",
        output=[{"p": 0.5, "pieces": 1, "way": "single"}, {"p": 0.25, "pieces": 1, "way": "single"}],
        answered_at=NOW,
        problem="",
    )
    due = adversarial_filter.next_look(now=NOW)
    assert due

    adversarial_filter.filter_alternatives(now=due)

    assert FilterScore.objects.filter(alternative__project=project).count() == 2


def test_no_look_is_due_where_no_exception_waits_or_the_step_waits_for_a_click() -> None:
    project = closed_with_failures(1)
    assert adversarial_filter.next_look(now=NOW)

    project.steps.update(by_itself=False)
    assert adversarial_filter.next_look(now=NOW) is None
    project.steps.update(by_itself=True)
    project.alternatives.update(state="withdrawn")
    assert adversarial_filter.next_look(now=NOW) is None


def test_a_step_by_itself_reads_nouns_that_came_since_and_no_others() -> None:
    project = masked_project()
    model_readings.read_nouns(now=NOW)
    model_run = ModelRun.objects.get()
    newest = project.nouns.latest("pk").pk
    assert (model_run.is_open, model_run.upto) == (True, newest)

    ModelRun.objects.update(is_open=False, done_at=NOW)
    assert watch(lambda: model_readings.read_nouns(now=NOW)).writes == []
    ModelRun.objects.update(upto=newest - 1)
    model_readings.read_nouns(now=NOW)
    model_run.refresh_from_db()
    assert (model_run.is_open, model_run.upto) == (True, newest)
