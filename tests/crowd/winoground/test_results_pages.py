"""The results in a researcher's browser: who sees them, what they say, and the way to models beside them."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.benchmarks.models import EarlierAnswers
from crowd.winoground.models import Example, Project
from hits.identity.roles import AUTHOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from tests.crowd.releases.studies import release_of
from tests.crowd.winoground.making_scores import (
    IMAGE_ONLY,
    RIGHT,
    TEXT_ONLY,
    WRONG,
    make_answered,
    make_example,
    make_project,
)
from tests.factories import NOW, make_study
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
PAGES = ("results", "result_examples", "take")


@pytest.fixture
def project(client: Client) -> Project:
    """A project in a study of the researcher who is signed in."""
    made = make_project(study=make_study(name="Ours"))
    sign_in(client, RESEARCHER, made.study)
    return made


def at(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:winoground_{name}", args=[project.pk, *more])


def body(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def row_of(page: str, name: str) -> str:
    """Cells of the first table row with this heading."""
    return page.split(f'<th scope="row">{name}</th>')[1].partition("</tr>")[0]


def test_results_before_anything_say_what_to_do(client: Client, project: Project) -> None:
    page = text_of(client.get(at("results", project)))

    assert "No example is scored yet." in page
    assert "By tag" not in page


def test_results_set_people_beside_chance(client: Client, project: Project) -> None:
    make_answered(project, RIGHT, RIGHT, TEXT_ONLY, WRONG)
    make_example(project)

    page = text_of(client.get(at("results", project)))

    assert "1 example has fewer answers than the 10 that are wanted" in page
    assert row_of(page, "Chance").count("25.00 %") == 2
    assert "16.67 %" in row_of(page, "Chance")
    people = row_of(page, "People")
    assert people.startswith('<td class="number">4</td><td class="number">1</td>')
    assert people.count("75.00 %") == 1
    assert people.count("50.00 %") == 2
    assert people.count("above chance") == 3


def test_results_lead_to_models_on_a_release(client: Client, project: Project) -> None:
    make_answered(project, RIGHT, WRONG)
    make_url = reverse("admin:releases_make", args=[project.study.pk, "winoground"])

    before = text_of(client.get(at("results", project)))
    release = release_of(project.study, "winoground")
    after = text_of(client.get(at("results", project)))

    assert "There is no release yet." in before
    assert f'href="{make_url}"' in before
    assert "There is no release yet." not in after
    address = reverse("admin:benchmarks_open", args=[release.pk, "captions"])
    assert f'<a href="{address}">Match captions and images</a> on {release}' in after


def test_results_name_models_that_were_uploaded_before(client: Client, project: Project) -> None:
    EarlierAnswers.objects.create(
        study=project.study, family="winoground", task="captions", name="<ViLT>", answers={}, added_at=NOW
    )
    EarlierAnswers.objects.create(
        study=make_study(), family="winoground", task="captions", name="Theirs", answers={}, added_at=NOW
    )

    page = text_of(client.get(at("results", project)))

    assert "1 model was uploaded before:</strong> &lt;ViLT&gt;." in page
    assert "Theirs" not in page


def test_table_by_tag_is_sorted(client: Client, project: Project) -> None:
    _, second = make_answered(project, RIGHT, WRONG)
    Example.objects.filter(pk=second.pk).update(swap="relation")

    def tags(**query: Any) -> list[str]:
        rows = client.get(at("results", project), query).context["parts"]
        return [row.part.name for row in rows if row.part.key.startswith("swap")]

    assert tags() == ["Object", "Relation"]
    assert tags(sort="-group") == ["Object", "Relation"]
    assert tags(sort="group") == ["Relation", "Object"]
    assert tags(sort="nonsense") == ["Object", "Relation"]


def test_fine_tag_leads_to_its_examples(client: Client, project: Project) -> None:
    make_answered(project, RIGHT, WRONG)
    tagged = make_example(project, tags=("noun & verb",))

    page = client.get(at("result_examples", project), {"part": "tag-noun & verb"})

    assert [row.line.number for row in page.context["page"]] == [tagged.number]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"sort": "-number"}, [5, 4, 3, 2, 1]),
        ({"sort": "margin"}, [2, 3, 4, 1, 5]),
        ({"show": "wrong"}, [2, 3, 4]),
        ({"show": "text"}, [3, 4]),
        ({"show": "image"}, [2, 4]),
        ({"show": "right"}, [1]),
        ({"show": "open"}, [5]),
        ({"show": "few"}, [5]),
        ({"q": "OWL"}, [2]),
        ({"q": "3"}, [3]),
        ({"q": "owl boat"}, []),
        ({"part": "swap-object", "show": "right"}, [1]),
        ({"page": "99"}, [1, 2, 3, 4, 5]),
    ],
)
def test_examples_are_found_by_what_people_get_wrong(
    client: Client, project: Project, query: dict[str, str], numbers: list[int]
) -> None:
    _, owl, *_ = make_answered(project, RIGHT, TEXT_ONLY, IMAGE_ONLY, WRONG)
    Example.objects.filter(pk=owl.pk).update(caption_0="an owl", caption_1="owl an")
    make_example(project)

    page = client.get(at("result_examples", project), query)

    assert [row.line.number for row in page.context["page"]] == numbers


def test_examples_show_the_four_shares(client: Client, project: Project) -> None:
    make_answered(project, TEXT_ONLY)

    people = text_of(client.get(at("result_examples", project)))

    for said in ("6 of 10", "8 of 10", "4 of 10", "9 of 10", "✓ right", "✗ wrong"):
        assert said in people


def test_captions_are_shown_as_they_were_typed(client: Client, project: Project) -> None:
    make_example(project, caption_0="<b>bold</b> & more")

    page = text_of(client.get(at("result_examples", project)))

    assert "A: &lt;b&gt;bold&lt;/b&gt; &amp; more" in page


def test_files_hold_every_number(client: Client, project: Project) -> None:
    make_answered(project, RIGHT, RIGHT, TEXT_ONLY, WRONG)

    scores = body(client.get(at("results_file", project, "scores"))).splitlines()
    related = body(client.get(at("results_file", project, "correlations"))).splitlines()

    assert scores[0] == (
        "scores of,tag of,tag,examples,open,text right,text %,text % low,text % high,image right,image %,"
        "image % low,image % high,group right,group %,group % low,group % high"
    )
    assert scores[1] == "People,All,All,4,0,3,75,0,100,2,50,0,100,2,50,0,100"
    assert "People,What is swapped,Relation,0,0,0,,,,0,,,,0,,," in scores
    assert related == [
        "scores of,score,examples,r,p", "People,text,4,,", "People,image,4,,", "People,group,4,,",
    ]  # fmt: skip
    assert client.get(at("results_file", project, "other")).status_code == 404


@pytest.mark.parametrize(
    ("role", "statuses"),
    [
        (RESEARCHER, [200, 200, 200]),
        (REVIEWER, [200, 200, 403]),
        # An author would see other authors' examples.
        (AUTHOR, [403, 403, 403]),
        (PAYMENTS_PREPARER, [403, 403, 403]),
    ],
)
def test_who_may_look(client: Client, role: str, statuses: list[int]) -> None:
    project = make_project()
    sign_in(client, role, project.study)

    assert [client.get(at(name, project)).status_code for name in PAGES] == statuses


def test_results_of_a_study_that_one_does_not_see_are_not_there(client: Client) -> None:
    project = make_project()
    make_example(project)
    sign_in(client, RESEARCHER, make_study())

    statuses = [client.get(at(name, project)).status_code for name in PAGES]

    assert {*statuses, client.get(at("results_file", project, "scores")).status_code} == {404}


@pytest.mark.parametrize("name", ["results", "result_examples"])
def test_as_many_queries_for_any_number_of_rows(client: Client, project: Project, name: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(at(name, project))
        return len(captured)

    make_answered(project, RIGHT, tags=("noun",))
    queries()  # looks up what is kept for the life of a process
    before = queries()
    make_answered(project, RIGHT, WRONG, TEXT_ONLY, tags=("noun", "verb"))

    assert queries() == before


def test_hub_leads_to_the_results(client: Client, project: Project) -> None:
    page = text_of(client.get(at("project_change", project)))

    for name in ("results", "result_examples", "take"):
        assert f'href="{at(name, project)}"' in page
