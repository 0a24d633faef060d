"""The public page of a release: nothing before it is open, what is published then, and no hidden label."""

import csv
import json
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse

from crowd.boards.models import Board
from crowd.boards.services import board_links, board_states, submitting
from crowd.pictures.models import Picture
from crowd.releases.family_contents import contents_of
from crowd.releases.services.survey import frozen_rows
from tests.attacks.downloads import would_run
from tests.crowd.boards.making import (
    benchmark_of,
    items_of,
    make_board,
    make_invitation,
    open_board_of,
    submitted,
)
from tests.crowd.releases.studies import STUDIES, make_of, release_of
from tests.factories import NOW, make_user
from tests.pages import text_of

pytestmark = pytest.mark.django_db
OUTCOMES = ("Associative Bias", "Alternative")


def page_of(board: Board) -> str:
    return reverse("boards:page", args=[board.release.public_id])


def test_a_page_is_off_until_it_is_opened_and_again_once_it_is_closed(client: Client) -> None:
    board = make_board()
    file = reverse("boards:file", args=[board.release.public_id, "README.md"])
    token = board_links.write_token(make_invitation(board))

    assert client.get(page_of(board)).status_code == 200
    assert b"".join(client.get(file)).startswith(b"---")
    assert "Data" in text_of(client.get(reverse("boards:index")))
    board_states.close_board(board=board, by=make_user(), now=NOW)

    assert client.get(page_of(board)).status_code == client.get(file).status_code == 404
    assert "Nothing is published here" in text_of(client.get(reverse("boards:index")))
    assert client.get(reverse("boards:desk", args=[token])).status_code == 410


@pytest.mark.parametrize("family", list(STUDIES))
def test_a_page_shows_examples_figures_files_card_and_how_to_cite(client: Client, family: str) -> None:
    release = release_of(make_of(family, items=2), family)
    board = open_board_of(release)
    Picture.objects.update(status=Picture.Status.FIT)

    page = text_of(client.get(page_of(board)))

    contents = contents_of(release)
    main = contents.files(release)[0]
    examples = [contents.example(row) for row in frozen_rows(release, main.part) if main.wanted(row)]
    assert any(f"<h3>{one.words}</h3>" in page for one in examples)
    for file in release.files:
        assert reverse("boards:file", args=[release.public_id, file["name"]]) in page
        assert file["sha256"] in page
    assert f"{release.study.lab} ({NOW:%Y}). Data, version 1.0. http" in page
    assert "@misc{data" in page
    assert "Fields" in page
    assert "pretty_name" not in page
    assert ("/pictures/" in page) is (family != "winoventi")


def test_examples_are_those_whose_pictures_are_contained(client: Client) -> None:
    board = make_board("winoground", items=4)
    Picture.objects.update(status=Picture.Status.FIT)

    page = text_of(client.get(page_of(board)))

    # The first example has a picture whose license does not let it be passed on.
    assert "Example 2" in page
    assert "<h3>Example 1</h3>" not in page


def test_a_picture_that_is_no_longer_fit_is_not_shown(client: Client) -> None:
    board = make_board("whoops", items=2)
    Picture.objects.update(status=Picture.Status.WAITING)

    page = text_of(client.get(page_of(board)))

    assert "This picture is not contained." in page
    assert "/pictures/" not in page


def test_files_are_sent_whole_and_counted(client: Client) -> None:
    board = make_board()

    answer = client.get(reverse("boards:file", args=[board.release.public_id, "everything.zip"]))
    content = b"".join(answer)

    listed = next(one for one in board.release.files if one["name"] == "everything.zip")
    assert len(content) == listed["bytes"] == int(answer.headers["Content-Length"])
    assert "data-1.0-everything.zip" in answer.headers["Content-Disposition"]
    board.refresh_from_db()
    assert board.downloads == 1
    for name in ("nothing", "../README.md", "survey.sqlite3"):
        wrong = f"{page_of(board)}files/{name}"
        assert client.get(wrong).status_code == 404


