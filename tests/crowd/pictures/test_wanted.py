"""Concepts of an association list that still need a picture, and the import that brings pictures of them."""

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from crowd.pictures.bringing.import_lines import ConceptFrom
from crowd.pictures.models import Import, Picture
from crowd.pictures.queries.wanted_concepts import wanted_concepts
from crowd.pictures.services.picture_imports import Rights, begin_import, prepare_import
from crowd.pictures.services.picture_requests import fulfil_requests
from hits.core.errors import InvalidItems
from qualifications.models import SwowList
from qualifications.services.removing_lists import remove_leaving, remove_list
from tests.crowd.pictures.images import archive, make_raster, png
from tests.crowd.pictures.staff import KEEPER
from tests.factories import NOW, make_user
from tests.pages import text_of
from tests.people import sign_in_with
from tests.qualifications.lists import make_list

pytestmark = pytest.mark.django_db
PAGE = reverse("admin:pictures_wanted")
FILE = reverse("admin:pictures_wanted_file")
ADD = reverse("admin:pictures_import_add")
# Cue, response, how many people said it, and how many answers the file says there were.
ANSWERS = [
    ("owl", "night", 9, 0),
    ("owl", "bird", 30, 0),
    ("snow owl", "white", 20, 0),
    ("École", "book", 10, 0),
    ("volcano", "fire", 40, 0),
    ("ship", "sea", 5, 0),
    ("bitch", "dog", 8, 0),
    ("7", "eight", 8, 0),
]


@pytest.fixture
def swow() -> SwowList:
    return make_list(ANSWERS, name="swow-en")


@pytest.fixture
def keeper(client: Client) -> Client:
    sign_in_with(client, *KEEPER, "view_swowlist")
    return client


def words(swow: SwowList) -> list[str]:
    return [one.word for one in wanted_concepts(swow).concepts]


def shown(client: Client, query: str = "") -> list[str]:
    return [one.word for one, _ in client.get(PAGE + query).context["rows"]]


def plain(answer: Any) -> str:
    return " ".join(answer.text.split())


def prepare(content: bytes, swow: SwowList | None, **changes: Any) -> Import:
    values: dict[str, Any] = {
        "name": "owls.zip",
        "upload": BytesIO(content),
        "concept_from": ConceptFrom.FILE,
        "rights": Rights(),
        "is_checked": True,
        "swow": swow,
        "by": make_user(),
        "now": NOW,
    }
    return prepare_import(**{**values, **changes})


def test_concepts_without_a_fit_picture_are_wanted(swow: SwowList) -> None:
    make_raster(seed=1, concept="SNOW  Owl")
    for seed, status in enumerate(("waiting", "unfit"), start=2):
        picture = make_raster(seed=seed, concept="volcano")
        Picture.objects.filter(pk=picture.pk).update(status=status, unfit_reason="words")
    of_item = make_raster(seed=4, concept="ship")
    Picture.objects.filter(pk=of_item.pk).update(in_pool=False)

    found = wanted_concepts(swow)

    assert [(one.word, one.answers) for one in found.concepts] == [
        ("owl", 39),
        ("ship", 5),
        ("volcano", 40),
        ("école", 10),
    ]
    assert [dict(one.states) for one in found.concepts] == [{}, {}, {"waiting": 1, "unfit": 1}, {}]
    assert (found.pictured, found.impossible, found.total) == (1, 2, 5)


def test_a_picture_that_is_removed_makes_its_concept_wanted_again(swow: SwowList) -> None:
    picture = make_raster(concept="owl")
    before = words(swow)

    Picture.objects.filter(pk=picture.pk).update(status="removed", former_status="fit", removed_at=NOW)

    assert "owl" not in before
    assert "owl" in words(swow)


