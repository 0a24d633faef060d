"""Weird images in the REST API."""

import json
from io import BytesIO

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.whoops import domain
from crowd.whoops.models import Annotation, Category, ControlAnswer, Image, Project, Question, Review
from crowd.whoops.review.queries.readable_reviews import may_read, readable_reviews
from crowd.whoops.roles import CHECK as CHECKS
from crowd.whoops.roles import KEEP, LOOK
from hits.identity.api_tokens import Scope
from hits.identity.models.users import User
from tests.crowd.whoops.making_images import ControlGroup, make_designer, make_image, make_project, state
from tests.crowd.whoops.making_questions import ANSWERS, Judges, bring_in, make_annotation, make_data
from tests.factories import NOW, make_user
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
LISTS = (
    "projects",
    "designers",
    "images",
    "revisions",
    "edits",
    "control-answers",
    "reviews",
    "annotations",
    "questions",
)


def researcher(project: Project, **more: object) -> Notebook:
    return notebook(*LOOK, *CHECKS, *KEEP, sees=[project.study], **more)  # type: ignore[arg-type]


def reader(project: Project) -> Notebook:
    return notebook(*LOOK, sees=[project.study])


def make_review(image: Image, *, by: User | None = None, is_harmful: bool = False) -> Review:
    note = "It mocks people." if is_harmful else ""
    values = {"revision": image.revision, "is_harmful": is_harmful, "note": note, "at": NOW}
    return Review.objects.create(image=image, by=by or make_user(), **values)


def rows(held: Notebook, path: str, **query: str) -> list[dict[str, object]]:
    answer = held.get(f"whoops/{path}/", **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, object]] = answer.json()["results"]
    return found


def test_rules_are_changed_as_the_form_of_settings_would() -> None:
    project = make_project()
    held, here = researcher(project), f"whoops/projects/{project.pk}/"

    changed = held.patch(here, {"image_pay": "7.50", "grows_by_itself": True})
    wrong = [held.patch(here, {"negatives": 91}), held.patch(here, {"second_filter": "none such"})]

    project.refresh_from_db()
    assert (changed.status_code, changed.json()["image_pay"]) == (200, "7.50")
    assert (project.grows_by_itself, project.control_wanted) == (True, 3)
    assert [answer.status_code for answer in wrong] == [400, 400]


def test_image_is_read_with_its_history_and_not_by_strangers() -> None:
    project = make_project()
    image = make_image(project)
    held, stranger = reader(project), notebook(*LOOK)

    (row,) = rows(held, "images", state="control", study=str(project.study.public_id))
    (sent,) = rows(held, "revisions", image=str(image.public_id))

    assert (row["public_id"], row["explanation"]) == (str(image.public_id), image.explanation)
    assert (row["picture_sha256"], row["partners"]) == (image.picture.sha256, [])
    assert (sent["revision"], sent["outcome"]) == (1, "")
    assert rows(stranger, "images") == []
    assert stranger.get(f"whoops/images/{image.public_id}/").status_code == 404


def test_image_is_decided_as_on_its_page_and_a_refusal_changes_nothing() -> None:
    project = make_project()
    image = make_image(project, state=Image.State.REVIEW)
    held, here = researcher(project), f"whoops/images/{image.public_id}/"

    bare = held.post(f"{here}return/")
    returned = held.post(f"{here}return/", {"reason": "Too dark."})
    refused = held.post(f"{here}accept/", {"reason": "It is fine."})
    reworded = held.post(f"{here}reword/", {"reason": "Much too dark."})

    assert (bare.status_code, list(bare.json())) == (400, ["reason"])
    assert (returned.status_code, returned.json()["message"]) == (
        200,
        "Image 1 is back with its designer.",
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "refused")
    assert (reworded.status_code, state(image)) == (200, "returned")
    assert rows(held, "revisions")[0]["reason"] == "Much too dark."
    history = LogEntry.objects.filter(user=held.user, object_id=str(image.pk)).order_by("pk")
    assert [entry.change_message for entry in history] == [
        "Return the image to its designer: Too dark.",
        "Change the reason: Much too dark.",
    ]


