"""Models' scores of detailed and underspecified captions: a file is read whole or not at all, and counted."""

import json
from collections.abc import Sequence
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.models import Annotation, Image, MatchingRow, MatchingScores, Project
from crowd.whoops.results.queries.matching_results import results
from crowd.whoops.results.services.matching_scores import MATCHING
from hits.core.errors import InvalidItems, RuleBroken
from hits.data.services.model_results import add_results, remove_results, replace_results
from tests.crowd.whoops.making_results import annotate, make_results, visit
from tests.factories import NOW, make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db
QUOTED = "Put a field that holds the separator into quotation marks."
ADD, REMOVE = "whoops.add_matchingscores", "whoops.delete_matchingscores"


def make_pairs() -> tuple[Project, list[Annotation]]:
    """Make two annotations of one image and one of another."""
    project, (first, second) = make_results(images=2)
    return project, [annotate(first, 1), annotate(first, 2), annotate(second, 3)]


def csv_of(pairs: Sequence[Annotation], values: Sequence[tuple[object, object]]) -> str:
    lines = [f"{pair.pk},{detailed},{under}" for pair, (detailed, under) in zip(pairs, values, strict=True)]
    return "\n".join(["annotation,detailed,underspecified", *lines])


def add(project: Project, text: str, *, name: str = "model") -> MatchingScores:
    return add_results(
        MATCHING, of=project, name=name, about="", file=BytesIO(text.encode()), by=make_user(), now=NOW
    ).made


def address(project: Project, name: str, *more: object) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk, *more])


def problems_of(project: Project, text: str) -> list[str]:
    with pytest.raises(InvalidItems) as refused:
        add(project, text)
    assert not MatchingScores.objects.exists()
    return refused.value.problems


def test_scores_are_counted_by_pair_and_by_image() -> None:
    project, pairs = make_pairs()

    add(project, csv_of(pairs, [(0.9, 0.1), (0.5, 0.5), (-1e3, 2)]))

    (result,) = results(project)
    assert result.found.pairs == Share(right=1, of=3)
    assert str(result.found.mean_of_images) == "1/4"
    assert result.lacking == 0


def test_json_lines_of_the_template_come_back() -> None:
    project, pairs = make_pairs()
    lines = [
        json.dumps({"image": 1, "annotation": pair.pk, "detailed": 0.75, "underspecified": 0.25})
        for pair in pairs[:2]
    ]
    left_out = json.dumps({"annotation": pairs[2].pk, "detailed": None, "underspecified": None})

    add(project, "\n".join([*lines, left_out]))

    (result,) = results(project)
    assert (result.found.pairs, result.lacking) == (Share(right=2, of=2), 1)


def test_every_wrong_line_is_named_and_nothing_is_kept() -> None:
    project, pairs = make_pairs()
    dropped = annotate(pairs[0].image, 4, state=Annotation.State.DROPPED)
    lines = [
        "annotation,detailed,underspecified",
        f"{pairs[0].pk},0.5,0.4",
        f"{pairs[0].pk},0.5,0.4",
        "999999,0.5,0.4",
        f"{dropped.pk},0.5,0.4",
        f"{pairs[1].pk},nan,0.4",
        f"{pairs[1].pk},0.5,",
        f"{pairs[2].pk},1_0,0.4",
        f"{pairs[2].pk},0.5",
    ]

    found = problems_of(project, "\n".join(lines))

    assert found == [
        f"Line 3: annotation {pairs[0].pk} is in line 2 already.",
        "Line 4: there is no annotation “999999”. Take the numbers from the template.",
        f"Line 5: annotation {dropped.pk} does not count. Take the row out.",
        "Line 6: detailed is “nan”, which is not a finite number.",
        "Line 7: give both detailed and underspecified, or none of them.",
        "Line 8: detailed is “1_0”, which is not a finite number.",
        f"Line 9: it has 2 fields, and the heading 3. {QUOTED}",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The file is empty."),
        ("detailed,underspecified\n1,2", "The first line names the columns annotation, detailed and"),
        (
            '{"annotation": 1, "detailed": [1], "underspecified": 2}',
            "Line 1: detailed is “[1]”, which is not a finite number.",
        ),
        ('{"annotation": 1', "Line 1: this is not a JSON object on one line."),
        ("annotation,detailed,underspecified\n1,,", "The file has no scores."),
    ],
    ids=["empty", "heading", "list", "json", "no scores"],
)
def test_file_that_cannot_be_read_is_refused(text: str, words: str) -> None:
    project, _ = make_pairs()

    assert any(one.startswith(words) for one in problems_of(project, text))


def test_annotation_of_another_study_is_not_known() -> None:
    project, _ = make_pairs()
    _, others = make_pairs()

    (problem,) = problems_of(project, csv_of(others[:1], [(1, 0)]))[:1]

    assert "there is no annotation" in problem


def test_name_is_used_once() -> None:
    project, pairs = make_pairs()
    text = csv_of(pairs, [(1, 0)] * 3)
    add(project, text)

    with pytest.raises(RuleBroken, match="There are scores of MODEL already"):
        add(project, text, name=" MODEL ")


