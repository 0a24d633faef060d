"""The control group: who is asked about which image, and what becomes of the answers."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.pictures.services.removing_pictures import remove_pictures, restore_pictures
from crowd.whoops import domain
from crowd.whoops.control.services.comparison import (
    claim_control_answer,
    decide_control_answer,
    leave_control_answer,
    undo_decision,
)
from crowd.whoops.control.services.control_answers import take_control_answers
from crowd.whoops.control.services.posting_control import post_control
from crowd.whoops.models import Image, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.models.items import Item
from hits.work.services.leasing import give_up, keep_out, lease_items
from tests.crowd.whoops.making_images import (
    SAW,
    SAW_NOTHING,
    ControlGroup,
    control_answers,
    make_designer,
    make_image,
    send_again,
    state,
)
from tests.crowd.whoops.making_questions import make_annotation
from tests.factories import NOW, make_assignment, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def group() -> ControlGroup:
    """A control group in which three people look at an image and two have to see what is odd."""
    return ControlGroup()


@pytest.fixture
def ann() -> User:
    return make_user()


def compare(group: ControlGroup, by: User, *verdicts: bool, note: str = "") -> None:
    for seen in verdicts:
        control_answer = claim_control_answer(project=group.project, by=by, now=NOW)
        assert control_answer
        decide_control_answer(control_answer=control_answer, seen=seen, note=note, by=by, now=NOW)


def reason_of(image: Image) -> str:
    return Revision.objects.get(image=image, number=image.revision).reason


def wanted() -> list[int]:
    rows = Item.objects.filter(task=domain.CONTROL, wanted__gt=0, pulled_at=None).order_by("pk")
    return list(rows.values_list("wanted", flat=True))


def test_image_is_asked_of_as_many_as_the_project_wants_and_posted_once(group: ControlGroup) -> None:
    image = group.post()

    assert post_control(now=NOW) == 0
    assert wanted() == [3]
    assert image.control_item == image.revisions.get().control_item


def test_designer_is_never_asked_about_an_image_of_their_own(group: ControlGroup) -> None:
    designer = make_designer(group.project, worker=group.worker())
    group.post(designer=designer)

    _, items = group.open(designer.worker)

    assert items == []


def test_designer_who_became_a_worker_later_is_not_asked(group: ControlGroup) -> None:
    image = group.post()
    image.designer.worker = group.worker()
    image.designer.save()

    _, items = group.open(image.designer.worker)

    assert items == []


def test_answers_become_control_answers_once(group: ControlGroup) -> None:
    image = group.post()

    group.look(SAW)
    group.look(SAW_NOTHING)

    assert take_control_answers(now=NOW) == 0
    assert control_answers(image) == [("A fish rides a bicycle.", None), ("", False)]
    assert wanted() == [1]


def test_image_that_enough_have_seen_goes_to_the_reviewers_and_nobody_else_is_asked(
    group: ControlGroup, ann: User
) -> None:
    image = group.post()
    group.look()
    group.look()

    compare(group, ann, True)
    before = state(image)
    compare(group, ann, True)

    assert (before, state(image)) == ("control", "review")
    assert wanted() == []
    assert claim_control_answer(project=group.project, by=ann, now=NOW) is None


def test_image_that_too_few_have_seen_goes_back_with_the_reason(group: ControlGroup, ann: User) -> None:
    image = group.post()
    group.look()
    group.look(SAW_NOTHING)
    group.look({"text": "The wheel is square.", "nothing": ""})

    compare(group, ann, True)
    compare(group, ann, False, note="the wheel is round")

    assert state(image) == "returned"
    assert reason_of(image) == (
        "Of 3 people who looked, 1 saw what is weird; 2 are needed. The others saw: nothing weird; "
        "“The wheel is square.” (the wheel is round)."
    )


def test_image_that_nobody_can_save_goes_back_before_all_have_looked(group: ControlGroup) -> None:
    image = group.post()

    group.look(SAW_NOTHING)
    group.look(SAW_NOTHING)

    assert state(image) == "returned"
    assert wanted() == []


def test_image_that_is_sent_again_is_asked_anew_of_others(group: ControlGroup) -> None:
    image = group.post()
    first = group.look(SAW_NOTHING)
    group.look(SAW_NOTHING)
    send_again(image)
    group.sweep()

    assert wanted() == [3]
    assert group.open(first.worker)[1] == []
    group.look()
    assert control_answers(image) == [("", False), ("", False), ("A fish rides a bicycle.", None)]
    assert state(image) == "control"


def test_answer_to_an_earlier_revision_counts_for_no_later_one(group: ControlGroup) -> None:
    image = group.post()
    late, _ = group.open()
    Revision.objects.filter(image=image).update(outcome="returned")
    send_again(image)
    group.sweep()

    group.hand_in(late, SAW_NOTHING)

    assert wanted() == [3]
    assert state(image) == "control"
    assert not ControlAnswer.objects.filter(image=image, revision=2).exists()


def test_answer_that_is_taken_out_is_asked_of_somebody_else_and_forgotten(
    group: ControlGroup, ann: User
) -> None:
    image = group.post()
    group.look()
    liar = group.look()
    compare(group, ann, True, True)
    before = state(image)

    keep_out(liar, now=NOW)
    group.sweep()

    assert (before, state(image)) == ("review", "control")
    assert control_answers(image) == [("A fish rides a bicycle.", True)]
    assert wanted() == [2]


def test_image_that_went_back_for_a_liar_comes_again(group: ControlGroup) -> None:
    image = group.post()
    group.look(SAW_NOTHING)
    liar = group.look(SAW_NOTHING)

    keep_out(liar, now=NOW)
    group.sweep()

    assert state(image) == "control"
    assert reason_of(image) == ""
    assert wanted() == [2]


def test_rules_that_change_are_followed(group: ControlGroup) -> None:
    image = group.post()
    group.look(SAW_NOTHING)

    group.project.control_wanted = 5
    group.project.save()
    group.sweep()
    more = wanted()
    group.project.control_wanted = group.project.control_needed = 1
    group.project.save()
    group.sweep()

    assert (more, state(image)) == ([4], "returned")


def test_two_people_never_compare_the_same(group: ControlGroup, ann: User) -> None:
    group.post()
    group.look()
    group.look()
    bob = make_user()

    one = claim_control_answer(project=group.project, by=ann, now=NOW)
    again = claim_control_answer(project=group.project, by=ann, now=NOW)
    other = claim_control_answer(project=group.project, by=bob, now=NOW)

    assert one
    assert other
    assert one == again != other
    with pytest.raises(RuleBroken, match="A colleague has this answer"):
        decide_control_answer(control_answer=one, seen=True, note="", by=bob, now=NOW)
    assert [seen for _, seen in control_answers(one.image)] == [None, None]


def test_left_one_comes_again_later(group: ControlGroup, ann: User) -> None:
    group.post()
    group.look()
    control_answer = claim_control_answer(project=group.project, by=ann, now=NOW)
    assert control_answer

    leave_control_answer(control_answer=control_answer, by=ann, now=NOW)

    assert claim_control_answer(project=group.project, by=ann, now=NOW) is None


def test_undo_takes_back_what_followed_from_a_comparison(group: ControlGroup, ann: User) -> None:
    image = group.post()
    group.look()
    group.look()
    compare(group, ann, True, True)

    undone = undo_decision(project=group.project, by=ann, now=NOW)

    assert state(image) == "control"
    assert undone.seen is None
    assert claim_control_answer(project=group.project, by=ann, now=NOW) == undone
    assert wanted() == [1]


def test_undo_is_refused_once_the_designer_has_sent_again(group: ControlGroup, ann: User) -> None:
    image = group.post()
    group.look()
    group.look()
    compare(group, ann, False, False)
    send_again(image)

    with pytest.raises(RuleBroken, match="nothing to undo"):
        undo_decision(project=group.project, by=ann, now=NOW)

    assert [seen for _, seen in control_answers(image)] == [False, False]


def test_picture_that_is_removed_is_shown_to_nobody_until_it_is_back(group: ControlGroup, ann: User) -> None:
    image = group.post()

    remove_pictures(pictures=[image.picture], reason="Odd.", by=ann, now=NOW)
    away = wanted()
    restore_pictures(pictures=[image.picture], reason="Not odd.", by=ann, now=NOW)

    assert (away, wanted()) == ([], [3])


def test_withdrawn_image_is_asked_no_more(group: ControlGroup) -> None:
    image = group.post()
    Image.objects.filter(pk=image.pk).update(state="withdrawn")

    group.sweep()

    assert wanted() == []


def test_sweep_asks_no_more_with_more_images(group: ControlGroup) -> None:
    """An idle sweep makes as many queries however many images are with the control group."""
    counts = []
    for _ in range(2):
        for _ in range(3):
            make_image(group.project)
        group.sweep()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            group.sweep()
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_return_gives_the_image_to_the_same_worker_again(group: ControlGroup) -> None:
    group.post()
    assignment, _ = group.open()
    give_up(assignment, now=NOW)

    again, items = group.open(assignment.worker)

    assert len(items) == 1
    assert lease_items(assignment=again, now=NOW) == items


def test_image_that_comes_back_is_not_asked_of_who_annotated_it(group: ControlGroup) -> None:
    image, worker = group.post(), group.worker()
    make_annotation(image, "Fish have no legs.", assignment=make_assignment(worker=worker))

    assert group.open(worker)[1] == []
    assert len(group.open()[1]) == 1
