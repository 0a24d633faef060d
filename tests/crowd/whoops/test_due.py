"""Sweeps of weird images that find nothing make few queries and write nothing."""

from collections.abc import Callable

import pytest

from crowd.whoops import domain, tasks
from crowd.whoops.annotate.services import collected_annotations
from crowd.whoops.control.services import control_answers
from crowd.whoops.images.services import batch_places
from crowd.whoops.models import Annotation, Image, Project
from hits.work.models.items import Item
from tests.crowd.whoops import making_annotations
from tests.crowd.whoops.making_annotations import Annotators
from tests.crowd.whoops.making_images import SAW_NOTHING, ControlGroup
from tests.factories import NOW, make_batch, make_user
from tests.idle import watch

pytestmark = pytest.mark.django_db
SWEEPS: dict[str, tuple[Callable[[], None], int]] = {
    "follow_control": (tasks.follow_control, 3),
    "follow_annotations": (tasks.follow_annotations, 2),
    "owe_images": (tasks.owe_images, 1),
    "grow_batches": (tasks.grow_batches, 1),
}


def finished() -> None:
    """Make images with the control group, one of them looked at once, and others that are fully annotated."""
    group = ControlGroup()
    group.post()
    group.post()
    group.look(SAW_NOTHING)
    crowd = Annotators(annotations_wanted=2, grows_by_itself=True)
    for _ in range(2):
        crowd.answer()
    making_annotations.make_image(crowd.project, state=Image.State.REVIEW)
    launched = {"status": "complete", "launched_by": make_user(is_superuser=True)}
    make_batch(study=crowd.project.study, task=domain.ANNOTATE, **launched)


@pytest.mark.parametrize("name", SWEEPS)
def test_an_idle_run_writes_nothing_and_asks_as_much_for_two_projects_as_for_one(name: str) -> None:
    run, most = SWEEPS[name]
    finished()
    one = watch(run)
    finished()
    two = watch(run)

    assert (one.writes, two.writes) == ([], [])
    assert (one.queries, two.queries) == (most, most)


def test_without_an_image_at_the_control_group_one_question_is_enough() -> None:
    crowd = Annotators(annotations_wanted=1)
    crowd.answer()

    assert watch(lambda: control_answers.take_control_answers(now=NOW)).queries == 1


def test_a_rule_that_wants_more_or_fewer_lookers_is_followed_and_then_rests() -> None:
    group = ControlGroup(control_wanted=4)
    image = group.post()
    group.look()
    group.look()
    group.look()

    for wanted, left in ((5, 2), (2, 0), (3, 0)):
        Project.objects.update(control_wanted=wanted)
        group.sweep()
        assert Item.objects.get(whoops_control=image).wanted == left
        # More people have looked than are needed now, and nothing is to be done about it.
        assert control_answers.take_control_answers(now=NOW) == 0


def test_a_rule_that_wants_more_or_fewer_annotations_is_followed_and_then_rests() -> None:
    crowd = Annotators(annotations_wanted=3)
    crowd.answer()
    crowd.answer()

    for wanted, left in ((5, 3), (1, 0), (2, 0)):
        Project.objects.update(annotations_wanted=wanted)
        crowd.sweep()
        assert crowd.wanted == left
        assert collected_annotations.take_annotations(now=NOW) == 0


def test_an_annotation_of_one_project_is_taken_whatever_another_wants() -> None:
    one, other = Annotators(annotations_wanted=1), Annotators(annotations_wanted=4)
    other.hand_in(other.open())

    assert collected_annotations.take_annotations(now=NOW) == 1
    assert (one.wanted, other.wanted, Annotation.objects.count()) == (1, 3, 1)


def test_the_newest_batch_of_a_task_grows() -> None:
    crowd = Annotators(annotations_wanted=5, grows_by_itself=True)
    by = make_user(is_superuser=True)
    values = {"study": crowd.project.study, "status": "open", "launched_by": by, "task": domain.ANNOTATE}
    older, newer = (make_batch(assignments_per_hit=5, **values) for _ in range(2))

    assert batch_places.grow_batches(now=NOW) == 1
    assert (older.hits.count(), newer.hits.count()) == (0, 1)
