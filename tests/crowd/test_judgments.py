"""What the answers of each family choose, as its quality is judged by."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.questions.judged_choices import words_to_read
from crowd.whoops import domain as whoops
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.models.judged_items import Option
from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.domain import SOLVE
from crowd.winogavil.models import Association
from crowd.winoventi import domain as winoventi
from crowd.winoventi.models import Prompt
from hits import families
from hits.families import Judgment, StatesJudgments
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.counting_answers import works_that_count
from hits.work.services.leasing import items_served
from tests.crowd.plain.making import answer_each, asked_project
from tests.crowd.plain.making import open_batch as open_rows
from tests.crowd.whoops.making_images import SAW, SAW_NOTHING, ControlGroup
from tests.crowd.whoops.making_questions import EXPLANATIONS, Judges, bring_in, make_annotation, make_data
from tests.crowd.winogavil.annotation.annotators import annotate, draw, make_selected, open_batch
from tests.crowd.winogavil.game import make_game_batch
from tests.crowd.winogavil.game import solve as solve_words
from tests.crowd.winoground.making_asked import answer_all, make_project
from tests.crowd.winoground.making_asked import ask as ask_pairs
from tests.crowd.winoground.making_asked import open_batch as open_pairs
from tests.crowd.winoventi.crowd import BAD, FINE, PREMISE, Crowd
from tests.crowd.winoventi.rows import make_pair
from tests.factories import NOW, make_assignment, make_association, make_hit, make_study, make_worker

pytestmark = pytest.mark.django_db
MOST = 100
# Those that several people answer alike, and others with nothing to compare: texts, or one answer each.
COMPARED = {
    "plain.ask", "whoops.answers", "whoops.captions", "whoops.control", "whoops.explanations",
    "whoops.identify", "winogavil.baseline", "winogavil.skills", "winogavil.solve", "winogavil.types",
    "winoground.validate", "winoventi.choose", "winoventi.validate",
}  # fmt: skip


def judged_in(batch: Batch) -> list[Judgment]:
    task: Any = families.get(batch.task)
    return list(task.judgments(works_that_count(Batch.objects.filter(pk=batch.pk), most=MOST)))


def said_in(batch: Batch) -> list[tuple[str, str]]:
    return [(one.question, one.label) for one in judged_in(batch)]


def test_tasks_that_several_people_answer_alike_can_be_compared() -> None:
    able = {
        key
        for key, task in families.offered().items()
        if isinstance(task, StatesJudgments) and not families.is_test(key)
    }

    assert able == COMPARED


def test_a_validation_is_four_answers_about_a_pair() -> None:
    crowd = Crowd()
    crowd.triplet()
    crowd.answer(winoventi.PREMISES, PREMISE)
    crowd.judge(FINE, BAD)

    first, *_ = judged = judged_in(crowd.batch(winoventi.VALIDATE))

    assert {one.question for one in judged} == {*FINE}
    assert [one.label for one in judged] == [*FINE.values(), *BAD.values()]
    assert first.words > 10
    assert first.place is None


def test_a_choice_of_words_is_the_usual_or_the_exception_with_its_place() -> None:
    crowd = Crowd()
    pair = make_pair(crowd.project)
    study = crowd.project.study
    for kind, word in (("generic", "sweet"), ("exception", "sweet")):
        item = Item.objects.create(study=study, task=winoventi.CHOOSE, wanted=1)
        Prompt.objects.create(premise=pair, kind=kind, item=item)
        answer = {str(item.public_id): {"choice": word}}
        hit = make_hit(batch=crowd.batch(winoventi.CHOOSE))
        work = make_assignment(hit=hit, status="submitted", answer=answer)
        Lease.objects.create(item=item, assignment=work, worker=work.worker, leased_at=NOW, status="answered")

    judged = judged_in(crowd.batch(winoventi.CHOOSE))

    # “sweet” is the exception of a lemon that is sour, right or not.
    assert [one.label for one in judged] == ["exception", "exception"]
    assert {one.place for one in judged} <= {0, 1}


def test_the_control_group_is_compared_by_whether_anything_was_seen() -> None:
    group = ControlGroup()
    group.post()
    group.look(SAW)
    group.look(SAW_NOTHING)

    assert said_in(group.batch) == [("nothing", "no"), ("nothing", "yes")]


def test_each_explanation_is_marked_or_not() -> None:
    project = make_data(annotations_wanted=3)
    bring_in(project, whoops.EXPLAIN, EXPLANATIONS)
    for text in ("Flames need air.", "candles  need air.", "Water puts out fire."):
        make_annotation(project.images.get(number=1), text)
    make_explanations(project=project, incomplete=False, now=NOW)
    judges = Judges(project, whoops.EXPLAIN)
    work, [item] = judges.open()
    number = min(Option.objects.filter(question__item=item).values_list("number", flat=True))
    judges.hand_in(work, {str(item.public_id): {"marked": str(number)}})

    judged = judged_in(judges.batch)

    assert len({one.about for one in judged}) == len(judged) > 2
    assert {one.label for one in judged} == {"yes", "no"}


def test_pairs_are_a_match_or_not() -> None:
    project = make_project()
    ask_pairs(project)
    batch = open_pairs(project, items=1)
    for _ in range(4):
        answer_all(batch, make_worker(account=batch.account))

    assert said_in(batch) == [("match", "yes")] * 4


def test_each_candidate_is_picked_or_not_and_picks_have_a_place() -> None:
    association = make_association(size=5, chosen=2)
    batch = make_game_batch(SOLVE, study=association.item.study)
    solve_words(batch, make_worker(account=batch.account))

    judged = judged_in(batch)

    picked = Association.objects.get().chosen_keys
    assert {one.about for one in judged if one.label == "yes"} == picked
    assert [one.label for one in judged].count("no") == 3
    assert all((one.place is not None) == (one.label == "yes") for one in judged)


def test_labels_are_compared_each_by_itself_where_several_may_be_chosen() -> None:
    study = make_study()
    make_selected(study)
    draw(study, Kind.TYPES)
    draw(study, Kind.SKILLS)
    types, skills = open_batch(study, Kind.TYPES), open_batch(study, Kind.SKILLS)
    annotate(types, ["none"])
    annotate(skills, ["none"])

    assert {one.label for one in judged_in(types)} == {"none"}
    assert [one.about for one in judged_in(skills) if one.label == "yes"] == ["none"]


def test_rows_of_ones_own_are_compared_question_by_question() -> None:
    batch = open_rows(asked_project("A dog barks.", "A dog meows."))
    answer_each(batch, [{"q1": "1"}, {"q1": "2"}])

    judged = judged_in(batch)

    assert {(one.question, one.label) for one in judged} == {("natural", "yes"), ("natural", "no")}
    assert {one.words for one in judged} == {3}


def test_choices_are_said_in_the_order_of_the_workers_page() -> None:
    project = make_project()
    ask_pairs(project, count=4)
    batch = open_pairs(project, items=4)
    worker = make_worker(account=batch.account)
    answer_all(batch, worker)
    work = Assignment.objects.get(worker=worker)

    page: Any = families.get(batch.task).work_page(assignment=work, items=items_served(work))
    shown = [question["field"] for question in page.context["questions"]]

    assert [str(one.item.public_id) for one in judged_in(batch)] == shown
    assert len(shown) > 1


def test_work_that_is_kept_out_or_rejected_is_not_compared_and_one_query_reads_the_rest() -> None:
    batch = open_rows(asked_project("A dog barks.", "A dog meows.", "A cat barks."))
    answer_each(batch, [{"q1": "1"}, {"q1": "2"}, {"q1": "1"}])
    first, second, third = Assignment.objects.order_by("pk")
    Assignment.objects.filter(pk=first.pk).update(kept_out=True)
    Assignment.objects.filter(pk=second.pk).update(status="rejected", rejected_at=NOW)

    with CaptureQueriesContext(connection) as queries:
        works = works_that_count(Batch.objects.filter(pk=batch.pk), most=MOST)

    assert [work.assignment.pk for work in works] == [third.pk]
    assert len(queries) == 1


def test_only_the_newest_answers_are_read_in_the_order_in_which_they_came() -> None:
    batch = open_rows(asked_project("A dog barks.", "A dog meows.", "A cat barks."))
    answer_each(batch, [{"q1": "1"}, {"q1": "2"}, {"q1": "1"}])
    _, second, third = Assignment.objects.order_by("pk")

    works = works_that_count(Batch.objects.filter(pk=batch.pk), most=2)

    assert [work.assignment.pk for work in works] == [second.pk, third.pk]


def test_words_to_read_are_counted_once_and_addresses_are_not_read() -> None:
    shown = {"text": "The dog saw the cat", "url": "/pictures/1/480/", "options": [{"words": "a cat"}, "one"]}

    assert words_to_read(shown) == 5