def test_too_many_files_in_an_hour_are_refused_in_words(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crowd.boards.pages.public_pages.MOST_FILES", 2)
    board = make_board()
    address = reverse("boards:file", args=[board.release.public_id, "README.md"])

    answers = [client.get(address) for _ in range(3)]

    assert [(one.status_code, bool(b"".join(one))) for one in answers] == [
        (200, True),
        (200, True),
        (429, True),
    ]


def test_models_stand_on_the_board_once_somebody_agreed_and_are_files(client: Client) -> None:
    board = make_board()
    made = submitted(make_invitation(board), name="CLIP of ours")
    before = text_of(client.get(page_of(board)))
    submitting.agree(submission=made, name="CLIP of ours", by=make_user(), now=NOW)

    after = text_of(client.get(page_of(board)))
    table = reverse("boards:json", args=[board.release.public_id, "associations", "results"])

    assert "CLIP of ours" not in before
    assert "CLIP of ours" in after
    assert "submitted from outside; made elsewhere" in after
    assert "A lab" not in after
    (row,) = client.get(table).json()
    assert (row["who"], row["jaccard"]) == ("CLIP of ours", 1.0)


@pytest.mark.parametrize("family", ["winogavil", "winoground", "winoventi", "whoops"])
def test_labels_of_a_hidden_split_are_on_no_public_page_and_in_no_list_of_items(
    client: Client, family: str
) -> None:
    board = make_board(family, hides=True)
    benchmark = benchmark_of(board)
    invitation = make_invitation(board)
    made = submitted(invitation)
    submitting.agree(submission=made, name="model", by=make_user(), now=NOW)
    token = board_links.write_token(invitation)
    hidden = [item for item in items_of(benchmark) if item.is_hidden]
    assert hidden

    pages = [
        client.get(page_of(board)),
        client.get(reverse("boards:desk", args=[token])),
        client.get(reverse("boards:submit", args=[token, benchmark.task])),
        client.get(reverse("boards:submission", args=[token, made.public_id])),
    ]
    lines = b"".join(client.get(reverse("boards:items", args=[token, benchmark.task]))).decode().splitlines()
    tables = [
        client.get(reverse("boards:csv", args=[board.release.public_id, benchmark.task, name]))
        for name in ("results", "by-split", "by-data", "by-tag", "by-kind", "by-category")
    ]
    told = {row[next(iter(row))]: row for row in map(json.loads, lines)}

    # Tables by kinds of items would have means over few.
    assert [one.status_code for one in tables] == [200, 200, 404, 404, 404, 404]
    text = " ".join([*map(text_of, pages), *lines])
    for item in hidden:
        row = item.row
        if family == "winogavil":
            assert set(told[item.name]) == {"ID", "split", "cue", "num_associations", "candidates", "sha256"}
            assert f">{row['cue']}<" not in text
        elif family == "winoground":
            shown = told[item.name]
            assert shown["image_0_sha256"] == item.shown["image_0_sha256"]
            assert f"Example {row['number']}<" not in text
        elif family == "winoventi":
            assert set(told[item.name]) == {"prompt", "split", "masked_prompt", *OUTCOMES}
            assert str(row["prompt"]) not in text
        else:
            assert item.name not in told
            assert row["detailed"] not in text


def test_a_card_is_shown_as_text_whatever_people_typed(client: Client) -> None:
    notes = "<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://a.example)"
    board = open_board_of(release_of(make_of("whoops"), "whoops", notes=notes))

    page = text_of(client.get(page_of(board)))

    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert 'src="http://a.example' not in page


def test_a_citation_of_ones_own_replaces_the_line(client: Client) -> None:
    board = make_board(citation="A paper & its authors, 2026.")

    assert "A paper &amp; its authors, 2026." in text_of(client.get(page_of(board)))


@pytest.mark.parametrize(
    "name", ["results.xml", "results.csv%0Ax", 'results.c"sv', "nothing.csv", "results.json/"]
)
def test_odd_addresses_of_tables_are_not_there(client: Client, name: str) -> None:
    board = make_board("whoops")

    assert client.get(f"{page_of(board)}matching/{name}").status_code == 404


def test_files_that_are_gone_are_told_in_words(client: Client) -> None:
    board = make_board("whoops")
    for path in board.release.folder.iterdir():
        path.unlink()
    for path in board.release.frozen.iterdir():
        path.unlink()
    file = reverse("boards:file", args=[board.release.public_id, "README.md"])

    page, answer = client.get(page_of(board)), client.get(file)

    assert page.status_code == 200
    assert "The card cannot be reached at the moment." in text_of(page)
    assert answer.status_code == 503
    assert "The files cannot be reached at the moment." in text_of(answer)


def test_no_cell_of_a_public_file_is_a_formula(client: Client) -> None:
    board = make_board("whoops")
    formula = "=HYPERLINK(1)<b>x</b>"
    made = submitted(make_invitation(board), name=formula)
    submitting.agree(submission=made, name=formula, by=make_user(), now=NOW)
    address = reverse("boards:csv", args=[board.release.public_id, "matching", "results"])

    rows = list(csv.reader(StringIO(b"".join(client.get(address)).decode("utf-8-sig"))))
    page = text_of(client.get(page_of(board)))

    assert any(formula in cell for row in rows for cell in row)
    assert [cell for row in rows for cell in row if would_run(cell)] == []
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "<b>x</b>" not in page
