"""Hostile workers, and rules that change while work is going on, break nothing."""

from io import BytesIO

import pytest

from crowd.winoventi import domain
from crowd.winoventi.associations.services.model_readings import find_generics
from crowd.winoventi.challenge.services.uploaded_answers import ANSWERS
from crowd.winoventi.domain.prompts import Template
from crowd.winoventi.models import Alternative, Choice, Judgement, Reading
from crowd.winoventi.procedure.services.project_rules import change_rules
from crowd.winoventi.procedure.services.projects import add_nouns
from hits.core.errors import InvalidItems, RuleBroken
from hits.core.states import move
from hits.data.services.model_results import read_results
from hits.work.services.eligibility import refuse_entry
from hits.work.services.leasing import items_of, save_answer
from tests.crowd.winoventi.crowd import BAD, EXCEPTIONS, FINE, PREMISE, Crowd, states
from tests.crowd.winoventi.rows import make_project
from tests.factories import NOW, make_assignment, make_hit
from tests.scoring.fakes import make_rival

pytestmark = pytest.mark.django_db


def test_a_word_that_grows_in_small_letters_is_not_longer_than_is_kept() -> None:
    crowd = Crowd()
    crowd.post()

    crowd.answer(domain.EXCEPTIONS, {**EXCEPTIONS, "exception_1": "İ" * 64})

    assert len(Alternative.objects.get().word) <= 64
    assert states(crowd.project)["generics"] == ["answered"]


def test_an_answer_of_the_author_does_not_block_a_pair_once_the_rule_forbids_it() -> None:
    crowd = Crowd(judges="anybody")
    writing = crowd.worker()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE, writing)
    crowd.answer(domain.VALIDATE, FINE, writing)
    change_rules(project=crowd.project, judges="others")

    crowd.judge(FINE, FINE)
    refused = states(crowd.project)["premises"], crowd.wanting(domain.VALIDATE)
    crowd.judge(FINE)

    assert refused == (["waiting"], 1)
    assert states(crowd.project)["premises"] == ["valid"]
    assert not Judgement.objects.filter(worker=writing).exists()


def test_a_judgement_of_ones_own_leaves_a_settled_pair_once_the_rule_forbids_it() -> None:
    crowd = Crowd(judges="anybody", answers_wanted=1)
    writing = crowd.worker()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE, writing)
    crowd.answer(domain.VALIDATE, FINE, writing)
    assert states(crowd.project)["premises"] == ["valid"]

    change_rules(project=crowd.project, judges="others")
    crowd.sweep()

    assert not Judgement.objects.exists()
    assert (states(crowd.project)["premises"], crowd.wanting(domain.VALIDATE)) == (["waiting"], 1)


def test_an_author_is_not_asked_once_the_rule_forbids_it() -> None:
    crowd = Crowd(judges="anybody")
    writing = crowd.worker()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE, writing)

    change_rules(project=crowd.project, judges="others")

    assert items_of(crowd.open(domain.VALIDATE, writing)) == []
    assert len(items_of(crowd.open(domain.VALIDATE))) == 1


def test_answers_that_are_there_are_not_asked_for_again_when_the_number_goes_down_and_up() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)

    change_rules(project=crowd.project, answers_wanted=2)
    change_rules(project=crowd.project, answers_wanted=3)
    crowd.sweep()

    assert crowd.wanting(domain.VALIDATE) == 0
    assert states(crowd.project)["premises"] == ["valid"]


def test_a_pair_that_comes_back_is_judged_by_the_number_of_now() -> None:
    crowd = Crowd(answers_wanted=1)
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE)
    Alternative.objects.get().scores.update(passes=False, p_generic=0.0)
    change_rules(project=crowd.project, way="one_token")
    crowd.sweep()
    assert states(crowd.project)["premises"] == ["withdrawn"]

    change_rules(project=crowd.project, answers_wanted=2)
    Alternative.objects.get().scores.update(passes=True, p_generic=0.9)
    change_rules(project=crowd.project, way="properly")
    crowd.sweep()

    assert (states(crowd.project)["premises"], crowd.wanting(domain.VALIDATE)) == (["waiting"], 1)


def test_more_choices_are_asked_of_prompts_that_were_answered() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    crowd.answer(domain.CHOOSE, {"choice": "sour"})
    crowd.answer(domain.CHOOSE, {"choice": "sour"})

    change_rules(project=crowd.project, choices_wanted=2)
    crowd.sweep()
    asked = crowd.wanting(domain.CHOOSE)
    crowd.answer(domain.CHOOSE, {"choice": "sweet"})
    crowd.answer(domain.CHOOSE, {"choice": "sweet"})

    assert asked == 2
    assert Choice.objects.count() == 4


def test_one_page_never_has_both_prompts_of_a_pair() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    batch = crowd.batch(domain.CHOOSE)
    type(batch).objects.filter(pk=batch.pk).update(items_per_assignment=5)
    batch.refresh_from_db()

    shown = items_of(crowd.open(domain.CHOOSE))

    assert len(shown) == 1
    assert crowd.wanting(domain.CHOOSE) == 1
    assert len(items_of(crowd.open(domain.CHOOSE))) == 1


def test_the_limit_holds_for_pages_that_are_open_and_have_no_items_yet() -> None:
    crowd = Crowd()
    crowd.project.steps.filter(kind="exceptions").update(most_per_worker=1)
    crowd.post()
    worker, batch = crowd.worker(), crowd.batch(domain.EXCEPTIONS)
    make_assignment(hit=make_hit(batch=batch), worker=worker)

    with pytest.raises(RuleBroken, match="as much of this task"):
        refuse_entry(hit=make_hit(batch=batch), worker=worker, now=NOW)

    assert items_of(crowd.open(domain.EXCEPTIONS))


def test_fewer_answers_wait_for_the_one_that_is_on_its_way() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(BAD, FINE)
    last = crowd.open(domain.VALIDATE)

    change_rules(project=crowd.project, answers_wanted=2)
    crowd.sweep()
    waiting = states(crowd.project)["premises"], crowd.wanting(domain.VALIDATE)
    save_answer(assignment=last, answer={str(one.public_id): dict(BAD) for one in items_of(last)}, now=NOW)
    move(last, last.Status.SUBMITTED, submitted_at=NOW)
    crowd.sweep()

    assert waiting == (["waiting"], 0)
    assert states(crowd.project)["premises"] == ["failed"]


def test_nouns_that_no_database_keeps_are_refused_by_line() -> None:
    project = make_project("lemon")

    with pytest.raises(InvalidItems, match="Line 2: there is a character"):
        add_nouns(project=project, words=["apple", "pe\0ar"])

    assert project.nouns.count() == 1


def test_answers_that_are_no_csv_are_refused() -> None:
    with pytest.raises(InvalidItems, match="Line 2 is too long"):
        read_results(
            ANSWERS, BytesIO(b"prompt,prediction\n" + b"x" * 200_000 + b",sour\n"), of=make_project()
        )


def test_signs_that_are_longer_than_words_are_no_generics() -> None:
    project = make_project("lemon", generics_model=make_rival(kind="masked"))
    noun = project.nouns.get()
    Reading.objects.bulk_create(
        Reading(
            noun=noun,
            rival=project.generics_model,
            template=template,
            words=[["-" * 65, 0.5], ["sour", 0.2]],
            read_at=NOW,
        )
        for template in Template
    )

    find_generics(project, [noun])

    assert list(project.generics.values_list("word", flat=True)) == ["sour"]
