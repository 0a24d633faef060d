"""The annotators' test: five images, good answers that no worker sees, and a person who grades."""

import pytest
from django.template.loader import render_to_string

from crowd.whoops import domain
from crowd.whoops.annotate.services.training_images import ask_training_image, training_images
from hits import families
from hits.core.errors import RuleBroken
from hits.families import entry_policies
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.queries.items import answers_wanted
from hits.work.services.leasing import give_up, items_of, lease_items
from qualifications.models import Attempt, Gate
from qualifications.presets import PRESETS
from qualifications.services.grading import grade_by_hand
from qualifications.services.test_attempts import follow_tests
from tests.crowd.whoops.making_annotations import GOOD, Annotators, make_training_images
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_user

pytestmark = pytest.mark.django_db
EXAMPLES = domain.EXAMPLES


def sit_down(crowd: Annotators, **who: object) -> Assignment:
    return crowd.open(task=EXAMPLES, items_per_assignment=5, **who)  # type: ignore[arg-type]


def obstacles(crowd: Annotators, **changes: object) -> list[str]:
    draft = make_batch(
        study=crowd.project.study,
        account=crowd.account,
        task=EXAMPLES,
        **{"items_per_assignment": 5, **changes},
    )
    return list(entry_policies.ask(draft).obstacles)


def test_the_preset_of_the_gate_names_this_test_and_its_work() -> None:
    preset = PRESETS["whoops.annotator"]

    assert (preset.test_task, list(preset.opens), preset.items) == (EXAMPLES, [domain.ANNOTATE], 5)
    assert families.is_test(EXAMPLES)


def test_a_test_with_too_few_images_is_not_launched_and_says_how_many_are_missing() -> None:
    crowd = Annotators(images=0)
    make_training_images(crowd.project, 3)

    assert obstacles(crowd) == [
        (
            "The test needs 5 training images, and there are 3. Add 2 more: on the page of the study's weird "
            "images, under “The annotators' test”."
        )
    ]

    make_training_images(crowd.project, 2)
    assert obstacles(crowd) == []
    assert obstacles(crowd, items_per_assignment=4) == [
        (
            "Each worker of the test gets 5 images, and this batch would give each 4. Set the items for each "
            "assignment to 5."
        )
    ]


def test_work_on_weird_images_needs_a_project() -> None:
    study = make_study()
    draft = make_batch(study=study, task=domain.ANNOTATE)

    assert list(entry_policies.ask(draft).obstacles) == [
        f"The study “{study}” has no weird images yet. Set them up first."
    ]


def test_each_worker_writes_about_five_images_and_the_test_never_runs_out() -> None:
    crowd = Annotators(images=0)
    make_training_images(crowd.project, 7)

    first, second = sit_down(crowd), sit_down(crowd)

    assert (len(items_of(first)), len(items_of(second))) == (5, 5)
    assert answers_wanted(crowd.batch(EXAMPLES)) > 0


def test_the_page_of_the_test_shows_no_good_answer_and_the_grader_sees_it_beside_the_workers() -> None:
    crowd = Annotators(images=0)
    make_training_images(crowd.project, 5, explanation="Cups are for drinks, and sand is none.")
    assignment = sit_down(crowd)
    family, items = families.get(EXAMPLES), items_of(assignment)

    page = family.work_page(assignment=assignment, items=items)
    shown = render_to_string(page.template, {**page.context, "hit": assignment.hit, "assignment": assignment})
    assert "Cups are for drinks" not in shown
    assert "into cup 1" not in shown

    crowd.hand_in(assignment)
    review = family.review_page(assignment=assignment, items=items)
    read = render_to_string(review.template, review.context)
    assert read.count("Cups are for drinks, and sand is none.") == 5
    assert read.count(GOOD["explanation"]) == 5


def test_whoever_returns_the_test_may_begin_it_anew() -> None:
    crowd = Annotators(images=0)
    make_training_images(crowd.project, 5)
    assignment = sit_down(crowd)
    give_up(assignment, now=NOW)

    assert len(items_of(sit_down(crowd, worker=assignment.worker))) == 5


def test_whoever_tries_again_needs_five_images_that_are_new() -> None:
    crowd = Annotators(images=0)
    make_training_images(crowd.project, 9)
    assignment = crowd.hand_in(sit_down(crowd))
    hit: HIT = make_hit(batch=crowd.batch(EXAMPLES))

    with pytest.raises(RuleBroken, match="not enough images in this test that are new to you"):
        entry_policies.refuse_entry(hit=hit, worker=assignment.worker, now=NOW)

    make_training_images(crowd.project, 1)
    entry_policies.refuse_entry(hit=hit, worker=assignment.worker, now=NOW)


def test_whoever_has_the_test_open_may_load_it_again() -> None:
    crowd = Annotators(images=0)
    make_training_images(crowd.project, 5)
    assignment = sit_down(crowd)

    entry_policies.refuse_entry(hit=assignment.hit, worker=assignment.worker, now=NOW)


def test_an_image_that_is_taken_out_is_asked_of_nobody_new_and_comes_back() -> None:
    crowd = Annotators(images=0)
    row = make_training_images(crowd.project, 6)[0]

    ask_training_image(row=row, is_asked=False, now=NOW)
    first = make_assignment(
        hit=make_hit(batch=crowd.batch(EXAMPLES, items_per_assignment=6)), worker=crowd.worker()
    )
    lease_items(assignment=first, now=NOW)
    assert row.item not in items_of(first)
    assert len(items_of(first)) == 5

    ask_training_image(row=row, is_asked=True, now=NOW)
    assert training_images(crowd.project).filter(item__pulled_at=None).count() == 6


def test_a_person_who_passes_a_worker_opens_annotation_to_them() -> None:
    crowd = Annotators()
    make_training_images(crowd.project, 5)
    preset = PRESETS["whoops.annotator"]
    gate = Gate.objects.create(
        study=crowd.project.study,
        name=preset.name,
        test_task=preset.test_task,
        opens=list(preset.opens),
        grading=preset.grading,
        items=preset.items,
    )
    work = make_hit(batch=crowd.batch())
    assignment = crowd.hand_in(sit_down(crowd))
    with pytest.raises(RuleBroken):
        entry_policies.refuse_entry(hit=work, worker=assignment.worker, now=NOW)

    follow_tests(now=NOW)
    attempt = Attempt.objects.get(gate=gate, worker=assignment.worker)
    grade_by_hand(attempt=attempt, passed=True, words="", by=make_user(), now=NOW)

    entry_policies.refuse_entry(hit=work, worker=assignment.worker, now=NOW)
