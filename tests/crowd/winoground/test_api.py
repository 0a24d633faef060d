"""Caption matching in the REST API."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.winoground.models import Example, Project, Tag
from crowd.winoground.roles import KEEP, LOOK, WRITE
from hits.identity.api_tokens import Scope
from tests.crowd.winoground.making_asked import make_ready
from tests.crowd.winoground.making_examples import make_example as make_written
from tests.crowd.winoground.making_scores import (
    RIGHT,
    WRONG,
    make_answered,
    make_example,
    make_project,
)
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db


def researcher(project: Project, **more: object) -> Notebook:
    return notebook(*LOOK, *WRITE, *KEEP, sees=[project.study], **more)  # type: ignore[arg-type]


def author(project: Project) -> Notebook:
    return notebook(*LOOK, *WRITE, sees=[project.study])


def reviewer(project: Project) -> Notebook:
    return notebook(*LOOK, sees=[project.study])


def rows(held: Notebook, path: str, **query: str) -> list[dict[str, object]]:
    answer = held.get(f"winoground/{path}/", **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, object]] = answer.json()["results"]
    return found


def state(example: Example) -> str:
    example.refresh_from_db()
    return example.state


def test_example_is_read_with_captions_pictures_and_tags() -> None:
    project = make_project()
    example = make_example(project, tags=["Noun"])
    make_example(project, swap="both")

    (row,) = rows(reviewer(project), "examples", tag="Noun", study=str(project.study.public_id))

    assert (row["public_id"], row["tags"]) == (str(example.public_id), ["Noun"])
    assert example.image_0
    assert row["image_0_sha256"] == example.image_0.sha256
    assert (row["caption_1"], row["state"]) == (example.caption_1, "asked")


def test_authors_read_and_change_their_own_examples_alone() -> None:
    project = make_project()
    held = author(project)
    own, other = make_example(project, author=held.user), make_example(project)

    codes = [held.get(f"winoground/examples/{one.public_id}/").status_code for one in (own, other)]
    withdrawn = held.post(f"winoground/examples/{own.public_id}/withdraw/")
    unseen = held.post(f"winoground/examples/{other.public_id}/withdraw/")

    assert [row["public_id"] for row in rows(held, "examples")] == [str(own.public_id)]
    assert (codes, withdrawn.status_code, unseen.status_code) == ([200, 404], 200, 404)
    assert (state(own), state(other)) == ("withdrawn", "asked")


def test_results_are_not_for_authors() -> None:
    project = make_project()
    make_answered(project, RIGHT)
    paths = ("pairings/", f"projects/{project.pk}/results/")

    told = [[held.get(f"winoground/{path}").status_code for path in paths] for held in _two(project)]

    assert told == [[403] * 2, [200] * 2]


def _two(project: Project) -> tuple[Notebook, Notebook]:
    return author(project), reviewer(project)


def test_example_is_made_ready_taken_back_withdrawn_and_restored() -> None:
    project = make_project()
    example = make_written(project, ready=False)
    held, here = researcher(project), f"winoground/examples/{example.public_id}/"

    ready = held.post(f"{here}ready/")
    steps = [(held.post(f"{here}{verb}/").status_code, state(example)) for verb in _STEPS]

    assert (ready.status_code, ready.json()["state"]) == (200, "ready")
    assert steps == [(200, "draft"), (200, "withdrawn"), (409, "withdrawn"), (200, "draft")]


_STEPS = ("draft", "withdraw", "draft", "restore")


def test_draft_that_lacks_something_stays_a_draft_and_the_answer_says_what() -> None:
    project = make_project()
    example = make_written(project, ready=False, caption_1="")

    answer = researcher(project).post(f"winoground/examples/{example.public_id}/ready/")

    assert (answer.status_code, state(example)) == (400, "draft")
    assert "caption_1" in answer.json()


def test_gendered_words_stay_for_a_reason() -> None:
    project = make_project()
    words = {"caption_0": "the queen takes the pawn", "caption_1": "the pawn takes the queen"}
    example = make_example(project, state="draft", **words)
    held, here = researcher(project), f"winoground/examples/{example.public_id}/"

    bare = held.post(f"{here}gendered/")
    old = held.post(f"{here}gendered/", {"reason": "It is chess.", "seen": ["0:king"]})
    before = held.get(here).json()["gendered_words"]
    kept = held.post(f"{here}gendered/", {"reason": "It is chess.", "seen": ["0:queen", "1:queen"]})
    again = held.post(f"{here}gendered/", {"reason": "It is chess."})

    (told,) = held.get(here).json()["gendered_words"]
    assert (old.status_code, old.json()["code"], before) == (409, "changed", [])
    assert (bare.status_code, kept.status_code, again.status_code) == (400, 200, 409)
    assert (told["words"], told["reason"], told["by"]) == (["queen"], "It is chess.", held.user.username)


def test_people_in_captions_are_told_and_authors_hear_of_their_own() -> None:
    project = make_project()
    words = {"caption_0": "the queen takes the pawn", "caption_1": "the pawn takes the queen"}
    make_example(project, state="draft", metadata_0="A girl runs.", **words)
    here = f"winoground/projects/{project.pk}/people/"

    tables = {table["name"]: table["rows"] for table in reviewer(project).get(here).json()}
    own = {table["name"]: table["rows"] for table in author(project).get(here).json()}

    assert [row["gendered_words"] for row in tables["gendered-captions"]] == ["queen"]
    assert [row["who_they_name"] for row in tables["pictures"]] == ["Only women"]
    assert (own["gendered-captions"], own["pictures"]) == ([], [])


def test_tags_are_added_renamed_merged_and_deleted_as_in_the_admin() -> None:
    project = make_project()
    example = make_example(project, tags=["Noun"])
    held, here = researcher(project), "winoground/tags/"
    noun = Tag.objects.get(name="Noun").pk

    made = held.post(here, {"name": "Nouns  of food"}).json()
    renamed = held.patch(f"{here}{made['number']}/", {"name": "Nouns"})
    used = held.delete(f"{here}{noun}/")
    merged = held.post(f"{here}merge/", {"rows": [noun, made["number"]], "into": made["number"]})
    lone = held.post(f"{here}merge/", {"rows": [noun, made["number"]], "into": made["number"]})
    refused = reviewer(project).post(here, {"name": "Verb"})

    assert (made["name"], renamed.json()["name"], used.status_code) == ("Nouns of food", "Nouns", 409)
    assert merged.json()["message"] == "“Noun” became “Nouns”. Examples that got the tag: 1."
    assert [tag.name for tag in example.tags.all()] == ["Nouns"]
    assert (lone.status_code, refused.status_code) == (400, 403)


def test_verbs_need_the_permission_and_the_scope() -> None:
    project = make_project()
    example = make_example(project)
    unscoped = researcher(project, scopes=[Scope.READ])

    answers = [
        held.post(f"winoground/examples/{example.public_id}/withdraw/")
        for held in (reviewer(project), unscoped)
    ]

    assert ([answer.status_code for answer in answers], state(example)) == ([403, 403], "asked")


def test_workers_are_asked_about_the_examples_that_are_named() -> None:
    project = make_project()
    first, second = make_ready(project, count=2)
    held, here = researcher(project), f"winoground/projects/{project.pk}/ask/"

    unknown = held.post(here, {"examples": [str(first.public_id), str(uuid4())]})
    asked = held.post(here, {"examples": [str(first.public_id)]})
    again = held.post(here, {"examples": [str(first.public_id)]})

    assert (unknown.status_code, asked.json()["message"]) == (400, "Asked about 1 examples.")
    assert (again.status_code, state(first), state(second)) == (409, "asked", "ready")


def test_votes_and_scores_are_told() -> None:
    project = make_project()
    example, _ = make_answered(project, RIGHT, WRONG)
    held = reviewer(project)

    votes = rows(held, "pairings", example=str(example.public_id))
    results = held.get(f"winoground/projects/{project.pk}/results/").json()

    told = {(row["caption"], row["image"]): (row["yes"], row["answers"]) for row in votes}
    assert [told[place] for place in ((0, 0), (0, 1), (1, 0), (1, 1))] == list(RIGHT)
    assert results == [{"name": "People", "examples": 2, "text": 0.5, "image": 0.5, "group": 0.5}]


def test_settings_are_changed_by_those_who_keep_the_project() -> None:
    project = make_project()
    here = f"winoground/projects/{project.pk}/"

    refused = author(project).patch(here, {"apart": "gap"})
    changed = researcher(project).patch(here, {"apart": "gap", "least_gap": 7})

    assert (refused.status_code, changed.status_code) == (403, 200)
    assert (changed.json()["apart"], changed.json()["least_gap"], changed.json()["answers_wanted"]) == (
        "gap",
        7,
        10,
    )


@pytest.mark.parametrize("path", ["projects", "examples", "pairings", "tags"])
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    project = make_project()
    held = reviewer(project)
    held.get(f"winoground/{path}/")
    counts = []
    for number in (1, 4):
        for _ in range(number):
            other = make_project()
            held.user.studies.add(other.study)
            make_answered(other, RIGHT, tags=["Noun", "Adjective"])
        with CaptureQueriesContext(connection) as queries:
            assert rows(held, path)
        counts.append(len(queries))

    assert counts[0] == counts[1]
