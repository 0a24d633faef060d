"""Workers' submissions turn an accepted image into one with five annotations."""

from datetime import timedelta

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext

from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.annotate.services.annotation_decisions import count_annotation, drop_annotation
from crowd.whoops.annotate.services.posting_annotations import post_annotations
from crowd.whoops.images.services.batch_places import grow_batches
from crowd.whoops.images.services.transitions import move_image
from crowd.whoops.models import Annotation, Image, Revision
from crowd.whoops.models.annotations import TAKEN_OUT
from crowd.whoops.models.control_and_review import ControlAnswer
from crowd.whoops.models.judged_items import Question
from hits import families
from hits.core.states import move
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services.leasing import give_up, items_of, keep_out
from tests.crowd.whoops.making_annotations import COARSE, GOOD, Annotators, make_image, make_project
from tests.crowd.whoops.making_images import send_again
from tests.factories import NOW, make_assignment, make_batch, make_user

pytestmark = pytest.mark.django_db


def test_five_workers_annotate_an_image_and_a_sixth_finds_nothing() -> None:
    crowd = Annotators()
    assert crowd.wanted == 5

    for _ in range(5):
        crowd.answer()

    assert crowd.states() == ["counted"] * 5
    assert (crowd.image.annotated, crowd.wanted) == (5, 0)
    assert items_of(crowd.open()) == []
    first = Annotation.objects.order_by("pk")[0]
    assert (first.caption, first.explanation, first.underspecified, first.flags) == (
        GOOD["caption"],
        GOOD["explanation"],
        GOOD["underspecified"],
        [],
    )


def test_annotations_are_there_as_they_come_and_a_sweep_that_runs_twice_adds_none() -> None:
    crowd = Annotators()
    crowd.hand_in(crowd.open())

    assert [crowd.sweep(), crowd.sweep(), crowd.sweep()] == [1, 0, 0]

    assert crowd.states() == ["counted"]
    assert (crowd.image.annotated, crowd.wanted) == (1, 4)


def test_only_accepted_images_are_asked_about() -> None:
    project = make_project(annotations_wanted=2)
    accepted = make_image(project)
    for state in Image.State:
        if state != Image.State.ACCEPTED:
            make_image(project, state=state)

    posted = post_annotations(now=NOW)

    item = Item.objects.get(task=domain.ANNOTATE)
    accepted.refresh_from_db()
    assert (posted, accepted.annotation_item, item.wanted, item.study) == (1, item, 2, project.study)
    assert post_annotations(now=NOW) == 0


def test_a_designer_is_never_asked_about_an_image_of_their_own() -> None:
    crowd = Annotators(images=0)
    designer = crowd.worker()
    image = make_image(crowd.project, worker=designer)
    crowd.sweep()

    image.refresh_from_db()
    assert image.annotation_item
    assert image.annotation_item.author == designer
    assert items_of(crowd.open(designer)) == []
    assert items_of(crowd.open()) == [image.annotation_item]


def test_a_worker_who_became_its_designer_later_is_not_asked_either() -> None:
    crowd = Annotators()
    worker = crowd.worker()
    designer = crowd.image.designer
    designer.worker = worker
    designer.save()

    assert items_of(crowd.open(worker)) == []


def test_whoever_was_in_its_control_group_does_not_annotate_an_image() -> None:
    crowd = Annotators(images=2)
    worker, other = crowd.worker(), crowd.images[1]
    work = make_assignment(worker=worker, status="approved")
    ControlAnswer.objects.create(
        image=crowd.image, revision=1, worker=worker, assignment=work, saw_nothing=True
    )

    assert [item.whoops_annotation for item in items_of(crowd.open(worker))] == [other]


def test_an_image_whose_picture_is_removed_is_not_asked_about() -> None:
    crowd = Annotators()
    Picture.objects.filter(pk=crowd.image.picture_id).update(
        status="removed", former_status="fit", removed_at=NOW
    )

    assert items_of(crowd.open()) == []


def test_nobody_annotates_one_image_twice() -> None:
    crowd = Annotators()
    worker = crowd.worker()
    crowd.answer(worker=worker)

    assert items_of(crowd.open(worker)) == []


def test_coarse_words_hold_an_annotation_back_and_keep_its_place() -> None:
    crowd = Annotators()

    crowd.answer(COARSE)

    row = Annotation.objects.get()
    assert (row.state, row.flags) == ("held", ["caption: shit"])
    assert (crowd.image.annotated, crowd.wanted) == (1, 4)


