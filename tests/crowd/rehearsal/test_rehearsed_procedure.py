"""The judging steps of the exception procedure are rehearsed on their own rows, with its own sweeps."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from crowd.questions.domain import YES
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.playing.private_copy import write_copy
from crowd.rehearsal.rehearsed_tasks import rehearsal_of
from crowd.winoventi import domain
from crowd.winoventi.challenge.pages.choices import Blank, ChoicesTask
from crowd.winoventi.models import Choice, Judgement, Premise, Project, Prompt
from crowd.winoventi.procedure.rehearsed.rehearsed_choosing import RehearsedChoosing
from crowd.winoventi.procedure.rehearsed.rehearsed_validation import RehearsedValidation
from crowd.winoventi.procedure.services import step_items
from crowd.winoventi.validation.pages.validations import ValidationsTask, pair_of
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from tests.crowd.rehearsal.rehearsing import PERSON, WITH_FAULTS, draft, rehearse
from tests.crowd.winoventi.crowd import BAD, FINE, Crowd
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_worker

pytestmark = pytest.mark.django_db
TASK = ValidationsTask()


def make_waiting(project: Project, *, pairs: int) -> list[Premise]:
    made = [make_pair(project, f"thing{number}") for number in range(pairs)]
    project.premises.update(state=Premise.State.WAITING, settled_at=None)
    return made


def make_validation(*, pairs: int = 3, hits: int = 9, **rules: Any) -> Batch:
    project = make_project(**rules)
    make_waiting(project, pairs=pairs)
    step_items.advance(project=project, kind="validations", now=NOW)
    return draft(project.study, domain.VALIDATE, hits=hits)


def judge(pair: Premise, *, times: int, said: Mapping[str, str]) -> None:
    answers = {question: text == YES for question, text in said.items()}
    Judgement.objects.bulk_create(
        Judgement(premise=pair, worker=make_worker(), **answers) for _ in range(times)
    )


def choose(prompt: Prompt, *, times: int, is_right: bool) -> None:
    word = prompt.target if is_right else prompt.incorrect
    Choice.objects.bulk_create(
        Choice(prompt=prompt, worker=make_worker(), word=word, is_right=is_right) for _ in range(times)
    )


def test_each_pair_is_validated_by_as_many_workers_as_the_project_says() -> None:
    batch = make_validation(pairs=3, answers_wanted=3)

    report = rehearse(batch, works_each=100)
    few = rehearse(batch, workers=2, works_each=100, most_days=1)

    assert (report["final_in_runs"], report["runs"][0]["works"], report["starving"]) == (1, 9, {})
    assert "careful workers answer 85 of 100 questions with No" in report["sources"][0]
    assert few["final_in_runs"] == 0
    assert list(few["starving"]) == ["everybody who came has answered it or wrote it"]
    assert not Assignment.objects.exists()
    assert not Judgement.objects.exists()


def test_with_every_fault_each_judgement_is_there_once() -> None:
    report = rehearse(make_validation(pairs=3), works_each=100, **WITH_FAULTS)
    sides = report["runs"][0]["both_sides"]

    assert min(sides[name] for name in ("calls_refused", "events_lost", "processes_killed")) > 0
    assert sides["answers"] == {"alike": 9, "different": 0, "only_theirs": 0, "only_ours": 0}
    assert (report["final_in_runs"], report["nothing_lost"]) == (1, True)


def test_judgements_that_are_there_or_on_their_way_are_not_asked_for_again() -> None:
    crowd = Crowd(answers_wanted=3)
    make_waiting(crowd.project, pairs=1)
    crowd.sweep()
    crowd.judge(BAD)
    crowd.open(domain.VALIDATE)
    batch = draft(crowd.project.study, domain.VALIDATE, hits=3)

    copy = write_copy(batch, family=rehearsal_of(batch.task))
    report = rehearse(batch)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 1)
    assert [name for name in ("hits.assignment", "hits.hit", "hits.lease") if f'"{name}"' in copy] == []
    assert "AWORKER" not in copy


def test_pairs_that_go_on_by_themselves_enter_the_batch_and_get_places() -> None:
    batch = make_validation(pairs=1, hits=3)
    project = Project.objects.get()
    make_pair(project, "a late thing")
    project.premises.filter(item=None).update(state=Premise.State.WAITING, settled_at=None)

    on_a_click = rehearse(batch, works_each=100, skill=0, skill_spread=0)
    project.steps.filter(kind="validations").update(by_itself=True, batch=batch)
    by_itself = rehearse(batch, works_each=100)

    assert (on_a_click["final_in_runs"], on_a_click["runs"][0]["works"]) == (1, 3)
    assert on_a_click["runs"][0]["figures"] == {"Pairs that are valid": 0, "Pairs that failed": 1}
    assert (by_itself["final_in_runs"], by_itself["runs"][0]["works"]) == (1, 6)


def test_what_was_recorded_reaches_the_process_that_plays() -> None:
    batch = make_validation(pairs=1)
    settled = make_pair(Project.objects.get(), "a settled thing")
    judge(settled, times=30, said=FINE)

    report = rehearse(batch, skill=0, skill_spread=0)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 3)
    assert report["runs"][0]["figures"] == {"Pairs that are valid": 1, "Pairs that failed": 0}
    assert report["sources"][0].endswith("as 30 recorded judgements of the study do.")


def test_recorded_judgements_are_drawn_as_often_as_they_were_given() -> None:
    project = make_project()
    pair, *_ = make_waiting(project, pairs=1)
    judge(pair, times=29, said=FINE)
    too_few = RehearsedValidation.record(project.study)
    judge(pair, times=11, said=BAD)

    recorded = RehearsedValidation.record(project.study)
    rehearsed = RehearsedValidation(assumed=Assumptions(), recorded=recorded)
    drawn = [rehearsed.texts(TASK, pair_of(pair), PERSON, Random(seed)) for seed in range(400)]

    assert too_few == {}
    assert rehearsed.sources[0].startswith("Careful workers answer the four questions as 40 recorded")
    assert {tuple(one.values()) for one in drawn} == {tuple(FINE.values()), tuple(BAD.values())}
    assert 75 < sum(one == BAD for one in drawn) < 145


def make_choosing(*, pairs: int = 2, **rules: Any) -> Batch:
    project = make_project(**rules)
    for number in range(pairs):
        make_pair(project, f"thing{number}")
    step_items.advance(project=project, kind="choices", now=NOW)
    return draft(project.study, domain.CHOOSE, hits=20)


def test_of_the_two_prompts_of_a_pair_one_person_completes_only_one() -> None:
    batch = make_choosing(pairs=2, choices_wanted=2)

    report = rehearse(batch, works_each=100, skill=100, skill_spread=0)
    alone = rehearse(batch, workers=1, works_each=100, most_days=1)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 8)
    assert "choose the right word 100 of 100 times" in report["sources"][0]
    assert report["runs"][0]["figures"] == {"Choices that are right": 8}
    assert (alone["final_in_runs"], alone["runs"][0]["works"]) == (0, 2)
    assert not Choice.objects.exists()


def test_choices_that_are_there_or_on_their_way_are_not_asked_for_again() -> None:
    crowd = Crowd(choices_wanted=3)
    make_pair(crowd.project)
    crowd.sweep()
    crowd.answer(domain.CHOOSE, {"choice": "sour"})
    crowd.open(domain.CHOOSE)

    report = rehearse(draft(crowd.project.study, domain.CHOOSE, hits=8))

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 4)


def test_prompts_of_pairs_that_become_valid_are_asked_about_too() -> None:
    batch = make_choosing(pairs=1)
    project = Project.objects.get()
    make_pair(project, "a late thing")
    project.steps.filter(kind="choices").update(by_itself=True)

    report = rehearse(batch, works_each=100)

    assert (report["final_in_runs"], report["runs"][0]["works"]) == (1, 4)


def test_recorded_choices_of_the_study_are_used_where_there_are_enough() -> None:
    project = make_project()
    prompt = Prompt.objects.create(premise=make_pair(project), kind="exception")
    choose(prompt, times=20, is_right=True)
    too_few = RehearsedChoosing.record(project.study)
    choose(prompt, times=20, is_right=False)

    recorded = RehearsedChoosing.record(project.study)
    rehearsed = RehearsedChoosing(assumed=Assumptions(skill=100), recorded=recorded)
    blank = Blank(text="She made a smile. The lemon is ____.", target="sweet", incorrect="sour")
    drawn = [rehearsed.texts(ChoicesTask(), blank, PERSON, Random(seed))["choice"] for seed in range(400)]

    assert (too_few, recorded) == ({}, {"votes": 40, "right": 20})
    assert rehearsed.sources[0].endswith("in 20 of 40 choices.")
    assert 150 < drawn.count("sweet") < 250
