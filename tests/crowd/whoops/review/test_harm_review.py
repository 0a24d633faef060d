"""The check for harm: four reviewers, none of whom sees the others' words."""

import pytest

from crowd.whoops.images.queries.staff_permissions import staff_with
from crowd.whoops.models import Image, Project
from crowd.whoops.models.control_and_review import Review
from crowd.whoops.review.services.harm_review import give_review, undo_review, waiting_images
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.roles import AUTHOR, OPERATOR, RESEARCHER, REVIEWER
from tests.crowd.whoops.making_images import make_image, make_project, state
from tests.factories import NOW, make_user
from tests.people import make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def image(project: Project) -> Image:
    return make_image(project, state="review")


def give(image: Image, by: User, *, note: str = "", revision: int = 1) -> None:
    give_review(image=image, revision=revision, is_harmful=bool(note), note=note, by=by, now=NOW)


def waiting(project: Project, by: User) -> list[int]:
    return list(waiting_images(project, by=by).values_list("number", flat=True))


def test_image_is_accepted_once_as_many_as_wanted_found_no_harm(image: Image) -> None:
    people = [make_user() for _ in range(4)]

    before = []
    for person in people:
        before.append(state(image))
        give(image, person)

    assert before == ["review"] * 4
    assert state(image) == "accepted"
    assert image.accepted_at == NOW
    assert image.revisions.get().ended_by == people[-1]


def test_image_that_one_objects_to_waits_for_a_decision(image: Image, project: Project) -> None:
    give(image, make_user(), note="It mocks somebody.")
    for _ in range(3):
        give(image, make_user())

    assert state(image) == "review"
    assert waiting(project, make_user()) == []


def test_nobody_reviews_twice(image: Image, project: Project) -> None:
    ann = make_user()
    give(image, ann)

    with pytest.raises(RuleBroken, match="reviewed Image 1 already"):
        give(image, ann)

    assert waiting(project, ann) == []
    assert waiting(project, make_user()) == [1]
    assert Review.objects.count() == 1


@pytest.mark.parametrize("since", ["control", "returned", "accepted", "refused", "withdrawn"])
def test_image_that_has_gone_on_takes_no_review(project: Project, since: str) -> None:
    image = make_image(project, state=since)

    with pytest.raises(RuleBroken, match="needs no review any more"):
        give(image, make_user())

    assert not Review.objects.exists()


def test_review_of_an_earlier_revision_is_refused(project: Project) -> None:
    image = make_image(project, state="review", revision=2)

    with pytest.raises(RuleBroken, match="needs no review any more"):
        give(image, make_user(), revision=1)

    assert not Review.objects.exists()


def test_fifth_reviewer_is_told_that_nothing_is_wanted(image: Image) -> None:
    for _ in range(4):
        give(image, make_user(), note="It hurts.")

    with pytest.raises(RuleBroken, match="needs no review any more"):
        give(image, make_user())

    assert Review.objects.count() == 4


def test_harm_without_words_is_refused(image: Image) -> None:
    with pytest.raises(RuleBroken, match="whom it could hurt"):
        give_review(image=image, revision=1, is_harmful=True, note="  ", by=make_user(), now=NOW)

    assert not Review.objects.exists()


def test_review_is_taken_back_and_can_be_given_anew(image: Image, project: Project) -> None:
    ann = make_user()
    give(image, ann)

    undone = undo_review(project=project, by=ann, now=NOW)

    assert undone == image
    assert waiting(project, ann) == [1]


def test_review_that_has_accepted_an_image_stays(image: Image, project: Project) -> None:
    people = [make_user() for _ in range(4)]
    for person in people:
        give(image, person)

    with pytest.raises(RuleBroken, match="nothing to undo"):
        undo_review(project=project, by=people[-1], now=NOW)

    assert (state(image), Review.objects.count()) == ("accepted", 4)


def test_staff_is_counted_by_permission_and_study(project: Project) -> None:
    for role in (RESEARCHER, REVIEWER, AUTHOR):
        make_member(role, project.study)
        make_member(role)
    make_member(OPERATOR)
    gone = make_user(is_active=False, is_superuser=True)
    boss = make_user(is_superuser=True)

    found = set(staff_with("whoops.review_image", study=project.study))

    assert len(found) == 4
    assert boss in found
    assert gone not in found