def test_an_import_brings_pictures_of_the_wanted_concepts_alone(swow: SwowList) -> None:
    make_raster(seed=9, concept="volcano")
    files = {"OWL-1.png": png(seed=1), "snow_owl.png": png(seed=2), "volcano.png": png(seed=3)}
    made = prepare(archive({**files, "teapot.png": png(seed=4)}), swow)
    before = words(swow)

    begin_import(importing=made, now=NOW)
    coming = {one.word: one.coming for one in wanted_concepts(swow).concepts if one.coming}
    fulfil_requests(now=NOW)

    assert (made.unwanted_lines, made.empty_lines, made.swow) == (2, 0, swow)
    assert coming == {"owl": 1, "snow owl": 1}
    assert set(before) - set(words(swow)) == {"owl", "snow owl"}
    assert set(Picture.objects.values_list("concept", flat=True)) == {"owl", "snow owl", "volcano"}


def test_an_import_that_has_not_begun_brings_nothing_yet(swow: SwowList) -> None:
    prepare(archive({"owl.png": png()}), swow)

    assert not any(one.coming for one in wanted_concepts(swow).concepts)


def test_a_file_without_a_wanted_concept_is_refused_with_the_counts(swow: SwowList) -> None:
    with pytest.raises(InvalidItems, match=r"No line brings .* swow-en .*: 1 are about other words"):
        prepare(archive({"teapot.png": png()}), swow)

    assert not Import.objects.exists()


def test_a_list_without_pictures_is_wrong_where_no_concepts_are_asked_for() -> None:
    content = b"concept,url\nowl,https://example.org/owl.jpg\nship,\n"

    with pytest.raises(InvalidItems) as refused:
        prepare(content, None)

    assert refused.value.problems == ["Line 3: it needs a file or a url, and not both."]


def test_the_file_of_the_page_is_filled_in_and_comes_back_as_an_import(
    keeper: Client, swow: SwowList, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crowd.pictures.services.picture_requests.fetch", lambda url: png(seed=len(url)))
    text = b"".join(keeper.get(f"{FILE}?list={swow.pk}&o=answers")).decode("utf-8-sig")
    rows = list(csv.DictReader(StringIO(text)))
    for row in rows:
        row["url"] = "https://example.org/owl.jpg" if row["concept"] == "owl" else ""
    out = StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)

    given = SimpleUploadedFile("wanted.csv", out.getvalue().encode())
    keeper.post(ADD, {"file": given, "concept_from": "file", "swow": swow.pk, "is_checked": "on"})
    made = Import.objects.get()
    draft = plain(keeper.get(reverse("admin:pictures_import_change", args=[made.pk])))
    keeper.post(reverse("admin:pictures_import_begin", args=[made.pk]))
    fulfil_requests(now=timezone.now())

    assert [row["concept"] for row in rows] == ["volcano", "owl", "snow owl", "école", "ship"]
    assert [row["answers"] for row in rows] == ["40", "39", "20", "10", "5"]
    assert "<strong>1 picture</strong> would be imported." in draft
    assert "For concepts of the association list swow-en that still need a picture." in draft
    assert "4 lines name no picture." in draft
    assert f"{PAGE}?list={swow.pk}" in draft
    assert list(Picture.objects.values_list("concept", "status")) == [("owl", "fit")]
    assert shown(keeper) == ["ship", "snow owl", "volcano", "école"]


def test_page_searches_sorts_and_counts(keeper: Client, swow: SwowList) -> None:
    make_raster(seed=1, concept="volcano", is_checked=False)
    ship = make_raster(seed=2, concept="ship")
    Picture.objects.filter(pk=ship.pk).update(status="unfit", unfit_reason="quality")
    make_raster(seed=3, concept="snow owl")

    page = plain(keeper.get(PAGE))

    assert shown(keeper) == ["owl", "ship", "volcano", "école"]
    assert shown(keeper, "?o=answers") == ["volcano", "owl", "école", "ship"]
    assert shown(keeper, "?q=OL") == ["volcano", "école"]
    assert shown(keeper, "?which=nothing") == ["owl", "école"]
    assert shown(keeper, "?which=awaited") == ["volcano"]
    assert shown(keeper, "?which=lost") == ["ship"]
    assert shown(keeper, "?which=x&o=x&page=9") == ["owl", "ship", "volcano", "école"]
    assert "<dt>Still need a picture</dt><dd>4</dd>" in page
    assert "<dt>Have a fit one</dt><dd>1</dd>" in page
    assert "2 more cues can have no picture" in page
    assert "1 waits for the check" in page
    assert f"{ADD}?swow={swow.pk}" in page
    assert "No concept fits the search." in plain(keeper.get(f"{PAGE}?q=zebra"))


