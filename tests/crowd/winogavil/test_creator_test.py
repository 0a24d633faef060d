"""The creator's test: a word for each set, solved by others like any word, and scored exactly."""

from fractions import Fraction
from typing import Any

import pytest
from django.db.models import F
from django.http import QueryDict
from django.template.loader import render_to_string

from crowd.winogavil.creator_test import CreatorTestTask
from crowd.winogavil.domain import CREATE, CREATOR_TEST, FOOL, SOLVABLE, SOLVE, WINOGAVIL_TIERS
from crowd.winogavil.models import Association
from crowd.winogavil.queries import of_study
from crowd.winogavil.releases.exporting import BY_DEFAULT
from crowd.winogavil.services import association_creation, withdrawal
from hits import families
from hits.batches.services import drafting
from hits.core.errors import InvalidAnswer
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.queries.items import answers_wanted
from hits.work.services import leasing
from qualifications.domain.gate_rules import grade, read
from scoring.models import RivalQuery, Score, Verdict
from tests.crowd.winogavil.examining import make_creator_test, put_word, solve_words, take_creator_test
from tests.crowd.winogavil.game import come_by_the_provider, make_game_batch, open_work, solve, sweep
from tests.factories import NOW, make_account, make_study, make_user, make_worker
from tests.scoring.fakes import FakeRival, use_fakes

pytestmark = pytest.mark.django_db
CREATORS = read([{"measure": FOOL, "above": 40}, {"measure": SOLVABLE, "above": 80}])


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def family() -> Any:
    return families.get(CREATOR_TEST)


def make_solving(test: Batch, *, each: int = 10) -> Batch:
    return make_game_batch(SOLVE, study=test.study, account=test.account, items_per_assignment=each)


def scores_of(work: Assignment) -> dict[str, list[Fraction]]:
    rows = Score.objects.filter(assignment=work)
    return {measure: [row.value for row in rows if row.measure == measure] for measure in (FOOL, SOLVABLE)}


def proposal(slot: int, *, cue: str = "snow", chosen: tuple[str, ...] = ("0", "1")) -> QueryDict:
    form = QueryDict(mutable=True)
    form["slot"], form["cue"] = str(slot), cue
    form.setlist("chosen", list(chosen))
    return form


@pytest.mark.parametrize(
    ("models", "wrong", "means", "passes"),
    [
        ([50] * 5 + [70] * 5, 2, (Fraction(40, 100), Fraction(8, 10)), (False, False)),
        ([50] * 5 + [70] * 4 + [69], 1, (Fraction(401, 1000), Fraction(9, 10)), (True, True)),
        ([50] * 5 + [70] * 4 + [71], 3, (Fraction(399, 1000), Fraction(7, 10)), (False, False)),
    ],
    ids=["exactly-40-and-80", "just-above", "just-below"],
)
def test_scores_are_exact_at_the_bounds(
    study: Study, models: list[int], wrong: int, means: tuple[Fraction, Fraction], passes: tuple[bool, bool]
) -> None:
    test = make_creator_test(study=study)
    solving = make_solving(test)
    work = take_creator_test(test, make_worker(account=test.account))
    sweep()
    words = list(Association.objects.order_by("pk"))
    for word, score in zip(words, models, strict=True):
        Association.objects.filter(pk=word.pk).update(model_score=score)
    missed = [word.cue for word in words[:wrong]]
    for _ in range(3):
        solve_words(solving, make_worker(account=test.account), wrong=missed)
    sweep()

    findings = grade(CREATORS, scores_of(work), items=10)

    assert tuple(finding.mean for finding in findings) == means
    assert tuple(finding.holds for finding in findings) == passes
    assert Assignment.objects.get(pk=work.pk).judged_at == NOW


def test_each_word_is_about_its_own_set_and_marked(study: Study) -> None:
    test = make_creator_test(study=study)
    worker = make_worker(account=test.account)
    work = take_creator_test(test, worker)

    made = association_creation.make_associations(now=NOW)

    picture_sets = [item.picture_set for item in leasing.items_of(work)]
    words = list(Association.objects.order_by("pk"))
    assert made == 10
    assert [word.picture_set for word in words] == picture_sets
    assert {word.source for word in words} == {"test"}
    assert [[place.picture_id for place in word.places.all()] for word in words] == [
        [place.picture_id for place in picture_set.places.all()] for picture_set in picture_sets
    ]
    found = Item.objects.filter(task=SOLVE, batch=None).values_list("author", "wanted").distinct()
    assert list(found) == [(worker.pk, 3)]


