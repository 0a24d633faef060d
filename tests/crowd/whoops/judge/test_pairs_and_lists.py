"""Pairs and lists to be judged: what they hold, who is asked about them, and when they cease to be asked."""

from collections.abc import Sequence

import pytest

from crowd.whoops import domain
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.judge.services.explanation_lists import gather_explanations, make_explanations
from crowd.whoops.judge.services.posting_questions import bring_back_question, want_judges, withdraw_question
from crowd.whoops.judge.services.weird_normal_pairs import draw_pairs, make_pairs
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.judged_items import Option, Question
from crowd.whoops.review.services.image_decisions import accept_image
from crowd.whoops.review.services.image_edits import edit_explanation
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import give_up, items_of, keep_out
from tests.crowd.whoops.making_images import make_designer, make_project, make_revision
from tests.crowd.whoops.making_questions import (
    ANSWERS,
    CAPTIONS,
    EXPLANATIONS,
    Judges,
    bring_in,
    make_accepted,
    make_annotation,
    make_data,
    questions,
    take_away,
)
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_picture, make_user

pytestmark = pytest.mark.django_db


def numbers(project: Project, variant: str) -> list[int]:
    rows = Question.objects.filter(project=project, kind=domain.IDENTIFY, variant=variant)
    return sorted(row.image.number for row in rows if row.image)


def asked(project: Project) -> list[bool]:
    """Return, for each question of the project, whether anybody can be asked about it."""
    rows = Question.objects.filter(project=project).order_by("pk").select_related("item")
    return [row.item is not None and row.item.pulled_at is None for row in rows]


def about(items: Sequence[Item]) -> list[int]:
    """Numbers of the images that these items are about."""
    rows = Question.objects.filter(item__in=items, image__isnull=False).order_by("image__number")
    return list(rows.values_list("image__number", flat=True))


def texts(question: Question) -> list[tuple[str, str]]:
    return sorted((option.source, option.text) for option in question.options.all())


def lease_of(image_item: Item, worker: Worker) -> Assignment:
    """Lease the item to this worker, in a HIT of its own."""
    batch = make_batch(study=image_item.study, account=worker.account, task=image_item.task, status="open")
    assignment = make_assignment(hit=make_hit(batch=batch), worker=worker)
    assignment.leases.create(item=image_item, worker=worker, leased_at=NOW)
    return assignment


# Weird or normal.


def test_pairs_are_drawn_by_lot_and_each_has_both_sides() -> None:
    project = make_data(images=5)
    make_accepted(project, partner=False)
    other = make_project()
    make_accepted(other)
    drawn = draw_pairs(project=project, wanted=2, seed=4)
    assert (len(drawn.images), drawn.there, drawn.lacking, drawn.left) == (2, 0, 1, 3)

    assert make_pairs(project=project, wanted=2, seed=4, now=NOW) == 2

    chosen = sorted(image.number for image in drawn.images)
    assert numbers(project, "weird") == numbers(project, "normal") == chosen
    rows = questions(project, domain.IDENTIFY)
    assert {(row.key, row.options.get().label) for row in rows} == {
        (f"{number}-{variant}", variant == "weird") for number in chosen for variant in ("weird", "normal")
    }
    assert all(row.item and (row.item.wanted, row.item.task) == (3, domain.IDENTIFY) for row in rows)
    partner = next(row for row in rows if row.variant == "normal")
    assert partner.image is not None
    assert partner.picture == partner.image.partners.get().picture
    assert not Question.objects.filter(project=other).exists()


def test_pairs_that_are_there_count_first() -> None:
    project = make_data(images=4)
    make_pairs(project=project, wanted=2, seed=1, now=NOW)

    with pytest.raises(RuleBroken, match="all you want are there"):
        make_pairs(project=project, wanted=2, seed=9, now=NOW)
    assert make_pairs(project=project, wanted=100, seed=1, now=NOW) == 2

    assert numbers(project, "weird") == [1, 2, 3, 4]


def test_one_seed_draws_the_same_pairs_in_any_project() -> None:
    drawn = [
        [image.number for image in draw_pairs(project=make_data(images=6), wanted=3, seed=7).images]
        for _ in range(2)
    ]

    assert drawn[0] == drawn[1]


