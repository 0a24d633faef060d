"""Rows are uploaded whole or not at all, and asked of as many people as the project says."""

from datetime import timedelta

import pytest

from crowd.pictures.models import Picture
from crowd.pictures.services.removing_pictures import remove_pictures, restore_pictures
from crowd.plain.domain import ASK
from crowd.plain.models import Row, RowPicture
from crowd.plain.services.posted_rows import ask_rows, want_anew
from crowd.plain.services.uploading import add_rows, drop_rows
from hits.core.errors import InvalidItems, RuleBroken
from hits.work.models.items import Item
from tests.crowd.plain.describing import ALONE
from tests.crowd.plain.making import (
    add_sentences,
    ask,
    asked_project,
    begin,
    describe,
    hand_in,
    make_fit_picture,
    make_project,
    open_batch,
)
from tests.factories import NOW, make_user, make_worker

pytestmark = pytest.mark.django_db
PICTURED = "title: T\npicture: image\ntext: a\nask: What is it?\nkeep: id\n"


def test_rows_keep_what_the_page_names_and_nothing_else() -> None:
    project = make_project()
    describe(project)

    content = "ID,Sentence\n1,The cat sat.\n2,“{{ x }}” <b>\n".encode()
    count = add_rows(project=project, content=content)

    assert count == 2
    assert list(Row.objects.order_by("number").values_list("number", "cells")) == [
        (1, {"sentence": "The cat sat."}),
        (2, {"sentence": "“{{ x }}” <b>"}),
    ]


def test_bad_rows_are_told_by_line_and_nothing_is_added() -> None:
    project = make_project()
    describe(project)

    with pytest.raises(InvalidItems) as refused:
        add_rows(project=project, content=b"sentence,id\nA,1\n,2\nB\n")
    with pytest.raises(InvalidItems, match="Each must appear once: sentence"):
        add_rows(project=project, content=b"text\nA\n")

    assert [problem[:40] for problem in refused.value.problems] == [
        "Line 3: sentence must not be empty.",
        "Line 4: it has 1 fields, and the heading",
    ]
    assert not Row.objects.exists()


def test_rows_before_a_page_or_without_columns_are_refused() -> None:
    project = make_project()
    with pytest.raises(RuleBroken, match="Describe the page first"):
        add_sentences(project, "A")
    describe(project, ALONE)
    with pytest.raises(RuleBroken, match="needs no rows of a file"):
        add_sentences(project, "A")


def test_cells_name_pictures_by_digest_source_or_concept() -> None:
    project = make_project()
    describe(project, PICTURED)
    by_digest, by_source, by_concept = (
        make_fit_picture(),
        make_fit_picture(source="https://example.org/1"),
        make_fit_picture(concept="a lone heron"),
    )
    content = f"image,id\n{by_digest.sha256},1\nhttps://example.org/1,2\na lone heron,3\n"

    add_rows(project=project, content=content.encode())

    shown = RowPicture.objects.order_by("row__number").values_list("column", "picture")
    assert list(shown) == [("image", picture.pk) for picture in (by_digest, by_source, by_concept)]


def test_unknown_unfit_and_ambiguous_pictures_are_told_by_line() -> None:
    project = make_project()
    describe(project, PICTURED)
    waiting = make_fit_picture(concept="a waiting one")
    Picture.objects.filter(pk=waiting.pk).update(status=Picture.Status.WAITING)
    make_fit_picture(concept="a twin")
    make_fit_picture(concept="a twin")

    with pytest.raises(InvalidItems) as refused:
        add_rows(project=project, content=b"image,id\nnobody,1\na waiting one,2\na twin,3\n")

    assert refused.value.problems == [
        "Line 2: “nobody” is no picture of the pool.",
        "Line 3: the picture “a waiting one” is not fit to be shown: look at it in the pool.",
        "Line 4: “a twin” names 2 pictures. Give the SHA-256 of one.",
    ]
    assert not Row.objects.exists()


def test_pictures_and_cells_are_told_in_the_order_of_the_lines() -> None:
    project = make_project()
    describe(project, PICTURED)

    with pytest.raises(InvalidItems) as refused:
        add_rows(project=project, content=b"image,id\nnobody,1\n,2\n")

    assert refused.value.problems == [
        "Line 2: “nobody” is no picture of the pool.",
        "Line 3: image must not be empty.",
    ]


def test_rows_that_wait_are_asked_once_each() -> None:
    project = asked_project("A", "B", answers_wanted=4)
    add_sentences(project, "C")

    ask(project, now=NOW + timedelta(minutes=1))

    assert list(Item.objects.filter(task=ASK).values_list("wanted", flat=True)) == [4, 4, 4]
    assert list(Row.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3]
    with pytest.raises(RuleBroken, match="No row waits"):
        ask(project)


def test_rows_added_meanwhile_are_not_asked_unseen() -> None:
    project = make_project()
    describe(project)
    add_sentences(project, "A", "B")

    with pytest.raises(RuleBroken, match="added or deleted meanwhile"):
        ask_rows(project=project, seen=1, now=NOW)

    assert not Item.objects.filter(task=ASK).exists()


def test_page_without_columns_is_asked_without_rows() -> None:
    asked_project(text=ALONE, answers_wanted=30)

    row = Row.objects.select_related("item").get()
    assert row.item
    assert (row.cells, row.item.wanted) == ({}, 30)


def test_waiting_rows_are_dropped_and_asked_ones_stay() -> None:
    project = asked_project("A")
    add_sentences(project, "B", "C")

    assert drop_rows(project=project) == 2
    assert Row.objects.get().cells == {"sentence": "A"}


def test_new_number_of_people_counts_what_is_there() -> None:
    project = asked_project("A", answers_wanted=1)
    batch = open_batch(project)
    hand_in(begin(batch, make_worker(account=batch.account)), {"q1": "1"})

    project.answers_wanted = 3
    project.save()
    want_anew(project)

    assert Item.objects.get(task=ASK).wanted == 2


def test_row_is_not_asked_while_its_picture_is_away() -> None:
    project = make_project()
    describe(project, PICTURED)
    picture = make_fit_picture(concept="a heron")
    add_rows(project=project, content=b"image,id\na heron,1\n")
    ask(project)
    item = Item.objects.get(task=ASK)

    remove_pictures(pictures=[picture], reason="Unfit", by=make_user(), now=NOW)
    item.refresh_from_db()
    assert item.pulled_at == NOW

    restore_pictures(pictures=[Picture.objects.get()], reason="Fit", by=make_user(), now=NOW)
    item.refresh_from_db()
    assert item.pulled_at is None


def test_picture_that_went_away_before_the_asking_is_told() -> None:
    project = make_project()
    describe(project, PICTURED)
    picture = make_fit_picture(concept="a heron")
    add_rows(project=project, content=b"image,id\na heron,1\n")
    remove_pictures(pictures=[picture], reason="Unfit", by=make_user(), now=NOW)

    with pytest.raises(RuleBroken, match="taken away after they were uploaded: 1"):
        ask(project)

    assert not Item.objects.filter(task=ASK).exists()