def test_words_of_a_test_are_in_no_data_unless_chosen(study: Study) -> None:
    test = make_creator_test(study=study, sets=1, items_per_assignment=1)
    take_creator_test(test, make_worker(account=test.account))
    association_creation.make_associations(now=NOW)

    assert list(of_study(study)) == []
    assert list(of_study(study, sources=BY_DEFAULT)) == []
    assert of_study(study, sources=["test"]).count() == 1


def test_words_of_tests_are_solved_though_nobody_solves_the_own(study: Study) -> None:
    test = make_creator_test(study=study, sets=2, items_per_assignment=2)
    solving = make_solving(test, each=1)
    people = [make_worker(account=test.account) for _ in range(4)]
    works = [
        take_creator_test(test, worker, stem=f"by{chr(97 + number)}") for number, worker in enumerate(people)
    ]
    sweep()

    turns = 0
    for worker in people:
        while solve(solving, worker):
            turns += 1
    sweep()

    assert turns == 24
    assert not Association.objects.filter(final_at=None).exists()
    assert Assignment.objects.filter(pk__in=[work.pk for work in works], judged_at=NOW).count() == 4
    assert not Association.objects.filter(solutions__worker=F("item__author")).exists()
    assert [len(scores_of(work)[SOLVABLE]) for work in works] == [2] * 4


def test_no_bonus_is_owed_for_a_test() -> None:
    study = make_study(bonus_rules=[dict(rule) for rule in WINOGAVIL_TIERS])
    test = make_creator_test(study=study, sets=1, items_per_assignment=1)
    work = take_creator_test(test, make_worker(account=test.account))
    sweep()
    Association.objects.update(model_score=0)
    for _ in range(3):
        solve_words(make_solving(test), make_worker(account=test.account))
    sweep()
    Assignment.objects.filter(pk=work.pk).update(status="approved")

    accrual.owe_bonuses(now=NOW)

    assert Score.objects.get(assignment=work, measure=FOOL).value == 1
    assert CreatorTestTask().possible_bonus(assignment=work, fool=100) is None
    assert not Bonus.objects.filter(assignment=work).exists()


def test_while_waiting_one_sees_how_far_the_solvers_are(study: Study, family: Any) -> None:
    test = make_creator_test(study=study, sets=1, items_per_assignment=1)
    work = take_creator_test(test, make_worker(account=test.account))
    sweep()
    solve_words(make_solving(test), make_worker(account=test.account), wrong=["wordb"])

    page = family.feedback_page(assignment=work, items=leasing.items_of(work))

    assert page is not None
    shown = render_to_string(page.template, dict(page.context))
    assert "1 of 3 people have answered" in shown
    assert "Fooled the model by" in shown
    assert "solvable by humans" not in shown


def test_no_word_of_what_the_model_missed_before_it_has_answered(study: Study, family: Any) -> None:
    test = make_creator_test(study=study, sets=1, items_per_assignment=1)
    work = take_creator_test(test, make_worker(account=test.account))
    Verdict.objects.all().delete()

    page = family.review_page(assignment=work, items=leasing.items_of(work))

    shown = render_to_string(page.template, dict(page.context))
    assert "The model has not answered yet" in shown
    assert ": chosen" in shown
    assert "missed" not in shown


def test_a_tested_word_uses_the_test_up_and_a_look_does_not(study: Study, family: Any) -> None:
    test = make_creator_test(study=study, sets=4, items_per_assignment=2)
    worker = make_worker(account=test.account)
    first = open_work(test, worker)
    looked = family.uses_up(first)
    leasing.give_up(first, now=NOW)
    second = open_work(test, worker)
    put_word(second, "snow", slot=2)
    leasing.give_up(second, now=NOW)

    third = open_work(test, worker)

    def sets(work: Assignment) -> set[int]:
        return {item.pk for item in leasing.items_served(work)}

    assert (looked, family.uses_up(second)) == (False, True)
    assert not sets(first) & sets(second)
    assert not sets(second) & sets(third)