def test_nobody_sees_an_image_and_its_partner() -> None:
    project = make_data(images=3)
    make_pairs(project=project, wanted=3, seed=1, now=NOW)
    crowd = Judges(project, domain.IDENTIFY, items=6)
    worker = crowd.worker()

    _, items = crowd.open(worker)
    _, again = crowd.open(worker)

    images = [item.whoops_question.image_id for item in items]
    assert (len(images), len(set(images)), again) == (3, 3, [])


def test_pairs_of_a_hit_that_was_given_back_are_not_seen_from_the_other_side() -> None:
    project = make_data(images=1)
    make_pairs(project=project, wanted=1, seed=1, now=NOW)
    crowd = Judges(project, domain.IDENTIFY, items=1)
    worker = crowd.worker()
    assignment, items = crowd.open(worker)
    give_up(assignment, now=NOW)

    _, again = crowd.open(worker)

    assert (len(items), again) == (1, [])


@pytest.mark.parametrize("met", ["designed", "annotated", "control", "earlier control", "captions"])
def test_whoever_knows_an_image_does_not_identify_it(met: str) -> None:
    project = make_data(images=2)
    known = project.images.get(number=1)
    make_pairs(project=project, wanted=2, seed=1, now=NOW)
    crowd = Judges(project, domain.IDENTIFY, items=4)
    worker = crowd.worker()
    item = Item.objects.create(study=project.study, task="t", wanted=1)
    if met == "designed":
        Image.objects.filter(pk=known.pk).update(designer=make_designer(project, worker=worker))
    elif met == "annotated":
        Image.objects.filter(pk=known.pk).update(annotation_item=item)
        lease_of(item, worker)
    elif met == "control":
        Image.objects.filter(pk=known.pk).update(control_item=item)
        lease_of(item, worker)
    elif met == "earlier control":
        make_revision(known, number=9, control_item=item)
        lease_of(item, worker)
    else:
        bring_in(project, domain.RATE, "image,caption,source\n1,A candle.,m\n")
        lease_of(questions(project, domain.RATE)[0].item or item, worker)

    _, items = crowd.open(worker)

    assert about(items) == [2]


@pytest.mark.parametrize("task", [domain.EXPLAIN, domain.VERIFY, domain.RATE])
def test_nobody_judges_what_is_said_of_an_image_of_their_own(task: str) -> None:
    project = make_data(images=2, annotations_wanted=1)
    for image in project.images.all():
        make_annotation(image, f"Reason {image.number}.")
    bring_in(project, domain.VERIFY, ANSWERS.replace("3,What is in the sky?,A piano,machine\n", ""))
    bring_in(project, domain.RATE, CAPTIONS)
    make_explanations(project=project, incomplete=False, now=NOW)
    crowd = Judges(project, task, items=10)
    annotator = Annotation.objects.get(image__number=1).worker
    designer = crowd.worker()
    Image.objects.filter(number=1).update(designer=make_designer(project, worker=designer))

    for worker in (annotator, designer):
        _, items = crowd.open(worker)
        assert set(about(items)) == {2}


def test_nobody_is_asked_one_question_with_two_answers() -> None:
    project = make_data(images=3, negatives=50)
    bring_in(project, domain.VERIFY, ANSWERS)
    crowd = Judges(project, domain.VERIFY, items=10)
    worker = crowd.worker()

    assignment, items = crowd.open(worker)
    _, more = crowd.open(worker)

    said = [(item.whoops_question.image_id, item.whoops_question.text) for item in items]
    assert (len(said), len(set(said)), more) == (4, 4, [])
    assert items_of(assignment) == items


# Explanations.


def ready(*, wanted: int = 2) -> Image:
    """An accepted image with all its annotations."""
    image = make_accepted(make_project(annotations_wanted=wanted))
    for number in range(wanted):
        make_annotation(image, f"Reason {number + 1}.")
    return image


