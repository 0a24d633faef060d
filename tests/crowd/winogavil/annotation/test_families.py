"""The three tasks of annotation: which answers they accept, and what their pages hold."""

from typing import Any

import pytest
from django.template.loader import render_to_string

from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from hits import families
from hits.batches.services import drafting
from hits.core.errors import InvalidAnswer, InvalidItems, RuleBroken
from hits.people.queries.worker_pool import known_workers
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.eligibility import refuse_entry
from tests.crowd.winogavil.annotation.annotators import (
    annotate,
    begin,
    draw,
    make_selected,
    open_batch,
    solve,
)
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_worker

pytestmark = pytest.mark.django_db
LABELS = [Kind.TYPES, Kind.SKILLS]


def opened(study: Study, kind: Kind) -> tuple[Assignment, list[Item]]:
    make_selected(study, cue="cold", size=5, chosen=2)
    draw(study, kind)
    return begin(open_batch(study, kind))


def check(kind: Kind, items: list[Item], labels: Any) -> Any:
    answer = {str(item.public_id): labels for item in items}
    return families.get(kind.task).check_answer(answer=answer, items=items)


def test_researchers_may_launch_all_three() -> None:
    assert {kind.task for kind in Kind} <= set(families.offered())
    # Types and skills score nothing that a bonus table could name.
    assert "baseline" in families.known_measures()


@pytest.mark.parametrize("kind", Kind)
def test_practice_page_is_an_example_of_no_data(kind: Kind) -> None:
    page = families.get(kind.task).practice_page()

    shown = render_to_string(page.template, {**page.context, "preview": True})

    assert "practice example" in shown
    assert "bark" in shown
    assert '<form method="post" action' not in shown


@pytest.mark.parametrize(
    ("kind", "sent", "kept"),
    [
        pytest.param(Kind.TYPES, ["colors"], ["colors"], id="types"),
        pytest.param(Kind.SKILLS, ["humor", "kind_of"], ["kind_of", "humor"], id="skills"),
        pytest.param(Kind.SKILLS, ["none"], ["none"], id="nothing-fits"),
    ],
)
def test_answer_is_kept_in_the_order_of_the_page(
    study: Study, kind: Kind, sent: list[str], kept: list[str]
) -> None:
    _, items = opened(study, kind)

    assert check(kind, items, sent) == {str(item.public_id): kept for item in items}


@pytest.mark.parametrize(
    ("kind", "labels", "words"),
    [
        pytest.param(Kind.TYPES, [], "no answer yet", id="types-none"),
        pytest.param(Kind.SKILLS, [], "no answer yet", id="skills-none"),
        pytest.param(Kind.TYPES, ["colors", "activity"], "takes one answer", id="types-two"),
        pytest.param(Kind.SKILLS, ["none", "humor"], "None of these", id="none-and-another"),
        pytest.param(Kind.TYPES, ["humor"], "not on this page", id="label-of-the-other-task"),
        pytest.param(Kind.SKILLS, ["humor", "humor"], "not on this page", id="twice"),
        pytest.param(Kind.SKILLS, "humor", "list of labels", id="no-list"),
        pytest.param(Kind.SKILLS, [1], "list of labels", id="no-text"),
    ],
)
def test_answer_that_no_page_sends_is_refused(study: Study, kind: Kind, labels: Any, words: str) -> None:
    _, items = opened(study, kind)

    with pytest.raises(InvalidAnswer, match=words):
        check(kind, items, labels)


@pytest.mark.parametrize("answer", [None, [], "x"])
def test_answer_that_is_no_mapping_is_refused(study: Study, answer: Any) -> None:
    _, items = opened(study, Kind.SKILLS)

    with pytest.raises(InvalidAnswer):
        families.get(Kind.SKILLS.task).check_answer(answer=answer, items=items)


@pytest.mark.parametrize("kind", Kind)
def test_file_of_items_is_refused(study: Study, kind: Kind) -> None:
    draft = make_batch(study=study, task=kind.task)

    with pytest.raises(InvalidItems) as refusal:
        drafting.add_items(batch=draft, content=b"cue,candidates,chosen\n")

    assert refusal.value.problems == ["This task takes no items from a file."]


def test_types_page_shows_one_picture_and_skills_page_all(study: Study) -> None:
    make_selected(study, size=6, chosen=3)
    for kind in LABELS:
        draw(study, kind)

    pages = {}
    for kind in LABELS:
        work, items = begin(open_batch(study, kind))
        pages[kind] = families.get(kind.task).work_page(assignment=work, items=items).context["questions"]

    assert [len(question["pictures"]) for question in pages[Kind.TYPES]] == [1, 1, 1]
    assert [picture["belongs"] for picture in pages[Kind.SKILLS][0]["pictures"]] == [True] * 3 + [False] * 3


