"""A model's scores: stored whole or not at all, replaced and removed."""

from io import BytesIO

import pytest

from crowd.winoground.domain.caption_scores import PairScores
from crowd.winoground.models import Example, Project
from crowd.winoground.models.caption_scores import ModelScore, ModelScores
from crowd.winoground.queries.scoring import fours_of_models
from crowd.winoground.services.uploading import SCORES
from hits.core.errors import InvalidItems, RuleBroken
from hits.data.services.model_results import Upload, add_results, remove_results, replace_results
from tests.crowd.winoground.making_scores import make_example, make_model, make_project
from tests.factories import NOW, make_user

pytestmark = pytest.mark.django_db
HEAD = "example,c0_i0,c0_i1,c1_i0,c1_i1\n"


def upload(project: Project, text: str, *, name: str = "model") -> Upload[ModelScores]:
    return add_results(
        SCORES, of=project, name=name, about="", file=BytesIO(text.encode()), by=make_user(), now=NOW
    )


def test_upload_stores_every_score() -> None:
    project, user = make_project(), make_user()
    first, second = make_example(project), make_example(project)
    file = BytesIO(f"{HEAD}1,.9,.1,.2,.8\n{second.public_id},1,2,3,4\n".encode())

    made = add_results(SCORES, of=project, name="  A  model ", about="small", file=file, by=user, now=NOW)

    assert (made.count, made.missing) == (2, 0)
    assert (made.made.name, made.made.about, made.made.added_by, made.made.added_at) == (
        "A model", "small", user, NOW,
    )  # fmt: skip
    assert fours_of_models(project) == {
        made.made.pk: {first.pk: PairScores(0.9, 0.1, 0.2, 0.8), second.pk: PairScores(1.0, 2.0, 3.0, 4.0)}
    }


def test_upload_says_how_many_examples_it_lacks() -> None:
    project = make_project()
    for _ in range(3):
        make_example(project)
    make_example(project, state="withdrawn")

    made = upload(project, HEAD + "2,.9,.1,.2,.8\n")

    assert (made.count, made.missing) == (1, 2)


@pytest.mark.parametrize("state", ["draft", "ready", "withdrawn"])
def test_only_what_workers_are_asked_about_is_scored(state: str) -> None:
    project = make_project()
    make_example(project, state=state)

    with pytest.raises(InvalidItems, match=f"example 1 is {state}"):
        upload(project, HEAD + "1,.9,.1,.2,.8\n")


def test_examples_of_another_study_are_unknown() -> None:
    other = make_example(make_project())
    project = make_project()

    with pytest.raises(InvalidItems, match="there is no example"):
        upload(project, f"{HEAD}{other.public_id},.9,.1,.2,.8\n")


def test_wrong_file_leaves_nothing_behind() -> None:
    project = make_project()
    make_example(project)

    with pytest.raises(InvalidItems):
        upload(project, HEAD + "1,.9,.1,.2,.8\n9,1,1,1,1\n")

    assert not ModelScores.objects.exists()
    assert not ModelScore.objects.exists()


@pytest.mark.parametrize("name", ["", "  ", "people", "Chance", "Model", " model "])
def test_name_must_be_its_own(name: str) -> None:
    project = make_project()
    example = make_example(project)
    make_model(project, {example: (1, 2, 3, 4)}, name="model")

    with pytest.raises(RuleBroken, match="name"):
        upload(project, HEAD + "1,.9,.1,.2,.8\n", name=name)

    assert ModelScore.objects.count() == 4


def test_replacing_puts_the_new_scores_in_place_of_the_old_ones() -> None:
    project, user = make_project(), make_user()
    first, second = make_example(project), make_example(project)
    model = make_model(project, {first: (1, 2, 3, 4), second: (1, 2, 3, 4)})
    file = BytesIO((HEAD + "1,.9,.1,.2,.8\n").encode())

    made = replace_results(SCORES, made=model, about="new", file=file, by=user, now=NOW)

    assert (made.made, made.missing) == (model, 1)
    assert fours_of_models(project) == {model.pk: {first.pk: PairScores(0.9, 0.1, 0.2, 0.8)}}
    assert ModelScores.objects.get() == model
    assert ModelScores.objects.get().about == "new"


def test_a_wrong_file_replaces_nothing() -> None:
    project = make_project()
    example = make_example(project)
    model = make_model(project, {example: (1, 2, 3, 4)})

    with pytest.raises(InvalidItems):
        replace_results(SCORES, made=model, about="new", file=BytesIO(b"nothing"), by=make_user(), now=NOW)

    assert fours_of_models(project) == {model.pk: {example.pk: PairScores(1.0, 2.0, 3.0, 4.0)}}
    assert ModelScores.objects.get().about == ""


def test_what_was_removed_meanwhile_is_not_replaced() -> None:
    project = make_project()
    model = make_model(project, {make_example(project): (1, 2, 3, 4)})
    stale = ModelScores.objects.get()
    remove_results(SCORES, made=model)

    with pytest.raises(RuleBroken, match="removed meanwhile"):
        replace_results(SCORES, made=stale, about="", file=BytesIO(b""), by=make_user(), now=NOW)


def test_removing_twice_removes_once() -> None:
    project = make_project()
    example = make_example(project)
    model = make_model(project, {example: (1, 2, 3, 4)})
    make_model(project, {example: (1, 2, 3, 4)}, name="other")
    again = ModelScores.objects.get(name="model")

    remove_results(SCORES, made=model)
    remove_results(SCORES, made=again)

    assert [one.name for one in ModelScores.objects.all()] == ["other"]
    assert ModelScore.objects.count() == 4
    assert Example.objects.exists()