def test_replaced_scores_are_the_new_ones_and_a_bad_file_changes_nothing() -> None:
    project, pairs = make_pairs()
    scores = add(project, csv_of(pairs, [(1, 0)] * 3))
    by = make_user()

    with pytest.raises(InvalidItems):
        replace_results(MATCHING, made=scores, about="new", file=BytesIO(b"annotation\n7"), by=by, now=NOW)
    assert results(project)[0].found.pairs == Share(right=3, of=3)
    replace_results(
        MATCHING, made=scores, about="new", file=BytesIO(csv_of(pairs[:1], [(0, 1)]).encode()), by=by, now=NOW
    )

    (result,) = results(project)
    assert (result.found.pairs, result.lacking, result.scores.about) == (Share(right=0, of=1), 2, "new")


def test_scores_that_are_gone_are_not_replaced_and_removing_them_again_is_nothing() -> None:
    project, pairs = make_pairs()
    scores = add(project, csv_of(pairs, [(1, 0)] * 3))
    key = scores.pk
    remove_results(MATCHING, made=scores)
    scores.pk = key

    with pytest.raises(RuleBroken, match="were removed meanwhile"):
        replace_results(MATCHING, made=scores, about="", file=BytesIO(), by=make_user(), now=NOW)
    remove_results(MATCHING, made=scores)

    assert (MatchingScores.objects.count(), MatchingRow.objects.count()) == (0, 0)


def test_pair_that_does_not_count_any_more_is_left_out() -> None:
    project, pairs = make_pairs()
    add(project, csv_of(pairs, [(1, 0), (1, 0), (0, 1)]))

    Annotation.objects.filter(pk=pairs[0].pk).update(state=Annotation.State.DROPPED)
    Image.objects.filter(number=2).update(state=Image.State.REFUSED)

    (result,) = results(project)
    assert (result.found.pairs, result.lacking) == (Share(right=1, of=1), 0)


def test_template_has_every_pair_with_both_texts(client: Client) -> None:
    project, pairs = make_pairs()
    visit(client, project)

    lines = b"".join(client.get(address(project, "matching_template"))).splitlines()

    assert len(lines) == 3
    assert json.loads(lines[2]) == {
        "image": 2,
        "image_sha256": pairs[2].image.picture.sha256,
        "annotation": pairs[2].pk,
        "detailed_text": "A fish rides bicycle 3.",
        "underspecified_text": "A fish rides something.",
        "detailed": None,
        "underspecified": None,
    }


def test_researcher_uploads_replaces_and_removes_scores(client: Client) -> None:
    project, pairs = make_pairs()
    visit(client, project, ADD, REMOVE)

    def send(page: str, text: str, *more: object, **values: str) -> str:
        file = SimpleUploadedFile("scores.csv", text.encode())
        return text_of(client.post(address(project, page, *more), {"file": file, **values}, follow=True))

    page = send("upload_matching", csv_of(pairs[:2], [(1, 0), (0, 1)]), name="model <b>", about="v1")
    assert "The scores of model &lt;b&gt; for 2 pairs are counted." in page
    assert "The file has no scores of 1 further pairs." in page
    assert "50.0 %" in page
    scores = MatchingScores.objects.get()
    page = send("replace_matching", csv_of(pairs, [(1, 0)] * 3), scores.pk, about="v2")
    assert "for 3 pairs are counted" in page
    assert "This replaces" in text_of(client.get(address(project, "replace_matching", scores.pk)))
    assert "Only the file they came from" in text_of(
        client.get(address(project, "remove_matching", scores.pk))
    )
    assert MatchingScores.objects.exists()
    client.post(address(project, "remove_matching", scores.pk))
    assert not MatchingScores.objects.exists()


def test_bad_file_is_told_line_by_line_and_what_was_typed_stays(client: Client) -> None:
    project, _ = make_pairs()
    visit(client, project, ADD)
    file = SimpleUploadedFile("scores.csv", b"annotation,detailed,underspecified\n7777777,1,0\n")

    page = text_of(
        client.post(address(project, "upload_matching"), {"name": "model", "about": "of June", "file": file})
    )

    assert "Nothing was stored." in page
    assert "Line 2: there is no annotation “7777777”." in page
    assert 'value="of June"' in page


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"\xff\xfe\0", "This is not UTF-16 text to its end."), (b"", "The submitted file is empty.")],
    ids=["bytes", "empty"],
)
def test_what_is_no_text_is_refused_in_words(client: Client, data: bytes, said: str) -> None:
    project, _ = make_pairs()
    visit(client, project, ADD)

    answer = client.post(
        address(project, "upload_matching"), {"name": "model", "file": SimpleUploadedFile("a.csv", data)}
    )

    assert answer.status_code == 200
    assert said in answer.text
    assert not MatchingScores.objects.exists()


@pytest.mark.parametrize(
    ("name", "permissions"),
    [("upload_matching", [REMOVE]), ("replace_matching", [ADD]), ("remove_matching", [ADD])],
)
def test_pages_ask_for_their_permissions_and_for_the_study(
    client: Client, name: str, permissions: list[str]
) -> None:
    project, pairs = make_pairs()
    scores = add(project, csv_of(pairs, [(1, 0)] * 3))
    other, _ = make_pairs()
    more = () if name == "upload_matching" else (scores.pk,)

    visit(client, project, *permissions)
    assert client.post(address(project, name, *more)).status_code == 403
    visit(client, other, ADD, REMOVE)
    assert client.post(address(project, name, *more)).status_code == 404
    if more:
        assert client.post(address(other, name, *more)).status_code == 404

    assert MatchingScores.objects.count() == 1