def test_work_page_reads_the_database_as_often_for_many_items(
    study: Study, django_assert_num_queries: Any
) -> None:
    for _ in range(4):
        make_selected(study)
    for kind in Kind:
        draw(study, kind)

    for kind in Kind:
        work, items = begin(open_batch(study, kind))
        assert len(items) >= 4
        with django_assert_num_queries(2):
            families.get(kind.task).work_page(assignment=work, items=items)


def test_review_page_shows_the_answer_and_what_most_say(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.SKILLS)
    works = annotate(open_batch(study, Kind.SKILLS), ["humor"], ["humor"], ["use_of"])
    family = families.get(Kind.SKILLS.task)
    items = [lease.item for lease in works[2].leases.all()]

    def review() -> str:
        page = family.review_page(assignment=works[2], items=items)
        return " ".join(render_to_string(page.template, dict(page.context)).split())

    before = review()
    finalize_annotations(now=NOW)
    after = review()

    assert "<dd>Use of</dd>" in before
    assert "not all have answered yet" in before
    assert "<dd>Use of</dd>" in after
    assert "<dd> Humor or sarcasm </dd>" in after


def test_baseline_review_shows_what_was_right(study: Study) -> None:
    make_selected(study, cue="cold")
    draw(study, Kind.BASELINE)
    [work] = solve(open_batch(study, Kind.BASELINE), (0, 4))
    items = [lease.item for lease in work.leases.all()]

    page = families.get(Kind.BASELINE.task).review_page(assignment=work, items=items)

    assert [question["score"] for question in page.context["questions"]] == [33]


@pytest.mark.parametrize("task", ["winogavil.solve", "winogavil.create", "winogavil.skills"])
def test_baseline_is_for_people_who_did_nothing_else_in_the_study(study: Study, task: str) -> None:
    make_selected(study)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    known, new = make_worker(account=batch.account), make_worker(account=batch.account)
    other = make_batch(study=study, account=batch.account, task=task, status="open")
    make_assignment(hit=make_hit(batch=other), worker=known, status="approved")
    elsewhere = make_batch(account=batch.account, task=task, status="open")
    make_assignment(hit=make_hit(batch=elsewhere), worker=new, status="approved")
    hit = make_hit(batch=batch)

    with pytest.raises(RuleBroken, match="people who have not") as refusal:
        refuse_entry(hit=hit, worker=known, now=NOW)
    refuse_entry(hit=hit, worker=new, now=NOW)

    assert refusal.value.code == "took_part"


@pytest.mark.parametrize("test", ["winogavil.solver_test", "winogavil.creator_test"])
def test_baseline_is_open_to_who_took_the_tests_of_the_study(study: Study, test: str) -> None:
    make_selected(study)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    tested, worked = make_worker(account=batch.account), make_worker(account=batch.account)
    testing, solving = (
        make_batch(study=study, account=batch.account, task=task, status="open")
        for task in (test, "winogavil.solve")
    )
    for worker in (tested, worked):
        make_assignment(hit=make_hit(batch=testing), worker=worker, status="approved")
    make_assignment(hit=make_hit(batch=solving), worker=worked, status="approved")
    hit = make_hit(batch=batch)

    refuse_entry(hit=hit, worker=tested, now=NOW)
    with pytest.raises(RuleBroken, match="people who have not"):
        refuse_entry(hit=hit, worker=worked, now=NOW)

    assert list(known_workers(batch)) == [tested]


def test_baseline_is_open_to_who_was_only_paid_in_the_study(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    worker = make_worker(account=batch.account)
    paying = make_batch(study=study, account=batch.account, task="compensation", status="open")
    make_assignment(hit=make_hit(batch=paying), worker=worker, status="approved")

    refuse_entry(hit=make_hit(batch=batch), worker=worker, now=NOW)

    assert list(known_workers(batch)) == [worker]


def test_batch_that_is_excluded_by_hand_shuts_out_its_test_takers_too(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    testing = make_batch(study=study, account=batch.account, task="winogavil.solver_test", status="open")
    batch.exclude_batches.add(testing)
    worker = make_worker(account=batch.account)
    make_assignment(hit=make_hit(batch=testing), worker=worker, status="approved")

    with pytest.raises(RuleBroken, match="people who have not"):
        refuse_entry(hit=make_hit(batch=batch), worker=worker, now=NOW)

    assert list(known_workers(batch)) == []


def test_author_is_not_asked_about_the_own_association(study: Study) -> None:
    association = make_selected(study)
    batch = open_batch(study, Kind.SKILLS)
    author = make_worker(account=batch.account)
    Item.objects.filter(pk=association.item_id).update(author=author)
    draw(study, Kind.SKILLS)

    assert begin(batch, worker=author)[1] == []
    assert len(begin(batch)[1]) == 1