def test_page_of_another_list_and_of_none(keeper: Client) -> None:
    nothing = plain(keeper.get(PAGE))
    missing = keeper.get(FILE).status_code
    make_list([("owl", "bird", 3, 0)], name="a")
    second = make_list([("ship", "sea", 3, 0)], name="b")
    make_list([("tea", "pot", 3, 0)], name="c", status="importing", imported_at=None)

    assert "No association list yet" in nothing
    assert missing == 404
    assert shown(keeper) == ["owl"]
    assert shown(keeper, f"?list={second.pk}") == ["ship"]
    assert [keeper.get(f"{PAGE}?list={given}").status_code for given in ("x", "999", "9" * 40)] == [404] * 3


def test_a_list_that_wants_nothing_more_says_so(keeper: Client) -> None:
    make_list([("owl", "bird", 3, 0)], name="small")
    make_raster(concept="owl")

    assert "Every concept of small has a fit picture." in plain(keeper.get(PAGE))


def test_the_import_page_offers_the_list_that_the_link_names(keeper: Client, swow: SwowList) -> None:
    page = text_of(keeper.get(f"{ADD}?swow={swow.pk}"))

    assert f'<option value="{swow.pk}" selected>swow-en</option>' in page


@pytest.mark.parametrize("address", [PAGE, FILE])
def test_pages_ask_for_both_permissions(client: Client, swow: SwowList, address: str) -> None:
    answers = []
    for permissions in (["view_picture"], ["view_swowlist"], ["view_picture", "view_swowlist"]):
        sign_in_with(client, *permissions)
        answers.append(client.get(address))

    assert [answer.status_code for answer in answers] == [403, 403, 200]
    assert ADD not in ("" if answers[2].streaming else answers[2].text)


def test_page_asks_as_little_of_a_long_list(keeper: Client) -> None:
    def count(swow: SwowList) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert keeper.get(f"{PAGE}?list={swow.pk}").status_code == 200
        return len(queries)

    short = make_list([("owl", "bird", 3, 0)])
    # Letters alone: a number in a word is none of its letters.
    long = make_list([("x" * length, "bird", 3, 0) for length in range(1, 60)])
    make_raster(concept="owl")
    count(short)

    assert count(short) == count(long) <= 8


def test_the_command_fills_a_list_and_says_what_it_left_out(swow: SwowList, tmp_path: Path) -> None:
    (tmp_path / "owl.png").write_bytes(png(seed=1))
    (tmp_path / "teapot.png").write_bytes(png(seed=2))
    (tmp_path / "list.csv").write_text("concept,file,answers\nOwl,owl.png,39\nteapot,teapot.png,1\nship,,5\n")
    out = StringIO()

    call_command("import_pictures", str(tmp_path), "--for-list", "swow-en", "--checked", stdout=out)

    said = json.loads(out.getvalue())
    assert {**said, "seconds": 0} == {
        "added": 1, "duplicates": 0, "unwanted": 1, "empty": 1, "failed": 0, "seconds": 0
    }  # fmt: skip
    assert list(Picture.objects.values_list("concept", flat=True)) == ["owl"]


def test_the_command_names_the_lists_that_there_are(swow: SwowList, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no association list nowhere .* There are: swow-en\."):
        call_command("import_pictures", str(tmp_path), "--for-list", "nowhere")


def test_a_list_that_is_removed_leaves_its_imports(swow: SwowList) -> None:
    made = prepare(archive({"owl.png": png()}), swow)

    remove_list(swow=swow, by=make_user(), now=NOW)
    remove_leaving()

    made.refresh_from_db()
    assert made.swow is None
    assert made.requests.count() == 1
