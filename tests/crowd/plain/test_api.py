"""A study's own questions in the REST API."""

from io import BytesIO

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.plain.models import Description, Project, Row
from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from tests.crowd.plain.describing import SHORT
from tests.crowd.plain.making import (
    add_sentences,
    answer_each,
    ask,
    asked_project,
    describe,
    make_project,
    open_batch,
)
from tests.factories import make_study
from tests.hits.calling import Notebook, notebook

pytestmark = pytest.mark.django_db
LOOK, ADD, CHANGE = "plain.view_project", "plain.add_project", "plain.change_project"


def keeper(study: Study) -> Notebook:
    return notebook(LOOK, ADD, CHANGE, sees=[study])


def test_project_is_set_up_once_and_its_settings_are_changed() -> None:
    study = make_study()
    held, body = keeper(study), {"study": str(study.public_id), "answers_wanted": 5}

    made, again = (held.post("plain/projects/", body) for _ in range(2))
    repeated = held.post("plain/projects/", body, **{"Idempotency-Key": "mine"})
    here = f"plain/projects/{made.json()['number']}/"
    changed, wrong = (held.patch(here, {"answers_wanted": wanted}) for wanted in (7, 0))
    moved = held.patch(here, {"study": str(make_study().public_id)})

    assert (made.status_code, made.json()["answers_wanted"]) == (201, 5)
    assert (again.status_code, again.json()["code"]) == (409, "there_already")
    assert (repeated.status_code, repeated.json()) == (200, made.json())
    assert (changed.status_code, changed.json()["answers_wanted"]) == (200, 7)
    assert (wrong.status_code, moved.status_code) == (400, 400)
    assert Project.objects.get().answers_wanted == 7
    assert LogEntry.objects.count() == 2


def test_project_is_set_up_only_for_a_study_that_one_sees() -> None:
    held = keeper(make_study())

    answer = held.post("plain/projects/", {"study": str(make_study().public_id)})

    assert (answer.status_code, Project.objects.count()) == (404, 0)


def test_settings_that_change_hold_for_rows_that_are_asked_already() -> None:
    project = asked_project("A")
    held = keeper(project.study)

    held.patch(f"plain/projects/{project.pk}/", {"answers_wanted": 9})

    (row,) = held.get("plain/rows/").json()["results"]
    assert row["answers_wanted"] == 9


def test_page_is_described_given_rows_and_asked() -> None:
    project = make_project()
    held, here = keeper(project.study), f"plain/projects/{project.pk}/"

    faulty = held.post(f"{here}describe/", {"text": "choice: natural"})
    early = held.post(f"{here}ask/")
    kept = held.post(f"{here}describe/", {"text": SHORT})
    added = held.upload(f"{here}rows/", _named(b"Sentence\nA\nB\n"))
    waiting = held.get("plain/rows/", is_asked="false").json()["results"]
    (page,) = held.get("plain/pages/").json()["results"]
    old = [
        held.post(f"{here}describe/", {"text": SHORT, "seen": ""}),
        held.post(f"{here}ask/", {"seen": 1}),
    ]
    kept_again = held.post(f"{here}describe/", {"text": SHORT, "seen": page["stamp"]})
    before = Row.objects.filter(item__isnull=False).count()
    asked = held.post(f"{here}ask/", {"seen": 2})

    assert ([answer.status_code for answer in old], kept_again.status_code, before) == ([409, 409], 200, 0)
    assert (faulty.status_code, bool(faulty.json()["problems"])) == (400, True)
    assert (early.status_code, early.json()["message"]) == (409, "No row waits.")
    assert (kept.status_code, added.json()["message"]) == (200, "Rows added: 2.")
    assert [row["item"] for row in waiting] == [None, None]
    assert (asked.status_code, Row.objects.filter(item__isnull=False).count()) == (200, 2)
    assert [row["cells"] for row in held.get("plain/rows/", is_asked="true").json()["results"]] == [
        {"sentence": "A"},
        {"sentence": "B"},
    ]


def test_waiting_rows_are_deleted_and_a_wrong_file_adds_none() -> None:
    project = make_project()
    describe(project)
    add_sentences(project, "A")
    held, here = keeper(project.study), f"plain/projects/{project.pk}/"

    wrong = held.upload(f"{here}rows/", _named(b"Words\nB\n"))
    dropped = held.post(f"{here}drop/")

    assert (wrong.status_code, dropped.status_code, Row.objects.count()) == (400, 200, 0)


def test_verbs_need_the_permission_and_the_scope() -> None:
    project = make_project()
    describe(project)
    add_sentences(project, "A")
    look = notebook(LOOK, sees=[project.study])
    unscoped = notebook(LOOK, CHANGE, sees=[project.study], scopes=[Scope.READ])
    stranger = notebook(LOOK, CHANGE)

    codes = [
        held.post(f"plain/projects/{project.pk}/ask/").status_code for held in (look, unscoped, stranger)
    ]

    assert (codes, Row.objects.filter(item__isnull=False).count()) == ([403, 403, 404], 0)


def test_page_tells_its_questions_and_what_people_have_said() -> None:
    project = asked_project("A", "B")
    batch = open_batch(project)
    for second in ("1", "2", "2"):
        answer_each(batch, [{"q1": "1"}, {"q1": second}])
    held = notebook(LOOK, sees=[project.study])
    page = held.get("plain/pages/", version="1").json()["results"][0]

    first, second = held.get(f"plain/pages/{page['number']}/results/").json()["results"]
    (agreement,) = held.get(f"plain/pages/{page['number']}/agreement/").json()

    assert (page["title"], page["columns"]) == ("Is it natural?", ["sentence"])
    assert [(one["name"], one["options"]) for one in page["questions"]] == [("natural", ["yes", "no"])]
    assert (first["row"], first["cells"]) == (1, {"sentence": "A"})
    assert [(one["leaders"], one["answers"]) for one in first["questions"]] == [(["yes"], 3)]
    assert second["questions"][0]["leaders"] == ["no"]
    assert second["questions"][0]["share"] == pytest.approx(2 / 3)
    assert (agreement["question"], agreement["compared"], agreement["equal"]) == (
        "natural",
        2,
        pytest.approx(2 / 3),
    )


def test_pages_and_rows_of_other_studies_are_not_there() -> None:
    asked_project("A")
    held = notebook(LOOK)
    page, row = Description.objects.get(), Row.objects.get()

    assert held.get("plain/rows/").json()["results"] == []
    for path in (f"plain/pages/{page.pk}/", f"plain/pages/{page.pk}/results/", f"plain/rows/{row.pk}/"):
        assert held.get(path).status_code == 404


@pytest.mark.parametrize("path", ["plain/projects/", "plain/pages/", "plain/rows/", "results"])
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    project = asked_project("A")
    held = notebook(LOOK, sees=[project.study])
    if path == "results":
        path = f"plain/pages/{Description.objects.get().pk}/results/"
    held.get(path)
    counts = []
    for number in range(2):
        add_sentences(project, *(f"{number} {one}" for one in range(5)))
        ask(project)
        other = asked_project("B")
        held.user.studies.add(other.study)
        with CaptureQueriesContext(connection) as queries:
            assert held.get(path).json()["results"]
        counts.append(len(queries))

    assert counts[0] == counts[1]


def _named(content: bytes) -> BytesIO:
    file = BytesIO(content)
    file.name = "rows.csv"
    return file