def test_any_number_is_given_the_same_set(study: Study) -> None:
    test = make_creator_test(study=study, sets=1, items_per_assignment=1)

    served = [len(leasing.items_of(open_work(test, make_worker(account=test.account)))) for _ in range(5)]

    assert served == [1] * 5
    assert answers_wanted(test) == 3
    assert answers_wanted(make_game_batch(CREATE, study=study)) == 0


@pytest.mark.parametrize(
    ("slot", "cue"), [(3, "snow"), (2, "ICE"), (0, "snow")], ids=["no-set", "used", "none-named"]
)
def test_what_the_page_could_not_send_asks_no_rival(study: Study, family: Any, slot: int, cue: str) -> None:
    test = make_creator_test(study=study, sets=2, items_per_assignment=2)
    work = open_work(test, make_worker(account=test.account))
    put_word(work, "ice", slot=1)

    with pytest.raises(InvalidAnswer):
        family.read_proposal(form=proposal(slot, cue=cue), assignment=work)

    assert RivalQuery.objects.count() == 1


def test_a_word_is_put_to_the_rival_with_the_pictures_of_its_set(study: Study, family: Any) -> None:
    test = make_creator_test(study=study, sets=2, items_per_assignment=2)
    work = open_work(test, make_worker(account=test.account))

    asked = [family.read_proposal(form=proposal(slot), assignment=work) for slot in (1, 2)]

    picture_sets = [item.picture_set for item in leasing.items_of(work)]
    assert [[sha256 for sha256, _ in one.pictures] for one in asked] == [
        [place.picture.sha256 for place in picture_set.places.select_related("picture")]
        for picture_set in picture_sets
    ]


def test_every_set_wants_a_word_but_those_taken_away(study: Study, family: Any) -> None:
    test = make_creator_test(study=study, sets=3, items_per_assignment=3)
    work = open_work(test, make_worker(account=test.account))
    items = leasing.items_of(work)
    rival_query = put_word(work, "snow", slot=1)
    with pytest.raises(InvalidAnswer):
        family.read_answer(form=QueryDict(), assignment=work, items=items)
    Item.objects.filter(pk__in=[items[1].pk, items[2].pk]).update(pulled_at=NOW)

    answer = family.read_answer(form=QueryDict(), assignment=work, items=items)

    page = family.work_page(assignment=work, items=items)
    assert answer == {"cues": [str(rival_query.public_id)]}
    assert [slot["number"] for slot in page.context["slots"]] == [1]
    assert family.check_answer(answer=answer, items=items) == answer


def test_words_of_somebody_else_for_the_same_sets_are_no_answer(study: Study) -> None:
    test = make_creator_test(study=study, sets=2, items_per_assignment=2)
    theirs = take_creator_test(test, make_worker(account=test.account))
    work = open_work(test, make_worker(account=test.account))

    come_by_the_provider(work, theirs.answer)

    found = Assignment.objects.get(pk=work.pk)
    assert (found.status, found.answer) == ("submitted", None)


def test_own_words_are_an_answer_that_comes_by_the_provider(study: Study) -> None:
    test = make_creator_test(study=study, sets=2, items_per_assignment=2)
    work = open_work(test, make_worker(account=test.account))
    words = [str(put_word(work, cue, slot=slot).public_id) for slot, cue in ((1, "snow"), (2, "ice"))]

    come_by_the_provider(work, {"cues": words})

    assert Assignment.objects.get(pk=work.pk).answer == {"cues": words}


def test_work_that_is_kept_out_takes_its_words_along(study: Study) -> None:
    test = make_creator_test(study=study, sets=1, items_per_assignment=1)
    work = take_creator_test(test, make_worker(account=test.account))
    association_creation.make_associations(now=NOW)

    leasing.keep_out(work, now=NOW)
    withdrawal.pull_disowned(now=NOW)

    assert Item.objects.get(task=SOLVE).pulled_at == NOW


def test_new_draft_starts_as_a_test_does(study: Study) -> None:
    draft = drafting.start_draft(study=study, account=make_account(), task=CREATOR_TEST, by=make_user())

    found = (f"{draft.reward}", draft.items_per_assignment, draft.hits_wanted, draft.assignments_per_hit)
    assert found == ("1.50", 10, 1, 27)
    assert (draft.estimated_s, draft.duration_s, draft.prices.items) == (900, 7200, 10)