def test_work_that_is_not_handed_in_makes_no_annotation() -> None:
    crowd = Annotators()
    assignment = crowd.open()
    crowd.sweep()
    assert crowd.wanted == 4

    give_up(assignment, now=NOW)
    crowd.sweep()

    assert (crowd.states(), crowd.wanted) == ([], 5)


def test_an_annotation_whose_work_is_kept_out_is_dropped_and_somebody_else_is_asked() -> None:
    crowd = Annotators(annotations_wanted=1)
    assignment = crowd.answer()
    assert crowd.wanted == 0

    keep_out(assignment, now=NOW)
    crowd.sweep()

    row = Annotation.objects.get()
    assert (row.state, row.why, row.decided_by) == ("dropped", TAKEN_OUT, None)
    assert (crowd.image.annotated, crowd.wanted) == (0, 1)
    assert items_of(crowd.open(assignment.worker)) == []

    crowd.answer()

    assert (crowd.states(), crowd.image.annotated, crowd.wanted) == (["dropped", "counted"], 1, 0)


def test_work_that_counts_again_brings_its_annotation_back_as_it_was_decided() -> None:
    crowd = Annotators()
    first, second = crowd.answer(COARSE), crowd.answer(COARSE)
    row = Annotation.objects.get(assignment=first)
    count_annotation(annotation=row, seen="held", by=make_user(), now=NOW)
    for assignment in (first, second):
        keep_out(assignment, now=NOW)
    crowd.sweep()
    assert crowd.states() == ["dropped", "dropped"]

    for assignment in (first, second):
        Assignment.objects.filter(pk=assignment.pk).update(kept_out=False)
        assignment.leases.update(status="answered")
    Item.objects.filter(whoops_annotation=crowd.image).update(recount=True)
    crowd.sweep()

    assert crowd.states() == ["counted", "held"]
    assert list(Annotation.objects.values_list("why", flat=True)) == ["", ""]
    assert crowd.image.annotated == 2


def test_what_a_person_dropped_stays_dropped_while_its_work_comes_and_goes() -> None:
    crowd = Annotators()
    assignment = crowd.answer()
    row = Annotation.objects.get()
    drop_annotation(annotation=row, seen="counted", why="Not about it.", by=make_user(), now=NOW)

    keep_out(assignment, now=NOW)
    crowd.sweep()

    row.refresh_from_db()
    assert (row.state, row.why) == ("dropped", "Not about it.")


def test_a_project_that_wants_more_asks_for_more_and_one_that_wants_fewer_for_fewer() -> None:
    crowd = Annotators(annotations_wanted=2)
    crowd.answer()
    crowd.answer()
    busy = crowd.project

    busy.annotations_wanted = 4
    busy.save()
    crowd.sweep()
    assert (crowd.image.annotated, crowd.wanted) == (2, 2)

    busy.annotations_wanted = 2
    busy.save()
    crowd.sweep()
    assert (crowd.image.annotated, crowd.wanted) == (2, 0)
    assert crowd.sweep() == 0


def test_an_image_that_is_refused_is_asked_about_no_more_until_it_is_accepted_again() -> None:
    crowd = Annotators()
    crowd.answer()
    by = make_user()

    move_image(crowd.image, "refused", by=by, now=NOW, reason="It hurts.")
    assert items_of(crowd.open()) == []

    move_image(crowd.image, "review", by=by, now=NOW)
    move_image(crowd.image, "accepted", by=by, now=NOW)
    crowd.sweep()
    assert items_of(crowd.open()) == [crowd.image.annotation_item]
    assert crowd.states() == ["counted"]


def test_an_image_that_is_sent_again_is_annotated_anew_and_by_other_people() -> None:
    crowd = Annotators()
    worker = crowd.worker()
    crowd.answer(worker=worker)
    former = crowd.image.annotation_item

    send_again(crowd.image)
    crowd.sweep()
    assert (crowd.image.annotation_item, crowd.image.annotated) == (None, 0)
    Image.objects.filter(pk=crowd.image.pk).update(state="accepted")
    crowd.sweep()

    assert crowd.image.annotation_item not in (None, former)
    assert former
    assert Item.objects.get(pk=former.pk).pulled_at == NOW
    row = Annotation.objects.get()
    assert (row.state, row.why, row.caption) == ("dropped", TAKEN_OUT, GOOD["caption"])
    assert items_of(crowd.open(worker)) == []
    assert crowd.wanted == 5