def test_image_is_decided_with_the_permission_and_the_scope_alone() -> None:
    project = make_project()
    image = make_image(project, state=Image.State.REVIEW)
    reviewer = notebook(*LOOK, *CHECKS, sees=[project.study])
    unscoped = researcher(project, scopes=[Scope.READ, Scope.DRAFT])

    answers = [
        held.post(f"whoops/images/{image.public_id}/accept/", {"reason": "Fine."})
        for held in (reviewer, unscoped)
    ]

    assert ([answer.status_code for answer in answers], state(image)) == ([403, 403], "review")


def test_explanation_and_category_are_edited_and_both_texts_kept() -> None:
    project = make_project()
    image = make_image(project)
    category = Category.objects.filter(project=None).first()
    held, here = researcher(project), f"whoops/images/{image.public_id}/"
    assert category

    old = held.post(f"{here}explanation/", {"text": "No.", "why": "Shorter.", "seen": "Something else."})
    seen = {"seen": image.explanation}
    held.post(f"{here}explanation/", {"text": "Fish cannot ride.", "why": "Shorter.", **seen})
    held.post(f"{here}category/", {"category": category.pk, "why": "It fits."})

    assert (old.status_code, old.json()["code"]) == (409, "changed")
    row = held.get(here).json()
    edits = rows(held, "edits", image=str(image.public_id))
    assert (row["explanation"], row["category"]) == ("Fish cannot ride.", category.name)
    assert row["designer_explanation"] == image.explanation
    assert [(one["what"], one["before"], one["why"]) for one in edits] == [
        ("explanation", image.explanation, "Shorter."),
        ("category", "", "It fits."),
    ]


def test_control_answer_is_compared_once_and_moves_the_image() -> None:
    group = ControlGroup(control_wanted=1, control_needed=1)
    image = group.post()
    work = group.look()
    held = researcher(group.project)
    (waiting,) = rows(held, "control-answers", waits="true")

    here = f"whoops/control-answers/{waiting['number']}/compare/"
    unallowed = reader(group.project).post(here, {"seen": True})
    compared, again = held.post(here, {"seen": True}), held.post(here, {"seen": False})

    assert (waiting["seen"], waiting["worker"]) == (None, work.worker.pseudonym)
    assert work.worker.external_id not in json.dumps(waiting)
    assert unallowed.status_code == 403
    assert (compared.status_code, compared.json()["decided_by"]) == (200, held.user.username)
    assert (again.status_code, again.json()["code"]) == (409, "decided_already")
    assert (state(image), ControlAnswer.objects.get().seen) == ("review", True)


def test_reviewer_reads_the_reviews_of_others_only_after_their_own() -> None:
    project = make_project(reviews_wanted=3)
    image = make_image(project, state=Image.State.REVIEW)
    make_review(image, is_harmful=True)
    held = notebook(*LOOK, *CHECKS, sees=[project.study])

    before = rows(held, "reviews")
    given = held.post(f"whoops/images/{image.public_id}/review/", {"revision": 1, "is_harmful": False})
    again = held.post(f"whoops/images/{image.public_id}/review/", {"revision": 1, "is_harmful": False})

    assert (before, given.status_code) == ([], 200)
    assert [one["is_harmful"] for one in rows(held, "reviews")] == [True, False]
    assert (again.status_code, again.json()["code"]) == (409, "reviewed_already")


@pytest.mark.parametrize("permissions", [LOOK, (*LOOK, *CHECKS), (*LOOK, *CHECKS, *KEEP)])
def test_reviews_are_read_in_lists_by_whoever_reads_them_on_the_page(permissions: tuple[str, ...]) -> None:
    project = make_project(reviews_wanted=2)
    held = notebook(*permissions, sees=[project.study])
    for name in (Image.State.REVIEW, Image.State.ACCEPTED):
        make_image(project, state=name)
        make_review(make_image(project, state=name))
        make_review(make_image(project, state=name), is_harmful=True)
        make_review(make_image(project, state=name), by=held.user)
        full = make_image(project, state=name)
        make_review(full)
        make_review(full)
        # What was said of an earlier revision is read with what is said of this one.
        again = make_image(project, state=name)
        make_review(again, is_harmful=True)
        Image.objects.filter(pk=again.pk).update(revision=2)

    listed = set(readable_reviews(held.user).values_list("pk", flat=True))
    on_pages = {
        review.pk
        for image in Image.objects.all()
        for review in image.reviews.all()
        if may_read(image, list(image.reviews.all()), held.user)
    }

    assert listed == on_pages != set()


