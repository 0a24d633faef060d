"""Workers' submissions turn a generic into a valid pair, and measure human performance on it."""

import pytest

from crowd.winoventi import domain
from crowd.winoventi.models import Alternative, Choice, Generic, Judgement, Premise, Prompt
from crowd.winoventi.procedure.services import collected_answers, step_items
from crowd.winoventi.procedure.services.batch_places import grow_steps
from crowd.winoventi.procedure.services.project_rules import change_rules, settle_anew
from crowd.winoventi.queries import count_pairs
from hits.core.errors import RuleBroken
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_of, keep_out
from tests.crowd.winoventi.crowd import BAD, EXCEPTIONS, FINE, NONSENSE, PREMISE, Crowd, states
from tests.crowd.winoventi.rows import make_generic, make_project
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db


def test_a_noun_walks_from_a_generic_to_a_valid_pair_and_its_two_prompts() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, BAD, FINE)
    crowd.answer(domain.CHOOSE, {"choice": "sour"})
    crowd.answer(domain.CHOOSE, {"choice": "sour"})

    assert states(crowd.project) == {
        "generics": ["answered"],
        "alternatives": ["passed"],
        "premises": ["valid"],
    }
    pair = Premise.objects.get()
    assert pair.sentence == "She made a [face/smile]."
    assert pair.prompt(domain.EXCEPTION) == "She made a smile. The lemon is ____."
    assert list(Prompt.objects.order_by("pk").values_list("kind", "is_answered")) == [
        ("generic", True),
        ("exception", True),
    ]
    assert count_pairs(crowd.project) == {
        "pairs_posted": 1,
        "nonsense": 0,
        "exceptions": 1,
        "passed_filter": 1,
        "premises": 1,
        "well_formed_premises": 1,
        "validated": 1,
        "failed_validation": 0,
        "valid_pairs": 1,
        "entities": 1,
        "generics": 1,
        "human_generic": [1, 1],
        "human_exception": [0, 1],
    }


def test_a_statement_without_sense_goes_no_further_and_says_why() -> None:
    crowd = Crowd()
    crowd.post()

    crowd.answer(domain.EXCEPTIONS, NONSENSE)

    generic = Generic.objects.get()
    assert (generic.state, generic.reason) == ("nonsense", "A worker says that the statement makes no sense.")
    assert not Alternative.objects.exists()


def test_the_same_words_of_a_homonym_are_one_triplet() -> None:
    crowd = Crowd()
    crowd.post()
    crowd.answer(domain.EXCEPTIONS, {**EXCEPTIONS, "exception_2": "bitter"})
    other = crowd.project.nouns.create(number=9, word="lemon")
    Generic.objects.create(project=crowd.project, noun=other, word="sour", k=1, rank=2)
    crowd.sweep()

    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)

    assert states(crowd.project)["alternatives"] == ["given", "given", "repeated"]
    assert Alternative.objects.get(state="repeated").reason == "The same words were given before."


@pytest.mark.parametrize(
    ("generic", "exception", "state"), [(0.3, 0.1, "passed"), (0.1, 0.3, "filtered"), (0.2, 0.2, "filtered")]
)
def test_a_triplet_passes_only_where_the_generic_is_strictly_likelier(
    generic: float, exception: float, state: str
) -> None:
    crowd = Crowd()
    crowd.post()
    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)

    crowd.score(generic, exception)

    alternative = Alternative.objects.get()
    assert alternative.state == state
    assert bool(alternative.reason) == (state == "filtered")
    assert crowd.wanting(domain.PREMISES) == (state == "passed")


def test_an_unavailable_premise_is_kept_with_its_reason_and_is_not_validated() -> None:
    crowd = Crowd()
    crowd.triplet()

    crowd.answer(domain.PREMISES, dict.fromkeys(PREMISE, "N/A"))

    premise = Premise.objects.get()
    assert (premise.state, premise.reason, premise.is_na) == ("malformed", "not_available", True)
    assert (crowd.wanting(domain.PREMISES), crowd.wanting(domain.VALIDATE)) == (0, 0)


@pytest.mark.parametrize(
    ("by", "state", "reason"),
    [("worker", "failed", "generic_synonym,generic_fits_exception"), ("question", "valid", "")],
)
def test_two_workers_with_different_objections(by: str, state: str, reason: str) -> None:
    crowd = Crowd(fails_by=by)
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)

    crowd.judge(BAD, {**FINE, "generic_fits_exception": "yes"}, FINE)

    premise = Premise.objects.get()
    assert (premise.state, premise.reason) == (state, reason)


def test_nothing_is_settled_before_the_last_answer_is_at_the_provider() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)

    crowd.judge(FINE, FINE)
    last = crowd.open(domain.VALIDATE)
    crowd.sweep()

    assert items_of(last)
    assert states(crowd.project)["premises"] == ["waiting"]
    assert not Judgement.objects.exists()


def test_sweeps_that_run_again_change_nothing() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    before = (states(crowd.project), Item.objects.count(), list(Judgement.objects.values_list("pk")))

    crowd.sweep()

    assert collected_answers.take_answers(now=NOW) == 0
    assert (states(crowd.project), Item.objects.count(), list(Judgement.objects.values_list("pk"))) == before


def test_a_judgement_that_is_kept_out_reopens_the_pair_until_somebody_else_has_judged() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    first, *_ = crowd.judge(BAD, BAD, FINE)
    assert states(crowd.project)["premises"] == ["failed"]

    keep_out(first, now=NOW)
    crowd.sweep()
    reopened = states(crowd.project)["premises"], crowd.wanting(domain.VALIDATE)
    crowd.judge(FINE)

    assert reopened == (["waiting"], 1)
    assert states(crowd.project)["premises"] == ["valid"]
    assert Judgement.objects.count() == 3


