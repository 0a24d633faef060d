"""The writing steps of the exception procedure are rehearsed with texts that are made up."""

from random import Random

import pytest

from crowd.questions.page_entries import Look
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.winoventi import domain
from crowd.winoventi.domain.premises import find_fault, read_premise
from crowd.winoventi.exceptions.pages.exceptions import ExceptionsTask, Statement
from crowd.winoventi.models import Alternative, Project, Step
from crowd.winoventi.premises.pages.premises import PremisesTask, Triplet
from crowd.winoventi.procedure.rehearsed.rehearsed_exceptions import RehearsedExceptions
from crowd.winoventi.procedure.rehearsed.rehearsed_premises import RehearsedPremises
from crowd.winoventi.procedure.services import step_items
from hits.studies.models import Batch
from tests.crowd.rehearsal.rehearsing import PERSON, WITH_FAULTS, draft, rehearse
from tests.crowd.winoventi.rows import make_alternative, make_generic, make_pair, make_project
from tests.factories import NOW, make_worker

pytestmark = pytest.mark.django_db
USED = {
    domain.PREMISES: "Premises that can be judged",
    domain.EXCEPTIONS: "Exceptions for the filter",
}


def make_writing(task: str, *, rows: int) -> Batch:
    project = make_project()
    for number in range(rows):
        if task == domain.PREMISES:
            make_alternative(project, f"thing{number}", state=Alternative.State.PASSED)
        else:
            make_generic(project, f"thing{number}", rank=number + 1)
    step_items.advance(project=project, kind=task.partition(".")[2], now=NOW)
    return draft(project.study, task, hits=rows)


def make_answered(project: Project, *, times: int, words: int) -> None:
    for number in range(times):
        worker = make_worker()
        for word in range(words):
            make_alternative(project, f"thing{words}{number}", word=f"word{word}", worker=worker)
        if not words:
            make_generic(project, f"thing{number}", state="nonsense", worker=worker)


@pytest.mark.parametrize("task", [domain.PREMISES, domain.EXCEPTIONS])
@pytest.mark.parametrize("skill", [0, 100])
def test_what_is_written_ends_a_step_whether_or_not_it_can_be_used(task: str, skill: int) -> None:
    batch = make_writing(task, rows=3)

    report = rehearse(batch, skill=skill, skill_spread=0, works_each=100, **WITH_FAULTS)
    figures = report["runs"][0]["figures"]

    assert (report["final_in_runs"], report["runs"][0]["works"], report["starving"]) == (1, 3, {})
    assert report["nothing_lost"] is True
    assert (figures[USED[task]] >= 3, figures[USED[task]] == 0) == (skill == 100, skill == 0)
    assert figures.get("Statements without sense", 0) == (3 if task == domain.EXCEPTIONS and not skill else 0)
    assert f" {skill} of 100 " in report["sources"][0]
    assert "made up" in report["sources"][1]


@pytest.mark.parametrize("task", [domain.PREMISES, domain.EXCEPTIONS])
def test_what_enters_by_itself_is_written_about_too(task: str) -> None:
    batch = make_writing(task, rows=1)
    project = Project.objects.get()
    if task == domain.PREMISES:
        make_alternative(project, "a late thing", state=Alternative.State.PASSED)
    else:
        make_generic(project, "a late thing", rank=9)
    project.steps.update(by_itself=True)
    project.steps.filter(kind=task.partition(".")[2]).update(batch=batch)

    report = rehearse(batch, works_each=100)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 2)


def test_the_limit_of_a_step_holds_in_its_rehearsal() -> None:
    batch = make_writing(domain.PREMISES, rows=3)
    Step.objects.filter(kind="premises").update(most_per_worker=1)

    report = rehearse(batch, workers=2, works_each=100, most_days=1)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (0, 2)
    assert "enough" in report["refused"]


def test_the_page_takes_a_made_up_premise_without_a_word_and_no_two_are_alike() -> None:
    project = make_project()
    rows = [make_alternative(project, f"thing{number}") for number in range(3)]
    rehearsed = RehearsedPremises(assumed=Assumptions(), recorded={"votes": 30, "right": 30})
    asked = [Triplet(noun=row.noun, generic="sour", exception="sweet", row=row) for row in rows]

    made = [rehearsed.texts(PremisesTask(), one, PERSON, Random(1)) for one in asked]
    looks = [PremisesTask().look(texts, one) for texts, one in zip(made, asked, strict=True)]

    assert looks == [Look()] * 3
    assert len({texts["sentence"] for texts in made}) == 3
    assert [find_fault(read_premise(**texts)) for texts in made] == [None] * 3


def test_premises_are_as_often_not_available_as_recorded_ones() -> None:
    project = make_project()
    pairs = [make_pair(project, f"thing{number}") for number in range(29)]
    too_few = RehearsedPremises.record(project.study)
    make_pair(project, "the last thing")
    project.premises.filter(pk__in=[pair.pk for pair in pairs[:10]]).update(is_na=True)

    recorded = RehearsedPremises.record(project.study)
    rehearsed = RehearsedPremises(assumed=Assumptions(skill=100), recorded=recorded)
    triplet = Triplet(noun="lemon", generic="sour", exception="sweet", row=pairs[0].alternative)
    made = [rehearsed.texts(PremisesTask(), triplet, PERSON, Random(seed)) for seed in range(300)]

    assert (too_few, recorded) == ({}, {"votes": 30, "right": 20})
    assert "20 of 30 times" in rehearsed.sources[0]
    assert 70 < sum(texts["sentence"] == "N/A" for texts in made) < 130


def test_exceptions_are_as_many_as_in_recorded_answers_and_the_page_takes_them() -> None:
    project = make_project()
    make_answered(project, times=20, words=0)
    too_few = RehearsedExceptions.record(project.study)
    make_answered(project, times=20, words=2)

    recorded = RehearsedExceptions.record(project.study)
    rehearsed = RehearsedExceptions(assumed=Assumptions(), recorded=recorded)
    row = make_generic(project, "the last thing")
    asked = Statement(noun="the last thing", generic="sour", row=row)
    made = [rehearsed.texts(ExceptionsTask(), asked, PERSON, Random(seed)) for seed in range(400)]
    whole = [{**dict.fromkeys(ExceptionsTask.entries, ""), **texts} for texts in made]

    assert too_few == {}
    assert recorded == {"answers": [[["answered", 2], 20], [["nonsense", 0], 20]]}
    assert "40 recorded answers" in rehearsed.sources[0]
    assert {len(texts) for texts in made} == {1, 3}
    assert 150 < sum(texts["makes_sense"] == "no" for texts in made) < 250
    assert [ExceptionsTask().look(texts, asked) for texts in whole] == [Look()] * 400