def test_list_has_the_explanations_of_people_designer_and_models() -> None:
    image = ready()
    make_annotation(image, "Dropped.", state="dropped")
    make_annotation(image, "Held.", state="held")
    bring_in(image.project, domain.EXPLAIN, "image,explanation,source\n1,It is odd.,model\n")
    assert asked(image.project) == [False]

    assert make_explanations(project=image.project, incomplete=False, now=NOW) == 1

    question = questions(image.project, domain.EXPLAIN)[0]
    assert texts(question) == [
        ("designer", "Fish have no legs to pedal with."),
        ("model", "It is odd."),
        ("people", "Reason 1."),
        ("people", "Reason 2."),
    ]
    assert (question.key, asked(image.project)) == ("1-1", [True])
    assert len({option.number for option in question.options.all()}) == 4


def test_images_wait_for_their_annotations_unless_somebody_says_otherwise() -> None:
    image = ready(wanted=2)
    early = make_accepted(image.project)
    make_annotation(early, "The only one.")
    make_accepted(image.project)

    gathered = gather_explanations(project=image.project, incomplete=False)
    all_of_them = gather_explanations(project=image.project, incomplete=True)

    assert (gathered.lists, gathered.explanations, gathered.incomplete) == (1, 3, 2)
    assert (all_of_them.lists, all_of_them.explanations) == (2, 5)


def test_list_that_nobody_has_seen_follows_what_counts() -> None:
    image = ready()
    make_explanations(project=image.project, incomplete=False, now=NOW)
    first = Annotation.objects.order_by("pk")[0]
    Annotation.objects.filter(pk=first.pk).update(state="dropped")
    make_annotation(image, "Reason 3.")
    bring_in(image.project, domain.EXPLAIN, "image,explanation,source\n1,It is odd.,model\n")

    make_explanations(project=image.project, incomplete=False, now=NOW)

    (question,) = questions(image.project, domain.EXPLAIN)
    assert texts(question)[1:] == [("model", "It is odd."), ("people", "Reason 2."), ("people", "Reason 3.")]
    with pytest.raises(RuleBroken, match="no explanation that is not asked"):
        make_explanations(project=image.project, incomplete=False, now=NOW)


def test_list_that_was_handed_out_stays_and_what_is_new_makes_another() -> None:
    image = ready()
    make_explanations(project=image.project, incomplete=False, now=NOW)
    crowd = Judges(image.project, domain.EXPLAIN)
    assignment, _ = crowd.open()
    give_up(assignment, now=NOW)
    before = texts(questions(image.project, domain.EXPLAIN)[0])
    bring_in(image.project, domain.EXPLAIN, "image,explanation,source\n1,It is odd.,model\n")

    make_explanations(project=image.project, incomplete=False, now=NOW)

    first, second = questions(image.project, domain.EXPLAIN)
    assert texts(first) == before
    assert (second.key, texts(second)) == ("1-2", [("model", "It is odd.")])
    assert asked(image.project) == [True, True]


def test_designers_explanation_that_was_handed_out_is_not_judged_in_a_second_text() -> None:
    image, user = ready(), make_user()
    make_explanations(project=image.project, incomplete=False, now=NOW)
    Judges(image.project, domain.EXPLAIN).open()
    first = image.explanation
    edit_explanation(image=image, text="Fish have fins.", why="Shorter.", seen=first, by=user, now=NOW)

    assert gather_explanations(project=image.project, incomplete=False).lists == 0
    with pytest.raises(RuleBroken, match="no explanation that is not asked"):
        make_explanations(project=image.project, incomplete=False, now=NOW)
    bring_in(image.project, domain.EXPLAIN, "image,explanation,source\n1,It is odd.,model\n")
    make_explanations(project=image.project, incomplete=False, now=NOW)

    assert texts(questions(image.project, domain.EXPLAIN)[1]) == [("model", "It is odd.")]
    assert [one.text for one in Option.objects.filter(source=domain.DESIGNER)] == [first]


def test_explanations_said_by_several_sources_stay_apart_and_of_one_source_are_one() -> None:
    image = ready(wanted=1)
    text = "image,explanation,source\n1,Reason 1.,model\n1,reason  1.,model\n1,Reason 1.,other\n"
    assert bring_in(image.project, domain.EXPLAIN, text) == 2

    make_explanations(project=image.project, incomplete=False, now=NOW)

    sources = Option.objects.filter(text="Reason 1.").values_list("source", flat=True)
    assert sorted(sources) == ["model", "other", "people"]


