"""Heat maps of words: asked on demand, drawn over the picture, and told in words."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.models import Result
from crowd.winoground.models import Example
from hits.identity.roles import RESEARCHER, REVIEWER
from scoring.models.model_questions import ModelQuestion
from scoring.rivals.interface import Picture, WordRegions
from scoring.services.answering_questions import answer_questions
from tests.crowd.benchmarks.making import asked, make_benchmark, rival_for
from tests.factories import make_study
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import FakeCross, FakeRival, use_fakes

pytestmark = pytest.mark.django_db
# A word at the top left and one that is all over the bottom.
MAPS = [
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 1.0, 0.5]],
]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


@pytest.fixture
def result(monkeypatch: pytest.MonkeyPatch) -> Result:
    """The answers of a model that maps two words of each text, whatever it is shown."""

    def regions(self: FakeCross, text: str, picture: Picture) -> WordRegions:
        assert picture.path
        return WordRegions(words=text.split()[:2], maps=MAPS)

    monkeypatch.setattr(FakeCross, "word_regions", regions)
    return asked(make_benchmark("winoground"), rival_for("winoground"))


def at(result: Result, item: object, pair: str = "") -> str:
    address = reverse("admin:benchmarks_regions", args=[result.pk])
    return f"{address}?item={item}{f'&pair={pair}' if pair else ''}"


def first_example() -> Example:
    return Example.objects.earliest("number")


def test_a_model_is_asked_on_demand_and_its_maps_stand_over_the_picture(
    client: Client, result: Result
) -> None:
    example = first_example()
    address = at(result, example.public_id)
    sign_in(client, RESEARCHER, result.benchmark.release.study)
    listed = text_of(client.get(reverse("admin:benchmarks_items", args=[result.pk])))
    before = text_of(client.get(address))
    none_yet = ModelQuestion.objects.filter(kind="regions").count()

    client.post(address)
    waiting = text_of(client.get(address))
    answer_questions()
    page = text_of(client.get(at(result, example.public_id, "3")))

    assert f"?item={example.public_id}" in listed
    assert ("Ask it" in before, none_yet) == (True, 0)
    assert "Being answered." in waiting
    assert ModelQuestion.objects.filter(kind="regions", status="answered").count() == 4
    assert example.image_1 is not None
    assert f'<image href="{reverse("admin:pictures_picture_file", args=[example.image_1.pk])}"' in page
    assert 'aria-label="a: most of it top left, 100 %"' in page
    assert '<th scope="row">boat</th><td>bottom center</td><td class="number">50 %</td>' in page
    assert page.count("<rect ") == 2 * 9
    assert "style=" not in page.partition("<main")[2]
    assert f'<strong aria-current="page">“{example.caption_1}” on picture 2</strong>' in page


def test_a_model_that_cannot_say_so_says_why(client: Client) -> None:
    result = asked(make_benchmark("winoground"), rival_for("winoground"))
    address = at(result, first_example().public_id)
    sign_in(client, RESEARCHER, result.benchmark.release.study)

    client.post(address)
    answer_questions()

    assert "model cannot say which words meet which regions of a picture." in text_of(client.get(address))


def test_only_those_who_may_ask_models_ask(client: Client, result: Result) -> None:
    address = at(result, first_example().public_id)
    sign_in(client, REVIEWER, result.benchmark.release.study)
    seen, refused = client.get(address), client.post(address)
    sign_in(client, RESEARCHER, make_study())
    elsewhere = client.get(address)

    assert (seen.status_code, refused.status_code, elsewhere.status_code) == (200, 403, 404)
    assert not ModelQuestion.objects.filter(kind="regions").exists()


@pytest.mark.parametrize("item", ["", "nothing"])
def test_an_item_that_is_not_there_is_not_found(client: Client, result: Result, item: str) -> None:
    sign_in(client, RESEARCHER, result.benchmark.release.study)

    assert client.get(at(result, item)).status_code == 404


def test_programs_ask_and_are_told(result: Result) -> None:
    held = notebook(
        "releases.view_release", "benchmarks.view_result", "benchmarks.add_result",
        sees=[result.benchmark.release.study],
    )  # fmt: skip
    body: dict[str, Any] = {"item": str(first_example().public_id)}

    first = held.post(f"benchmark-results/{result.public_id}/regions/", body)
    answer_questions()
    second = held.post(f"benchmark-results/{result.public_id}/regions/", body)

    assert [one["status"] for one in first.json()] == ["waiting"] * 4, first.content
    told = second.json()
    assert [one["status"] for one in told] == ["answered"] * 4
    assert told[0]["maps"] == {"words": first_example().caption_0.split()[:2], "maps": MAPS}
    assert told[0]["picture"] == told[2]["picture"] != told[1]["picture"]
