"""The results in a researcher's browser: who sees them, what they say, and the files of models."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoground.models import Example, Project
from crowd.winoground.models.caption_scores import ModelScores
from hits.identity.roles import AUTHOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from tests.crowd.winoground.making_scores import (
    IMAGE_ONLY,
    RIGHT,
    TEXT_ONLY,
    WRONG,
    make_answered,
    make_example,
    make_model,
    make_project,
)
from tests.factories import make_study
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
HEAD = "example,c0_i0,c0_i1,c1_i0,c1_i1\n"
PAGES = ("results", "result_examples", "upload_scores", "scores_template", "take")


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


def send(client: Client, url: str, content: str, **values: str) -> Any:
    file = SimpleUploadedFile("scores.csv", content.encode())
    return client.post(url, {"about": "", **values, "file": file})


def test_results_before_anything_say_what_to_do(client: Client, project: Project) -> None:
    page = text_of(client.get(at("results", project)))

    assert "No example is scored yet." in page
    assert "By tag" not in page


def test_results_set_people_beside_models_and_chance(client: Client, project: Project) -> None:
    examples = make_answered(project, RIGHT, RIGHT, TEXT_ONLY, WRONG)
    make_example(project)
    make_model(project, {examples[0]: (1, 1, 0, 1)}, name="Small")

    page = text_of(client.get(at("results", project)))

    assert "1 example has fewer answers than the 10 that are wanted" in page
    assert row_of(page, "Chance").count("25.00 %") == 2
    assert "16.67 %" in row_of(page, "Chance")
    people = row_of(page, "People")
    assert people.startswith('<td class="number">4</td><td class="number">1</td>')
    assert people.count("75.00 %") == 1
    assert people.count("50.00 %") == 2
    assert people.count("above chance") == 3
    small = row_of(page, "Small")
    assert small.startswith('<td class="number">1</td><td class="number">4</td>')
    assert small.count("0.00 %") == 2 + 1  # 100.00 % by the text score


def test_results_over_the_examples_that_everybody_has(client: Client, project: Project) -> None:
    examples = make_answered(project, RIGHT, WRONG)
    make_model(project, {examples[0]: (1, 0, 0, 1)}, name="Small")

    page = text_of(client.get(at("results", project), {"over": "shared"}))

    assert row_of(page, "People").startswith('<td class="number">1</td><td class="number">0</td>')
    assert row_of(page, "People").count("100.00 %") == 3


def test_table_by_tag_is_sorted_and_of_whom_one_chooses(client: Client, project: Project) -> None:
    first, second = make_answered(project, RIGHT, WRONG)
    Example.objects.filter(pk=second.pk).update(swap="relation")
    model = make_model(project, {first: (0, 1, 1, 0), second: (1, 0, 0, 1)}, name="Small")

    def tags(**query: Any) -> list[str]:
        rows = client.get(at("results", project), query).context["parts"]
        return [row.part.name for row in rows if row.part.key.startswith("swap")]

    assert tags() == ["Object", "Relation"]
    assert tags(sort="-group") == ["Object", "Relation"]
    assert tags(sort="group") == ["Relation", "Object"]
    assert tags(sort="-group", of=model.pk) == ["Relation", "Object"]
    assert tags(sort="nonsense", of="nobody") == ["Object", "Relation"]


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


def test_examples_show_the_four_shares_or_a_models_scores(client: Client, project: Project) -> None:
    (example,) = make_answered(project, TEXT_ONLY)
    model = make_model(project, {example: (0.25, 0.5, 0.125, -1)}, name="Small")

    people = text_of(client.get(at("result_examples", project)))
    small = text_of(client.get(at("result_examples", project), {"of": model.pk}))

    for said in ("6 of 10", "8 of 10", "4 of 10", "9 of 10", "✓ right", "✗ wrong"):
        assert said in people
    for said in ("0.25", "0.5", "0.125", "-1"):
        assert f'<td class="number">{said}</td>' in small


def test_captions_are_shown_as_they_were_typed(client: Client, project: Project) -> None:
    make_example(project, caption_0="<b>bold</b> & more")

    page = text_of(client.get(at("result_examples", project)))

    assert "A: &lt;b&gt;bold&lt;/b&gt; &amp; more" in page


def test_upload_stands_beside_people_and_says_what_it_lacks(client: Client, project: Project) -> None:
    make_answered(project, RIGHT, WRONG)

    answer = send(client, at("upload_scores", project), HEAD + "1,1,0,0,1\n", name="Small")

    assert answer.url == at("results", project)
    page = text_of(client.get(answer.url))
    assert "The scores of Small for 1 example are counted." in page
    assert "The file says nothing of 1 further examples." in page
    assert row_of(page, "Small").count("100.00 %") == 3


def test_wrong_lines_are_listed_and_nothing_is_stored(client: Client, project: Project) -> None:
    make_answered(project, RIGHT)

    page = text_of(
        send(client, at("upload_scores", project), HEAD + "1,1,0,nan,1\n7,1,1,1,1\n", name="Small")
    )

    assert "Nothing was stored." in page
    assert "Line 2: c1_i0 is “nan”, which is not a finite number." in page
    assert "Line 3: there is no example “7”. Give its number or its id." in page
    assert 'value="Small"' in page
    assert not ModelScores.objects.exists()


def test_known_name_is_refused_and_replacing_asks_first(client: Client, project: Project) -> None:
    (example,) = make_answered(project, RIGHT)
    model = make_model(project, {example: (1, 0, 0, 1)}, name="Small")

    again = text_of(send(client, at("upload_scores", project), HEAD + "1,0,0,0,0\n", name="small"))
    asked = text_of(client.get(at("replace_scores", project, model.pk)))

    assert "There are scores of small already." in again
    assert "This replaces the scores of <strong>Small</strong> for 1 example," in asked
    assert model.rows.filter(value=1).count() == 2

    answer = send(client, at("replace_scores", project, model.pk), HEAD + "1,0,0,0,0\n")

    assert answer.url == at("results", project)
    assert model.rows.filter(value=0).count() == 4


def test_removing_asks_first(client: Client, project: Project) -> None:
    (example,) = make_answered(project, RIGHT)
    model = make_model(project, {example: (1, 0, 0, 1)}, name="Small")

    asked = text_of(client.get(at("remove_scores", project, model.pk)))
    assert "You remove the scores of <strong>Small</strong> for 1 example " in asked
    assert ModelScores.objects.exists()

    answer = client.post(at("remove_scores", project, model.pk))

    assert answer.url == at("results", project)  # type: ignore[attr-defined]
    assert not ModelScores.objects.exists()


def test_template_is_filled_in_and_comes_back(client: Client, project: Project) -> None:
    first, _ = make_answered(project, RIGHT, WRONG)
    Example.objects.filter(pk=first.pk).update(caption_0="=1+1, a “sum”")

    lines = body(client.get(at("scores_template", project))).splitlines()

    assert lines[0].endswith(",c0_i0,c0_i1,c1_i0,c1_i1")
    assert lines[1].startswith(f'{first.public_id},1,"\'=1+1, a “sum”",')
    filled = [lines[0], lines[1][: -len(",,,")] + "4,3,2,1", lines[2]]
    send(client, at("upload_scores", project), "\n".join(filled), name="Small")
    assert sorted(ModelScores.objects.get().rows.values_list("value", flat=True)) == [1, 2, 3, 4]


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
        (RESEARCHER, [200, 200, 200, 200, 200]),
        (REVIEWER, [200, 200, 403, 200, 403]),
        # An author would see other authors' examples.
        (AUTHOR, [403, 403, 403, 403, 403]),
        (PAYMENTS_PREPARER, [403, 403, 403, 403, 403]),
    ],
)
def test_who_may_look(client: Client, role: str, statuses: list[int]) -> None:
    project = make_project()
    sign_in(client, role, project.study)

    assert [client.get(at(name, project)).status_code for name in PAGES] == statuses


def test_results_of_a_study_that_one_does_not_see_are_not_there(client: Client) -> None:
    project = make_project()
    model = make_model(project, {make_example(project): (1, 0, 0, 1)})
    sign_in(client, RESEARCHER, make_study())

    statuses = [client.get(at(name, project)).status_code for name in PAGES]
    changes = [
        client.post(at("remove_scores", project, model.pk)).status_code,
        send(client, at("replace_scores", project, model.pk), HEAD).status_code,
        client.get(at("results_file", project, "scores")).status_code,
    ]

    assert {*statuses, *changes} == {404}
    assert ModelScores.objects.exists()


def test_model_of_another_study_is_not_there(client: Client, project: Project) -> None:
    other = make_project()
    model = make_model(other, {make_example(other): (1, 0, 0, 1)})

    assert client.post(at("remove_scores", project, model.pk)).status_code == 404
    assert ModelScores.objects.exists()


@pytest.mark.parametrize("name", ["results", "result_examples"])
def test_as_many_queries_for_any_number_of_rows(client: Client, project: Project, name: str) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(at(name, project))
        return len(captured)

    (example,) = make_answered(project, RIGHT, tags=("noun",))
    make_model(project, {example: (1, 0, 0, 1)}, name="first")
    queries()  # looks up what is kept for the life of a process
    before = queries()
    more = make_answered(project, RIGHT, WRONG, TEXT_ONLY, tags=("noun", "verb"))
    for number in range(3):
        make_model(project, dict.fromkeys(more, (1, 0, 0, 1)), name=f"further {number}")

    assert queries() == before


def test_hub_leads_to_the_results(client: Client, project: Project) -> None:
    page = text_of(client.get(at("project_change", project)))

    for name in ("results", "result_examples", "upload_scores", "take"):
        assert f'href="{at(name, project)}"' in page
