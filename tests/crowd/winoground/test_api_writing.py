"""Examples and first questions of caption matching, written over the REST API."""

from io import BytesIO
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from crowd.winoground.models import Example, FirstQuestion, Project, Tag
from hits.identity.api_tokens import Scope
from hits.identity.roles import AUTHOR, RESEARCHER, REVIEWER
from tests.crowd.pictures.images import png
from tests.crowd.winoground.making_scores import make_example, make_project
from tests.hits.calling import Notebook
from tests.people import make_member

pytestmark = pytest.mark.django_db
WORDS = {
    "caption_0": "a cup on a hat",
    "caption_1": "a hat on a cup",
    "swap": "object",
    "predicates": 1,
}
SOURCE = {f"{name}_{place}": "ours" for name in ("source", "credit", "licence") for place in (0, 1)}
HERE = "winoground/examples/"


def holder(project: Project, role: str = RESEARCHER, **more: Any) -> Notebook:
    return Notebook(make_member(role, project.study), **more)


def picture(seed: int) -> BytesIO:
    file = BytesIO(png(seed=seed))
    file.name = "picture.png"
    return file


def send(held: Notebook, path: str, body: dict[str, Any], *, method: str = "post") -> Any:
    content = encode_multipart(BOUNDARY, body)
    sent = {"content_type": MULTIPART_CONTENT, "headers": held.headers()}
    return held.client.generic(method.upper(), f"/api/{path}", content, **sent)  # type: ignore[arg-type]


def test_example_is_written_once_changed_and_made_ready() -> None:
    project = make_project()
    Tag.objects.get_or_create(name="Noun")
    held, study = holder(project), str(project.study.public_id)
    body = {"study": study, **WORDS, "tags": ["noun", "Things of the kitchen"]}

    first, again = (held.post(HERE, body, **{"Idempotency-Key": "one"}) for _ in range(2))
    here = f"{HERE}{first.json()['public_id']}/"
    early = held.post(f"{here}ready/")
    pictured = send(held, here, {"image_0": picture(1), "image_1": picture(2), **SOURCE}, method="patch")
    ready = held.post(f"{here}ready/")

    row = held.get(here).json()
    assert (first.status_code, again.status_code, Example.objects.count()) == (201, 201, 1)
    assert first.json()["tags"] == ["Noun", "Things of the kitchen"]
    assert (early.status_code, pictured.status_code, ready.status_code) == (400, 200, 200), pictured.content
    assert (row["state"], row["caption_0"], row["author"]) == ("ready", "a cup on a hat", held.user.username)
    assert row["image_0_sha256"] != row["image_1_sha256"] is not None
    assert LogEntry.objects.filter(user=held.user).count() == 3


def test_example_that_a_colleague_has_changed_is_left_alone() -> None:
    project = make_project()
    example = make_example(project, state="draft")
    held, here = holder(project), f"{HERE}{example.public_id}/"
    seen = held.get(here).json()["changed_at"]

    changed = held.patch(here, {"note": "First.", "seen": seen})
    old = held.patch(here, {"note": "Second.", "seen": seen})
    bare = held.patch(here, {"note": "Third."})

    assert (changed.status_code, old.status_code, old.json()["code"]) == (200, 409, "stale")
    assert (bare.json()["note"], bare.json()["caption_0"]) == ("Third.", example.caption_0)


def test_authors_write_and_change_examples_of_their_own_alone() -> None:
    project = make_project()
    other = make_example(project, state="draft")
    held, study = holder(project, AUTHOR), str(project.study.public_id)

    own = held.post(HERE, {"study": study, **WORDS})
    changed = held.patch(f"{HERE}{own.json()['public_id']}/", {"note": "Mine."})
    foreign = held.patch(f"{HERE}{other.public_id}/", {"note": "Mine."})
    elsewhere = held.post(HERE, {"study": str(make_project().study.public_id), **WORDS})
    reviewer = holder(project, REVIEWER).post(HERE, {"study": study, **WORDS})
    unscoped = holder(project, scopes=[Scope.READ]).post(HERE, {"study": study, **WORDS})

    codes = [one.status_code for one in (own, changed, foreign, elsewhere, reviewer, unscoped)]
    assert codes == [201, 200, 404, 404, 403, 403]
    assert Example.objects.count() == 2


def test_what_workers_were_asked_by_stays_and_what_is_said_of_it_may_change() -> None:
    project = make_project()
    example = make_example(project)
    held, here = holder(project), f"{HERE}{example.public_id}/"
    seen = held.get(here).json()["changed_at"]

    fixed = held.patch(here, {"caption_0": "Another."})
    about = {"metadata_0": "A cup.", "metadata_1": "A hat."}
    described = held.post(f"{here}describe/", {**about, "seen": seen})
    old = held.post(f"{here}describe/", {**about, "metadata_0": "Two cups.", "seen": seen})

    row = held.get(here).json()
    assert (fixed.status_code, fixed.json()["code"]) == (409, "fixed")
    assert (described.status_code, old.status_code, old.json()["code"]) == (200, 409, "stale")
    assert (row["metadata_0"], row["caption_0"]) == ("A cup.", example.caption_0)


def test_first_question_is_written_changed_taken_away_and_put_back() -> None:
    project = make_project()
    held, here = holder(project), "winoground/first-questions/"
    body = {"study": str(project.study.public_id), "caption": "A cup.", "is_match": "true"}

    made = send(held, here, {**body, "picture": picture(1)})
    again = send(held, here, {**body, "picture": picture(1)})
    own = f"{here}{made.json()['number']}/"
    changed = held.patch(own, {"caption": "A red cup.", "is_match": False})
    away, twice = held.post(f"{own}away/"), held.get(own).json()["pulled_at"]
    back = held.post(f"{own}back/")

    row = held.get(own).json()
    assert (made.status_code, again.json()["number"], FirstQuestion.objects.count()) == (
        201,
        made.json()["number"],
        1,
    )
    assert (changed.json()["caption"], changed.json()["is_match"]) == ("A red cup.", False)
    assert (away.status_code, twice is None, back.status_code, row["pulled_at"]) == (200, False, 200, None)
    assert LogEntry.objects.filter(user=held.user, object_id=str(project.pk)).count() == 5


def test_first_questions_are_for_those_who_keep_the_project() -> None:
    project = make_project()
    held = holder(project)
    body = {"study": str(project.study.public_id), "caption": "A cup.", "is_match": "true"}
    number = send(held, "winoground/first-questions/", {**body, "picture": picture(1)}).json()["number"]
    own = f"winoground/first-questions/{number}/"

    author, reviewer = holder(project, AUTHOR), holder(project, REVIEWER)
    stranger = holder(make_project())

    assert [one.get(own).status_code for one in (author, reviewer, stranger)] == [403, 200, 404]
    assert [one.post(f"{own}away/").status_code for one in (author, reviewer, stranger)] == [403, 403, 404]
    assert FirstQuestion.objects.get().item.pulled_at is None