def test_annotation_is_dropped_with_a_reason_and_counted_again() -> None:
    project = make_data(images=1)
    annotation = make_annotation(project.images.get(), "Candles need air.")
    held, here = researcher(project), f"whoops/annotations/{annotation.pk}/"

    old = held.post(f"{here}drop/", {"why": "It is not about this image.", "seen": "held"})
    unnamed = held.post(f"{here}drop/")
    dropped = held.post(f"{here}drop/", {"why": "It is not about this image."})
    twice = held.post(f"{here}drop/", {"why": "Once more."})
    counted = held.post(f"{here}count/")

    assert (old.status_code, unnamed.status_code) == (409, 400)
    assert (dropped.json()["state"], dropped.json()["why"]) == ("dropped", "It is not about this image.")
    assert (twice.status_code, twice.json()["code"]) == (409, "decided_already")
    assert (counted.json()["state"], Annotation.objects.get().state) == ("counted", "counted")
    assert dropped.json()["worker"] == annotation.worker.pseudonym
    assert annotation.worker.external_id not in dropped.content.decode()


def test_annotation_is_decided_with_the_permission_alone() -> None:
    project = make_data(images=1)
    annotation = make_annotation(project.images.get(), "Candles need air.")

    answer = reader(project).post(f"whoops/annotations/{annotation.pk}/drop/", {"why": "No."})

    assert (answer.status_code, Annotation.objects.get().state) == (403, "counted")


def test_question_is_read_with_its_votes_withdrawn_and_brought_back() -> None:
    project = make_data()
    bring_in(project, domain.VERIFY, ANSWERS)
    question = Question.objects.filter(kind=domain.VERIFY, item__isnull=False).order_by("pk")[0]
    Judges(project, domain.VERIFY).answer({"pick": "right"})
    held, here = researcher(project), f"whoops/questions/{question.pk}/"

    row = held.get(here).json()
    listed = rows(held, "questions", kind=domain.VERIFY)
    withdrawn = held.post(f"{here}withdraw/")
    gone = held.get(here).json()
    back = held.post(f"{here}bring-back/")

    assert row in listed
    assert (row["key"], row["standing"], row["options"][0]["text"]) == (
        question.key,
        "asked",
        question.options.get().text,
    )
    assert sum(int(one["judges"]) for one in listed) == 1  # type: ignore[call-overload]
    assert (withdrawn.status_code, gone["standing"]) == (200, "withdrawn")
    assert (back.status_code, held.get(here).json()["withdrawn_at"]) == (200, None)


def test_designer_is_told_without_a_name_shut_out_and_let_in() -> None:
    project = make_project()
    designer = make_designer(project, name="A person of this name")
    held, here = researcher(project), f"whoops/designers/{designer.public_id}/"

    shown = held.get(here)
    out = held.post(f"{here}shut-out/")
    unallowed = reader(project).post(f"{here}let-in/")
    back = held.post(f"{here}let-in/")

    assert "A person of this name" not in shown.content.decode()
    assert (out.json()["is_active"], unallowed.status_code, back.json()["is_active"]) == (False, 403, True)


def test_last_decisions_of_ones_own_are_taken_back() -> None:
    group = ControlGroup(control_wanted=1, control_needed=1)
    image = group.post()
    group.look()
    project = group.project
    annotation = make_annotation(image, "Candles need air.", state="held", flags=["caption: damn"])
    held, here = researcher(project), f"whoops/projects/{project.pk}/"
    held.post(f"whoops/control-answers/{ControlAnswer.objects.get().pk}/compare/", {"seen": True})
    held.post(f"whoops/images/{image.public_id}/review/", {"revision": 1, "is_harmful": False})
    held.post(f"whoops/annotations/{annotation.pk}/count/")

    stranger = researcher(project).post(f"{here}undo-review/")
    undone = [held.post(f"{here}undo-{what}/") for what in ("review", "annotation", "comparison")]

    assert (stranger.status_code, stranger.json()["code"]) == (409, "nothing_to_undo")
    assert [answer.status_code for answer in undone] == [200, 200, 200]
    assert (state(image), Review.objects.count(), ControlAnswer.objects.get().seen) == ("control", 0, None)
    assert Annotation.objects.get().state == "held"