# What is asked no more.


def test_refused_image_takes_its_questions_with_it_and_brings_them_back() -> None:
    project = make_data(images=2)
    bring_in(project, domain.RATE, CAPTIONS)
    image = project.images.get(number=1)

    move_image(image, Image.State.REFUSED, by=None, now=NOW)
    assert asked(project) == [False, False, True]
    move_image(image, Image.State.REVIEW, by=None, now=NOW)
    move_image(image, Image.State.ACCEPTED, by=None, now=NOW, accepted_at=NOW)

    assert asked(project) == [True, True, True]


def test_question_is_withdrawn_once_and_brought_back() -> None:
    project = make_data(images=2)
    bring_in(project, domain.RATE, CAPTIONS)
    question = questions(project, domain.RATE)[0]

    withdraw_question(question=question, now=NOW)
    with pytest.raises(RuleBroken, match="withdrawn already"):
        withdraw_question(question=question, now=NOW)
    assert asked(project) == [False, True, True]
    bring_back_question(question=question, now=NOW)
    with pytest.raises(RuleBroken, match="is not withdrawn"):
        bring_back_question(question=question, now=NOW)

    assert asked(project) == [True, True, True]


def test_nobody_is_asked_about_a_picture_that_is_away() -> None:
    project = make_data(images=2)
    take_away(project.images.get(number=1).picture)

    drawn = draw_pairs(project=project, wanted=9, seed=1)

    assert [image.number for image in drawn.images] == [2]


def test_number_of_judges_follows_the_rules() -> None:
    project = make_data(images=1)
    bring_in(project, domain.RATE, "image,caption,source\n1,A candle.,m\n")
    crowd = Judges(project, domain.RATE)
    crowd.answer({"pick": "yes"})
    project.judges_wanted = 5
    project.save()

    want_judges(project=project)
    want_judges(project=project)

    assert Item.objects.get(task=domain.RATE).wanted == 4


def test_work_that_is_kept_out_is_asked_of_somebody_else() -> None:
    project = make_data(images=1)
    bring_in(project, domain.RATE, "image,caption,source\n1,A candle.,m\n")
    crowd = Judges(project, domain.RATE)
    crowd.answer({"pick": "yes"})

    keep_out(Assignment.objects.get(hit__batch=crowd.batch), now=NOW)

    assert Item.objects.get(task=domain.RATE).wanted == 3


def test_models_explanations_wait_for_the_lists() -> None:
    project = make_data(images=2, annotations_wanted=1)

    bring_in(project, domain.EXPLAIN, EXPLANATIONS)

    assert asked(project) == [False, False]
    assert gather_explanations(project=project, incomplete=False).lists == 0


def test_image_that_is_accepted_with_another_picture_leaves_its_questions_behind() -> None:
    project = make_data(images=2)
    bring_in(project, domain.RATE, CAPTIONS)
    make_pairs(project=project, wanted=1, seed=1, now=NOW)
    image = Question.objects.filter(kind=domain.IDENTIFY)[0].image
    assert image
    other = project.images.exclude(pk=image.pk).get()
    Image.objects.filter(pk=image.pk).update(state=Image.State.REVIEW, picture=make_picture())

    accept_image(image=image, reason="Fine.", by=make_user(), now=NOW)

    left = Question.objects.filter(withdrawn_at=None).order_by("pk")
    of_image = [(one.kind, one.variant) for one in left.filter(image=image)]
    assert of_image == ([(domain.RATE, "normal")] if image.number == 1 else [])
    assert left.filter(image=other).count() == Question.objects.filter(image=other).count()
    assert not Item.objects.filter(whoops_question__withdrawn_at__isnull=False, pulled_at=None).exists()
    old = Question.objects.get(image=image, kind=domain.IDENTIFY, variant="weird")
    with pytest.raises(RuleBroken, match="has another picture now"):
        bring_back_question(question=old, now=NOW)