def test_an_exception_that_is_kept_out_takes_everything_along_and_another_is_asked_for() -> None:
    crowd = Crowd()
    crowd.post()
    first = crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)
    crowd.score()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    assert crowd.wanting(domain.CHOOSE) == 2

    keep_out(first, now=NOW)
    crowd.sweep()

    assert states(crowd.project) == {
        "generics": ["posted"],
        "alternatives": ["withdrawn"],
        "premises": ["withdrawn"],
    }
    assert (crowd.wanting(domain.EXCEPTIONS), crowd.wanting(domain.CHOOSE)) == (1, 0)
    crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)
    crowd.score()
    assert states(crowd.project)["alternatives"] == ["withdrawn", "passed"]
    assert crowd.wanting(domain.PREMISES) == 1


def test_an_exception_whose_rejection_is_taken_back_brings_its_pair_back() -> None:
    crowd = Crowd()
    crowd.post()
    first = crowd.answer(domain.EXCEPTIONS, EXCEPTIONS)
    crowd.score()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    keep_out(first, now=NOW)
    crowd.sweep()

    Assignment.objects.filter(pk=first.pk).update(kept_out=False)
    first.leases.update(status="answered")
    Item.objects.filter(leases__assignment=first).update(recount=True, wanted=0)
    crowd.sweep()

    assert states(crowd.project) == {
        "generics": ["answered"],
        "alternatives": ["passed"],
        "premises": ["valid"],
    }
    assert crowd.wanting(domain.CHOOSE) == 2


def test_a_premise_that_is_kept_out_is_asked_for_again() -> None:
    crowd = Crowd()
    crowd.triplet()
    first = crowd.answer(domain.PREMISES, PREMISE)

    keep_out(first, now=NOW)
    crowd.sweep()
    lacking = (
        states(crowd.project)["premises"],
        crowd.wanting(domain.PREMISES),
        crowd.wanting(domain.VALIDATE),
    )
    crowd.answer(domain.PREMISES, {**PREMISE, "sentence": "He pulled a [face/smile]"})

    assert lacking == (["withdrawn"], 1, 0)
    assert states(crowd.project)["premises"] == ["withdrawn", "waiting"]
    assert crowd.wanting(domain.VALIDATE) == 1


def test_a_choice_that_is_kept_out_is_asked_for_again() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(FINE, FINE, FINE)
    first = crowd.answer(domain.CHOOSE, {"choice": "sour"})
    assert Choice.objects.count() == 1

    keep_out(first, now=NOW)
    crowd.sweep()

    assert not Choice.objects.exists()
    assert crowd.wanting(domain.CHOOSE) == 2


def test_rules_that_change_decide_anew_what_was_decided() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(BAD, FINE, FINE)
    assert states(crowd.project)["premises"] == ["valid"]

    change_rules(project=crowd.project, fails_at=1)
    settle_anew(now=NOW)
    assert states(crowd.project)["premises"] == ["failed"]
    change_rules(project=crowd.project, answers_wanted=4)
    crowd.sweep()
    assert (states(crowd.project)["premises"], crowd.wanting(domain.VALIDATE)) == (["waiting"], 1)
    change_rules(project=crowd.project, fails_at=2)
    crowd.judge(FINE)

    assert states(crowd.project)["premises"] == ["valid"]
    crowd.project.refresh_from_db()
    assert not crowd.project.is_stale


def test_everything_is_rebuilt_from_the_raw_answers() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(domain.PREMISES, PREMISE)
    crowd.judge(BAD, BAD, FINE)
    before = states(crowd.project)
    Judgement.objects.all().delete()
    Premise.objects.update(state="waiting", settled_at=None, reason="", sentence="lost")
    Generic.objects.update(state="nonsense")

    collected_answers.rebuild(project=crowd.project, now=NOW)

    assert states(crowd.project) == before
    assert Premise.objects.get().sentence == "She made a [face/smile]."
    assert Judgement.objects.count() == 3


def test_by_hand_a_step_goes_on_by_so_many_and_the_best_come_first() -> None:
    project = make_project()
    for rank, (k, word) in enumerate([(3, "old"), (1, "sour"), (1, "sweet")], start=1):
        make_generic(project, word=word, k=k, rank=rank)
    make_generic(project, word="unranked", k=1)
    step_items.advance_steps(now=NOW)
    assert not Item.objects.exists()

    posted = step_items.advance(project=project, kind="exceptions", most=2, now=NOW)

    assert posted == 2
    assert set(project.generics.filter(state="posted").values_list("word", flat=True)) == {"sour", "sweet"}
    with pytest.raises(RuleBroken, match="Nothing waits"):
        step_items.advance(project=project, kind="premises", now=NOW)
    assert Item.objects.count() == 2


def test_the_batch_of_a_step_that_goes_on_by_itself_grows_with_it() -> None:
    crowd = Crowd()
    batch = crowd.batch(domain.EXCEPTIONS)
    type(batch).objects.filter(pk=batch.pk).update(launched_by=make_user(is_superuser=True))
    crowd.project.steps.filter(kind="exceptions").update(batch=batch)
    crowd.post()

    assert grow_steps(now=NOW) == 1
    assert grow_steps(now=NOW) == 0
    crowd.post("apple", "edible")
    crowd.project.steps.update(by_itself=False)
    assert grow_steps(now=NOW) == 0
    assert crowd.project.steps.get(kind="exceptions").problem == ""