def test_a_late_answer_to_a_full_image_waits_until_its_place_is_free() -> None:
    crowd = Annotators(annotations_wanted=1)
    late = crowd.open()
    give_up(late, now=NOW)
    crowd.answer()
    row = Annotation.objects.get()
    assert move(late, Assignment.Status.SUBMITTED, submitted_at=NOW, answer=answer_of(late))
    late.leases.update(status="answered")

    crowd.sweep()
    assert crowd.states() == ["counted"]

    drop_annotation(annotation=row, seen="counted", why="Not about it.", by=make_user(), now=NOW)
    crowd.sweep()
    assert crowd.states() == ["dropped", "counted"]
    assert (crowd.image.annotated, crowd.wanted) == (1, 0)


def test_who_gives_up_is_replaced_where_what_another_wrote_was_dropped() -> None:
    crowd = Annotators(annotations_wanted=2)
    crowd.answer()
    row = Annotation.objects.get()
    drop_annotation(annotation=row, seen="counted", why="Not about it.", by=make_user(), now=NOW)
    crowd.sweep()
    crowd.answer()
    last = crowd.open()
    assert crowd.wanted == 0

    give_up(last, now=NOW)
    crowd.sweep()

    assert (crowd.image.annotated, crowd.wanted) == (1, 1)


def test_the_sweep_asks_the_database_no_more_for_more_images() -> None:
    counts = []
    for images in (1, 12):
        crowd = Annotators(images=images)
        crowd.hand_in(crowd.open(items_per_assignment=images))
        with CaptureQueriesContext(connection) as asked:
            assert crowd.sweep() == images
        counts.append(len(asked))
        Image.objects.update(state="refused")

    assert counts[0] == counts[1]


def test_a_batch_grows_with_what_is_wanted_where_the_project_says_so() -> None:
    crowd = Annotators(grows_by_itself=True)
    batch = make_batch(
        study=crowd.project.study,
        task=domain.ANNOTATE,
        status="open",
        launched_by=make_user(is_superuser=True),
        assignments_per_hit=5,
    )
    make_image(crowd.project)
    crowd.sweep()

    assert grow_batches(now=NOW) == 2
    assert grow_batches(now=NOW) == 0
    assert batch.hits.count() == 2


def answer_of(assignment: Assignment) -> dict[str, dict[str, str]]:
    leases = assignment.leases.select_related("item")
    return {str(lease.item.public_id): dict(GOOD) for lease in leases}


def test_whoever_judged_what_others_say_of_an_image_does_not_annotate_it() -> None:
    crowd = Annotators()
    judge, other = crowd.worker(), crowd.worker()
    item = Item.objects.create(study=crowd.project.study, task=domain.EXPLAIN, wanted=3)
    Question.objects.create(
        project=crowd.project,
        kind=domain.EXPLAIN,
        key="1-1",
        image=crowd.image,
        picture=crowd.image.picture,
        item=item,
        added_at=NOW,
    )
    assignment = make_assignment(worker=judge)
    Lease.objects.create(item=item, assignment=assignment, worker=judge, leased_at=NOW)

    assert items_of(crowd.open(judge)) == []
    assert len(items_of(crowd.open(other))) == 1


def test_work_about_an_image_that_was_sent_again_is_handed_in_and_read_all_the_same() -> None:
    crowd = Annotators()
    done, under_way = crowd.answer(), crowd.open()
    items = items_of(under_way)
    send_again(crowd.image)
    crowd.sweep()

    family = families.get(domain.ANNOTATE)
    read = family.review_page(assignment=done, items=items_of(done))
    family.work_page(assignment=under_way, items=items)
    crowd.hand_in(under_way)

    assert read.context["questions"][0]["answer"] == GOOD
    assert "sent again since" in render_to_string(read.template, read.context)
    assert under_way.status == "submitted"


def test_an_image_that_is_only_considered_anew_keeps_its_annotations() -> None:
    crowd = Annotators()
    crowd.answer()
    item = crowd.image.annotation_item
    Revision.objects.update(sent_at=NOW - timedelta(days=1))

    Image.objects.filter(pk=crowd.image.pk).update(state="control")
    crowd.sweep()
    Image.objects.filter(pk=crowd.image.pk).update(state="accepted")
    crowd.sweep()

    assert (crowd.image.annotation_item, crowd.states()) == (item, ["counted"])
    assert crowd.wanted == 4