def test_matching_scores_of_a_model_are_uploaded_and_removed() -> None:
    project = make_data(images=1)
    annotation = make_annotation(project.images.get(), "Candles need air.")
    held = researcher(project)
    file = BytesIO(f"annotation,detailed,underspecified\n{annotation.pk},0.9,0.4\n".encode())
    file.name = "scores.csv"
    body = {"study": str(project.study.public_id), "name": "clip", "about": "ViT-B/32", "file": file}

    made = held.client.post("/api/whoops/matching-scores/upload/", body, headers=held.headers())
    (row,) = rows(held, "matching-scores")
    unallowed = reader(project).post(f"whoops/matching-scores/{row['number']}/remove/")
    removed = held.post(f"whoops/matching-scores/{row['number']}/remove/")

    assert (made.status_code, row["name"], row["about"]) == (201, "clip", "ViT-B/32")
    assert (unallowed.status_code, removed.status_code) == (403, 200)
    assert rows(held, "matching-scores") == []


def test_categories_of_other_studies_stay_unnamed() -> None:
    own, other = make_project(), make_project()
    for project in (own, other):
        Category.objects.create(project=project, name=f"Of {project.pk}")

    names = {row["name"] for row in rows(reader(own), "categories")}

    assert f"Of {own.pk}" in names
    assert f"Of {other.pk}" not in names
    assert "Art knowledge" in names


def test_categories_are_added_renamed_merged_and_deleted_as_in_the_admin() -> None:
    project = make_project()
    held, here = researcher(project), "whoops/categories/"
    made, other = (held.post(here, {"name": name, "about": "x"}).json() for name in ("Of fish", "Of birds"))
    image = make_image(project)
    Image.objects.filter(pk=image.pk).update(category=made["number"])

    twice = held.post(here, {"name": "of FISH"})
    renamed = held.patch(f"{here}{other['number']}/", {"name": "Of fowl"})
    used = held.delete(f"{here}{made['number']}/")
    merged = held.post(f"{here}merge/", {"rows": [made["number"], other["number"]], "into": other["number"]})
    image.refresh_from_db()
    Image.objects.filter(pk=image.pk).update(category=None)
    gone = held.delete(f"{here}{other['number']}/")

    assert (made["origin"], twice.status_code, list(twice.json())) == ("added", 400, ["name"])
    assert (renamed.json()["name"], renamed.json()["about"]) == ("Of fowl", "x")
    assert (used.status_code, used.json()["code"]) == (409, "in_use")
    assert (merged.json()["message"], image.category_id) == (
        "“Of fish” became “Of fowl”. Images that moved: 1.",
        other["number"],
    )
    assert (gone.status_code, Category.objects.filter(pk=other["number"]).exists()) == (204, False)
    assert LogEntry.objects.filter(user=held.user).count() == 5


def test_categories_are_changed_by_who_may_and_those_of_other_studies_are_not_there() -> None:
    project, foreign = make_project(), make_project()
    category = Category.objects.create(project=foreign, name="Of others")
    body = {"name": "Mine"}

    answers = [
        reader(project).post("whoops/categories/", body),
        researcher(project, scopes=[Scope.READ]).post("whoops/categories/", body),
        researcher(project).patch(f"whoops/categories/{category.pk}/", body),
        researcher(project).delete(f"whoops/categories/{category.pk}/"),
        researcher(project).post("whoops/categories/merge/", {"rows": [1, category.pk], "into": 1}),
    ]

    category.refresh_from_db()
    assert ([one.status_code for one in answers], category.name) == ([403, 403, 404, 404, 400], "Of others")


@pytest.mark.parametrize("path", LISTS)
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    project = make_data(images=1)
    held = researcher(project)
    held.get(f"whoops/{path}/")
    counts = []
    for number in (1, 4):
        for _ in range(number):
            other = make_data()
            held.user.studies.add(other.study)
            image = other.images.order_by("pk")[0]
            annotation = make_annotation(image, "Candles need air.")
            make_review(image)
            values = {"image": image, "revision": 1, "text": "A fish.", "worker": annotation.worker}
            ControlAnswer.objects.create(assignment=annotation.assignment, **values)
            image.edits.create(revision=1, what="category", after="x", why="y", by=held.user, at=NOW)
            bring_in(other, domain.VERIFY, ANSWERS)
        with CaptureQueriesContext(connection) as queries:
            assert rows(held, path)
        counts.append(len(queries))

    assert counts[0] == counts[1]
