"""What researchers make and change of weird images in the REST API."""

from io import BytesIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from crowd.whoops import domain
from crowd.whoops.annotate.services.training_images import training_images
from crowd.whoops.models import Category, Designer, Project, Question, Sample
from hits.identity.api_tokens import Scope
from hits.identity.roles import RESEARCHER, REVIEWER
from tests.crowd.pictures.images import png
from tests.crowd.whoops.making_annotations import GOOD, make_training_images
from tests.crowd.whoops.making_images import make_designer, make_project
from tests.crowd.whoops.making_questions import ANSWERS, bring_in, make_annotation, make_data
from tests.hits.calling import Notebook
from tests.people import make_member

pytestmark = pytest.mark.django_db


def researcher(project: Project, **more: Any) -> Notebook:
    return Notebook(make_member(RESEARCHER, project.study), **more)


def send(held: Notebook, path: str, file: tuple[str, bytes], *, field: str = "file", **body: Any) -> Any:
    content = BytesIO(file[1])
    content.name = file[0]
    return held.client.post(f"/api/whoops/{path}", {**body, field: content}, headers=held.headers())


def said(project: Project) -> list[str]:
    """Return what the project's history says."""
    entries = LogEntry.objects.filter(object_id=str(project.pk)).order_by("pk")
    return [entry.change_message for entry in entries]


def test_questions_are_previewed_imported_and_once_more_add_nothing() -> None:
    project = make_data()
    held, here = researcher(project), f"projects/{project.pk}/import-questions/"
    file = ("answers.csv", ANSWERS.encode())

    preview = send(held, here, file, kind=domain.VERIFY, preview=True)
    before = Question.objects.count()
    first, again = (send(held, here, file, kind=domain.VERIFY, seed=3) for _ in range(2))
    bad = send(held, here, ("bad.csv", b"image,question\n99,Why?\n"), kind=domain.VERIFY)

    assert (preview.status_code, preview.json()["message"][:5], before) == (200, "New: ", 0)
    assert first.json()["message"].startswith("Added, and waiting for workers: ")
    assert again.json()["message"] == "Everything in this file was there already. Nothing was added."
    assert (bad.status_code, bad.json()["code"]) == (400, "invalid_items")
    assert said(project)[-1] == "0 questions with answers were imported."


def test_pairs_lists_and_samples_are_made_by_the_pages_own_actions() -> None:
    project = make_data()
    held, here = researcher(project), f"whoops/projects/{project.pk}/"
    bring_in(project, domain.VERIFY, ANSWERS)
    make_annotation(project.images.order_by("pk")[0], "Candles need air.")

    pairs = held.post(f"{here}draw-pairs/", {"wanted": 2, "seed": 1})
    more = held.post(f"{here}draw-pairs/", {"wanted": 2, "seed": 1})
    lists = held.post(f"{here}make-lists/", {"incomplete": True})
    too_many = held.post(f"{here}draw-sample/", {"wanted": 300, "seed": 1})

    assert (pairs.status_code, more.status_code, lists.status_code) == (200, 409, 200)
    assert pairs.json()["message"].startswith("Pairs that wait for workers now: 2.")
    assert (too_many.status_code, Sample.objects.count()) == (409, 0)
    assert len(said(project)) == 2


def test_list_of_categories_is_replaced_and_given_up() -> None:
    project = make_project()
    held, here = researcher(project), f"whoops/projects/{project.pk}/"

    replaced = held.post(f"{here}replace-categories/", {"lines": "Fish: that ride\nBirds"})
    own = set(Category.objects.filter(project=project).values_list("name", flat=True))
    shared = held.post(f"{here}share-categories/")

    assert replaced.json()["message"].startswith("The study has 2 categories of its own.")
    assert (own, shared.status_code) == ({"Fish", "Birds"}, 200)
    assert not Category.objects.filter(project=project).exists()


def test_designer_is_invited_and_changed_and_neither_name_nor_link_is_told() -> None:
    project = make_project()
    held, here = researcher(project), "whoops/designers/"
    body = {"study": str(project.study.public_id), "name": "Ada"}

    made, twice = held.post(here, body), held.post(here, body)
    designer = Designer.objects.get()
    changed = held.patch(f"{here}{designer.public_id}/", {"is_paid": True})
    wrong = held.patch(f"{here}{designer.public_id}/", {"worker": "w-nobody"})

    designer.refresh_from_db()
    assert (made.status_code, twice.status_code, twice.json()["code"]) == (201, 409, "name_taken")
    assert (changed.json()["is_paid"], designer.name, designer.is_paid) == (True, "Ada", True)
    assert (wrong.status_code, list(wrong.json())) == (400, ["worker"])
    assert "Ada" not in made.content.decode()
    assert said(project) == ["Invited the designer “Ada”.", "Changed the designer “Ada”."]


def test_places_are_offered_and_what_is_outstanding_is_owed() -> None:
    project = make_project()
    held, here = researcher(project), f"whoops/projects/{project.pk}/"

    offered = held.post(f"{here}places/", {"places": 3})
    owed = held.post(f"{here}owe-images/")

    assert offered.json()["message"] == "Places free: 3, taken: 0."
    assert owed.json() == {"message": "Nothing is outstanding.", "problems": []}


def test_training_image_is_added_changed_taken_out_and_put_back() -> None:
    project = make_project()
    held = researcher(project)
    body = {"study": str(project.study.public_id), **GOOD}

    made = send(held, "training-images/", ("a.png", png()), field="picture", **body)
    twice = send(held, "training-images/", ("a.png", png()), field="picture", **body)
    here = f"whoops/training-images/{made.json()['number']}/"
    mended = held.patch(here, {"caption": "A kettle pours sand into two cups."})
    out = held.post(f"{here}take-out/").json()
    asked = held.get("whoops/training-images/", is_asked="true").json()["results"]
    back = held.post(f"{here}put-back/").json()

    assert (made.status_code, twice.status_code, twice.json()["code"]) == (201, 409, "in_test")
    assert mended.json()["caption"] == "A kettle pours sand into two cups."
    assert (out["pulled_at"] is None, asked, back["pulled_at"]) == (False, [], None)
    assert len(said(project)) == 4


def test_only_members_with_permission_and_scope_make_anything() -> None:
    project = make_project()
    make_training_images(project, 1)
    training = training_images(project).get().pk
    designer = make_designer(project)
    reviewer = Notebook(make_member(REVIEWER, project.study))
    unscoped = researcher(project, scopes=[Scope.READ])
    stranger = researcher(make_project())
    here = f"whoops/projects/{project.pk}"

    for path, body in (
        (f"{here}/draw-pairs/", {"wanted": 1, "seed": 1}),
        (f"{here}/replace-categories/", {"lines": "Fish"}),
        (f"{here}/places/", {"places": 3}),
        (f"whoops/training-images/{training}/take-out/", {}),
        (f"whoops/designers/{designer.public_id}/shut-out/", {}),
        ("whoops/designers/", {"study": str(project.study.public_id), "name": "Ada"}),
    ):
        codes = [held.post(path, body).status_code for held in (reviewer, unscoped, stranger)]
        assert codes == [403, 403, 404], path
    assert (Category.objects.filter(project=project).exists(), Designer.objects.count()) == (False, 1)
