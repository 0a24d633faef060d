"""The researchers' pages, from the description to the majorities, over HTTP."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project, Row
from crowd.plain.queries.described_pages import described
from crowd.plain.queries.ready import ready_descriptions
from crowd.plain.services.page_descriptions import stamp_of
from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER
from hits.studies.models import Batch
from hits.work.models.items import Item
from tests.crowd.plain import pages
from tests.crowd.plain.describing import ALONE, SHORT
from tests.crowd.plain.making import (
    add_sentences,
    answer_each,
    asked_project,
    describe,
    make_project,
    open_batch,
)
from tests.factories import NOW, make_account, make_study
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
PAGES = ("settings", "describe", "look", "rows", "upload", "example", "results", "take")
YES, NO = {"q1": "1"}, {"q1": "2"}
MANY = "title: T\nsay: {{ sentence }}\nchoices: faults\nask: Faults?\n- a\n- b\n"


@pytest.fixture
def project(client: Client) -> Project:
    made = make_project()
    sign_in(client, RESEARCHER, made.study)
    return made


def address(project: Project, name: str, *more: str | int) -> str:
    return reverse(f"admin:plain_{name}", args=[project.pk, *more])


def keep(client: Client, project: Project, text: str, **more: str) -> Any:
    seen = stamp_of(described(project))
    return client.post(address(project, "describe"), {"text": text, "seen": seen, **more})


def test_way_from_a_study_to_majorities(client: Client) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    set_up = client.post(reverse("admin:plain_project_add"), {"study": study.pk, "answers_wanted": 2})
    project = Project.objects.get(study=study)
    keep(client, project, SHORT)
    file = SimpleUploadedFile("rows.csv", b"Sentence\nThe cat sat.\nSat cat the.\n")
    client.post(address(project, "upload"), {"file": file})
    asking = client.get(address(project, "do", "ask"))
    client.post(address(project, "do", "ask"), {"seen": "2", "confirmed": "yes"})
    batch = open_batch(project)
    for _ in range(2):
        answer_each(batch, [YES, NO])
    results = text_of(client.get(address(project, "results")))

    assert set_up.status_code == 302
    assert "Rows: 2. Different people for each: 2. Answers wanted: 4." in text_of(asking)
    assert Item.objects.filter(task=ASK, study=study, wanted=0).count() == 2
    assert "<td>The cat sat.</td><td>yes<br><small>100 % of 2</small></td>" in results
    assert '<td class="number">100.0 %</td><td class="number">1.000</td>' in results


def test_draft_of_a_batch_begins_on_the_hub(client: Client) -> None:
    project = asked_project("A", "B")
    sign_in(client, RESEARCHER, project.study)
    account = make_account()

    client.post(address(project, "draft", ASK), {"account": account.pk})

    batch = Batch.objects.get()
    assert (batch.task, batch.status, batch.hits_wanted) == (ASK, "draft", 2)
    assert (batch.title, batch.estimated_s) == ("Is it natural?", 25)


@pytest.mark.parametrize("name", PAGES)
def test_pages_show_with_and_without_rows(client: Client, project: Project, name: str) -> None:
    empty = client.get(address(project, name))
    describe(project)
    add_sentences(project, "A <b>{{ c }}")
    ready = client.get(address(project, name))

    assert empty.status_code == (404 if name in ("look", "take") else 200)
    assert ready.status_code == (404 if name == "take" else 200)
    if name in ("look", "rows"):
        assert "A &lt;b&gt;{{ c }}" in text_of(ready)


def test_bad_page_is_shown_again_with_every_fault(client: Client, project: Project) -> None:
    refused = keep(client, project, "title: T\nfoo: <i>\n")

    text = text_of(refused)
    assert 'data-line="2">Line 2: “foo” is no word of a description.' in text
    assert "foo: &lt;i&gt;" in text
    assert not Description.objects.exists()


def test_preview_of_nothing_blames_nobody(client: Client, project: Project) -> None:
    shown = client.post(address(project, "preview"), {"text": " \n"})

    text = text_of(shown)
    assert "What you write is shown here" in text
    assert "data-line" not in text


def test_preview_shows_what_is_typed_and_keeps_nothing(client: Client, project: Project) -> None:
    shown = client.post(address(project, "preview"), {"text": f"{SHORT}bar: x\n"})
    button = keep(client, project, SHORT, preview="yes")

    text = shown.content.decode()
    assert "[sentence]" in text
    assert text.count('type="radio"') == 2
    assert "Line 7: “bar” is no word of a description." in text
    assert button.status_code == 200
    assert not Description.objects.exists()
    assert client.get(address(project, "preview")).status_code == 405


def test_page_that_somebody_else_kept_is_not_overwritten(client: Client, project: Project) -> None:
    describe(project)

    refused = client.post(address(project, "describe"), {"text": ALONE, "seen": "other"})

    assert "Another page was kept meanwhile" in text_of(refused)
    assert Description.objects.get().text == SHORT


@pytest.mark.parametrize("name", ready_descriptions())
def test_ready_description_can_be_kept_as_it_is(client: Client, project: Project, name: str) -> None:
    page = client.get(address(project, "describe"), {"ready": name})

    keep(client, project, page.context["text"])

    assert Description.objects.get().text.strip() == ready_descriptions()[name].strip()


def test_bad_rows_are_told_by_line(client: Client, project: Project) -> None:
    describe(project)

    refused = client.post(
        address(project, "upload"), {"file": SimpleUploadedFile("rows.csv", b"sentence,id\nA,1\n,2\n")}
    )

    assert "Line 3: sentence must not be empty." in text_of(refused)
    assert not Row.objects.exists()


def test_file_to_fill_in_can_be_uploaded(client: Client, project: Project) -> None:
    describe(project)
    example = client.get(address(project, "example")).content

    client.post(address(project, "upload"), {"file": SimpleUploadedFile("rows.csv", example)})

    assert Row.objects.get().cells == {"sentence": "a sentence"}


def test_rows_that_were_not_seen_are_not_asked(client: Client, project: Project) -> None:
    describe(project)
    add_sentences(project, "A", "B")

    refused = client.post(address(project, "do", "ask"), {"seen": "1", "confirmed": "yes"}, follow=True)

    assert "Rows were added or deleted meanwhile" in text_of(refused)
    assert not Item.objects.exists()


def test_waiting_rows_are_taken_away_after_a_question(client: Client, project: Project) -> None:
    describe(project)
    add_sentences(project, "A")

    assert client.get(address(project, "do", "drop")).status_code == 200
    assert Row.objects.exists()
    client.post(address(project, "do", "drop"), {"confirmed": "yes"})

    assert not Row.objects.exists()


def test_more_people_are_wanted_from_the_settings(client: Client) -> None:
    project = asked_project("A", answers_wanted=2)
    sign_in(client, RESEARCHER, project.study)

    client.post(address(project, "settings"), {"answers_wanted": "5"})

    assert Item.objects.get().wanted == 5


def test_results_say_of_how_many_also_where_each_option_is_counted(client: Client) -> None:
    project = asked_project("A", text=MANY)
    sign_in(client, RESEARCHER, project.study)
    answer_each(open_batch(project), [{"q1": "1"}])

    results = text_of(client.get(address(project, "results")))

    assert "<td>a<br><small>of 1</small></td>" in results


def test_results_show_each_version_by_itself(client: Client) -> None:
    project = asked_project("A")
    sign_in(client, RESEARCHER, project.study)
    keep(client, project, ALONE)
    client.post(address(project, "do", "ask"), {"seen": "1", "confirmed": "yes"})

    newest = client.get(address(project, "results"))
    first = client.get(address(project, "results_of", "1"))

    assert "How was it? (version 2)" in text_of(newest)
    assert "Is it natural? (version 1)" in text_of(first)
    assert client.get(address(project, "results_of", "3")).status_code == 404


def test_tables_are_to_be_had_as_files(client: Client) -> None:
    project = asked_project("A", "B", answers_wanted=2)
    sign_in(client, RESEARCHER, project.study)
    batch = open_batch(project)
    for said in (YES, NO):
        answer_each(batch, [said, YES])

    agreement = client.get(address(project, "results_json", "agreement")).json()
    counts = b"".join(client.get(address(project, "results_file_of", "1", "counts"))).decode()

    assert [(one["name"], one["answers"], one["tied"], one["equal_pairs"]) for one in agreement] == [
        ("natural", 4, 1, 0.5)
    ]
    assert counts.splitlines()[1:] == ["natural,yes,3,75.0 %", "natural,no,1,25.0 %"]


@pytest.mark.parametrize("role", [REVIEWER, OPERATOR])
def test_whoever_may_only_look_changes_nothing(client: Client, role: str) -> None:
    project = asked_project("A")
    sign_in(client, role, project.study)

    statuses = {name: client.get(address(project, name)).status_code for name in PAGES}

    may_change = role == OPERATOR
    assert [name for name, status in statuses.items() if status == 403] == (
        [] if may_change else ["settings", "describe", "upload", "take"]
    )


def test_pages_of_other_studies_are_not_there(client: Client) -> None:
    project = asked_project("A")
    sign_in(client, RESEARCHER, make_study())

    assert {client.get(address(project, name)).status_code for name in PAGES} == {404}


def test_queries_of_the_pages_do_not_grow_with_the_rows(client: Client) -> None:
    counts = []
    for count in (3, 9):
        study = make_study()
        sign_in(client, RESEARCHER, study)
        pages.fill(study, works=(), count=count, now=NOW)
        counts.append({name: _queries(client, url) for name, url in pages.pages()})

    assert counts[0] == counts[1]


def _queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)
