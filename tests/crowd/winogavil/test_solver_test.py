"""The solver's test: questions drawn apart from the data, scored exactly, and fair when one is taken away."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.http import QueryDict

from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.winogavil.domain import ANYBODY, JACCARD, SOLVE, SOLVER_TEST, WINOGAVIL_TIERS
from crowd.winogavil.models import Association, Solution
from crowd.winogavil.queries import of_study
from crowd.winogavil.services.association_verdicts import ask_rivals
from crowd.winogavil.services.withdrawal import report_cue
from hits import families
from hits.admin.batches.launch import warnings
from hits.batches.services import drafting
from hits.core.errors import InvalidAnswer
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual
from hits.people.queries.worker_pool import RecruitingNeed
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.queries.items import answers_wanted
from hits.work.services import leasing
from qualifications.domain.gate_rules import grade, read
from scoring.models import RivalQuery, Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.winogavil.examining import make_solver_test, picks, take_solver_test
from tests.crowd.winogavil.game import come_by_the_provider, hand_in, make_game_batch, open_work, sweep
from tests.factories import NOW, make_account, make_batch, make_study, make_user, make_worker

pytestmark = pytest.mark.django_db
ABOVE_80 = read([{"measure": JACCARD, "above": 80}])


@pytest.fixture
def family() -> Any:
    return families.get(SOLVER_TEST)


def scores_of(work: Assignment) -> list[Fraction]:
    return [score.value for score in Score.objects.filter(assignment=work, measure=JACCARD)]


def form_of(items: list[Item], *, right: int = 2) -> QueryDict:
    form = QueryDict(mutable=True)
    for item in items:
        form.setlist(str(item.public_id), picks(item, right=right))
    return form


def take_away(item: Item) -> None:
    Item.objects.filter(pk=item.pk).update(pulled_at=NOW)


@pytest.mark.parametrize(
    ("right", "mean", "passes"),
    [
        ([2] * 8 + [0] * 2, Fraction(8, 10), False),
        ([2] * 8 + [1, 0], Fraction(25, 30), True),
        ([2] * 7 + [1] * 2 + [0], Fraction(23, 30), False),
    ],
    ids=["exactly-80", "just-above", "just-below"],
)
def test_scores_are_exact_at_the_bound(study: Study, right: list[int], mean: Fraction, passes: bool) -> None:
    batch = make_solver_test(study=study)
    work = take_solver_test(batch, make_worker(account=batch.account), right=right)

    judge_submitted(now=NOW)

    [finding] = grade(ABOVE_80, {JACCARD: scores_of(work)}, items=10)
    assert (finding.mean, finding.count, finding.holds) == (mean, 10, passes)


def test_a_test_is_in_no_data_and_nobody_else_is_asked(study: Study) -> None:
    batch = make_solver_test(study=study)
    take_solver_test(batch, make_worker(account=batch.account), right=[2] * 10)
    ask_rivals(now=NOW)
    sweep()
    accrual.owe_bonuses(now=NOW)

    assert list(of_study(study, sources=list(Association.Source.values))) == []
    assert (RivalQuery.objects.count(), Solution.objects.count(), Bonus.objects.count()) == (0, 0, 0)
    assert answers_wanted(make_game_batch(SOLVE, study=study)) == 0
    assert not Association.objects.filter(final_at__isnull=False).exists()


def test_study_with_a_bonus_table_owes_none_for_a_test() -> None:
    study = make_study(bonus_rules=[dict(rule) for rule in WINOGAVIL_TIERS])

    assert make_batch(study=study, task=SOLVER_TEST).bonus_table == []


def test_questions_never_run_out(study: Study) -> None:
    batch = make_solver_test(study=study)
    before = answers_wanted(batch)

    served = [len(leasing.items_of(open_work(batch, make_worker(account=batch.account)))) for _ in range(4)]

    assert served == [10] * 4
    assert answers_wanted(batch) == before == 30
    assert set(Item.objects.values_list("wanted", flat=True)) == {ANYBODY - 4}


def test_everybody_draws_and_a_reload_shows_the_same(study: Study) -> None:
    batch = make_solver_test(study=study, questions=30)
    one, other = (make_worker(account=batch.account) for _ in range(2))
    work = open_work(batch, one)
    drawn = leasing.items_of(work)

    again = leasing.lease_items(assignment=work, now=NOW + timedelta(minutes=5))
    theirs = leasing.items_of(open_work(batch, other))

    assert drawn == again
    assert len(drawn) == len(theirs) == 10
    assert drawn != theirs


def test_a_test_that_is_opened_again_asks_something_else_as_long_as_there_is_something(study: Study) -> None:
    batch = make_solver_test(study=study, questions=25)
    worker = make_worker(account=batch.account)
    drawn = []
    for _ in range(3):
        work = open_work(batch, worker)
        drawn.append(set(leasing.items_of(work)))
        leasing.give_up(work, now=NOW)

    first, second, third = drawn

    assert [len(items) for items in drawn] == [10, 10, 10]
    assert not first & second
    # Five questions were left that had been on no page.
    assert len(third - first - second) == 5


def test_what_another_worker_has_seen_changes_nobodys_draw(study: Study) -> None:
    batch = make_solver_test(study=study, questions=25)
    one, other = (make_worker(account=batch.account) for _ in range(2))
    mine = open_work(batch, one)
    drawn = leasing.items_of(mine)
    leasing.give_up(mine, now=NOW)
    leasing.give_up(open_work(batch, other), now=NOW)
    Lease.objects.filter(worker=one).delete()

    assert leasing.items_of(open_work(batch, one)) == drawn


def test_another_test_asks_what_was_not_answered_yet(study: Study) -> None:
    batch = make_solver_test(study=study, questions=20)
    worker = make_worker(account=batch.account)
    first = leasing.items_of(take_solver_test(batch, worker, right=[0] * 10))

    second = leasing.items_of(open_work(batch, worker))

    assert len({*first, *second}) == 20


def test_the_page_tells_what_belongs_to_nobody(study: Study, family: Any) -> None:
    batch = make_solver_test(study=study, questions=2)
    work = open_work(batch, make_worker(account=batch.account))
    items = leasing.items_of(work)

    page = family.work_page(assignment=work, items=items)

    assert [set(question) for question in page.context["questions"]] == [
        {"number", "field", "cue", "k", "pictures"}
    ] * 2
    assert {name for one in page.context["questions"] for picture in one["pictures"] for name in picture} == {
        "key",
        "url",
    }
    assert not isinstance(family, families.GivesFeedback)


def test_what_is_away_is_not_asked_and_changes_no_mean(study: Study, family: Any) -> None:
    batch = make_solver_test(study=study)
    work = open_work(batch, make_worker(account=batch.account))
    gone, *rest = leasing.items_of(work)
    take_away(gone)
    items = leasing.items_of(work)

    page = family.work_page(assignment=work, items=items)
    form = form_of(rest)
    form.setlist(str(rest[0].public_id), picks(rest[0], right=0))
    answer = family.read_answer(form=form, assignment=work, items=items)
    hand_in(work, dict(answer))
    judge_submitted(now=NOW)

    assert len(page.context["questions"]) == 9
    assert answer[str(gone.public_id)] is None
    found = scores_of(work)
    assert (len(found), sum(found, Fraction(0)) / 10) == (10, Fraction(8, 9))


def test_too_much_away_leaves_too_few_scores_for_a_gate(study: Study, family: Any) -> None:
    batch = make_solver_test(study=study)
    work = open_work(batch, make_worker(account=batch.account))
    for item in leasing.items_of(work)[:3]:
        take_away(item)
    items = leasing.items_of(work)

    hand_in(work, dict(family.read_answer(form=form_of(items[3:]), assignment=work, items=items)))
    judge_submitted(now=NOW)

    assert scores_of(work) == [Fraction(1)] * 7
    assert grade(ABOVE_80, {JACCARD: scores_of(work)}, items=10) == []


def test_own_report_takes_no_question_away(study: Study, family: Any) -> None:
    batch = make_solver_test(study=study)
    worker = make_worker(account=batch.account)
    work = open_work(batch, worker)
    hard, *rest = leasing.items_of(work)
    report_cue(association=hard.association, worker=worker, reason="other", text="", now=NOW)
    items = leasing.items_of(work)

    with pytest.raises(InvalidAnswer):
        family.read_answer(form=form_of(rest), assignment=work, items=items)

    assert len(family.work_page(assignment=work, items=items).context["questions"]) == 10


def test_own_report_takes_nothing_away_where_the_answer_comes_by_the_provider(study: Study) -> None:
    batch = make_solver_test(study=study)
    worker = make_worker(account=batch.account)
    work = open_work(batch, worker)
    hard, *rest = leasing.items_of(work)
    report_cue(association=hard.association, worker=worker, reason="other", text="", now=NOW)
    answer = {str(hard.public_id): None, **{str(item.public_id): picks(item, right=2) for item in rest}}

    come_by_the_provider(work, answer)

    found = Assignment.objects.get(pk=work.pk)
    assert (found.status, found.answer) == ("submitted", None)


def test_what_others_reported_may_be_left_out_where_the_answer_comes_by_the_provider(study: Study) -> None:
    batch = make_solver_test(study=study)
    work = open_work(batch, make_worker(account=batch.account))
    hard, *rest = leasing.items_of(work)
    other = make_worker(account=batch.account)
    report_cue(association=hard.association, worker=other, reason="other", text="", now=NOW)
    answer = {str(hard.public_id): None, **{str(item.public_id): picks(item, right=2) for item in rest}}

    come_by_the_provider(work, answer)

    assert Assignment.objects.get(pk=work.pk).answer == answer


def test_only_what_is_away_may_be_left_out(study: Study, family: Any) -> None:
    batch = make_solver_test(study=study, questions=2)
    work = open_work(batch, make_worker(account=batch.account))
    one, other = leasing.items_of(work)
    answer = {str(one.public_id): None, str(other.public_id): picks(other, right=2)}

    with pytest.raises(InvalidAnswer):
        family.check_answer(answer=answer, items=[one, other])
    take_away(one)

    assert family.check_answer(answer=answer, items=leasing.items_of(work)) == answer


def test_removed_picture_is_asked_of_nobody(study: Study) -> None:
    batch = make_solver_test(study=study, questions=1)
    picture = Association.objects.get().places.all()[0].picture
    assert picture is not None

    remove_pictures(pictures=[picture], reason="blurred", by=make_user(is_superuser=True), now=NOW)

    assert leasing.items_of(open_work(batch, make_worker(account=batch.account))) == []
    assert answers_wanted(batch) == 0


def test_new_draft_starts_as_a_test_does(study: Study) -> None:
    user = make_user()

    draft = drafting.start_draft(study=study, account=make_account(), task=SOLVER_TEST, by=user)

    found = (f"{draft.reward}", draft.items_per_assignment, draft.hits_wanted, draft.assignments_per_hit)
    assert found == ("0.50", 10, 1, 45)
    assert (draft.estimated_s, draft.duration_s, draft.sizes) == (200, 2700, [9] * 5)


def test_launch_page_warns_of_too_few_questions_and_of_no_number_of_answers(study: Study) -> None:
    few = make_solver_test(study=study, questions=6, status="draft", duration_s=2700, estimated_s=300)
    enough = make_solver_test(study=study, questions=20, status="draft", duration_s=2700, estimated_s=300)

    nobody = RecruitingNeed(needed=0, assignments=0, known=0, shut_out=0)
    told = [
        warnings(batch, wanted=answers_wanted(batch), wage=None, recruiting=nobody) for batch in (few, enough)
    ]
    said = [[words for words, _ in rows] for rows in told]

    assert said == [
        ["Each worker is to get 10 questions, and there are only 6. Add some, or ask fewer."],
        [],
    ]
    assert answers_wanted(enough) == 30
