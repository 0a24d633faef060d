"""Columns that exported files have for a picture."""

import pytest

from crowd.pictures.columns import picture_columns
from crowd.pictures.models import Picture
from hits.datasets.columns import rows_of

COLUMNS = picture_columns("image_0", "image 0", of=lambda picture: picture)
pytestmark = pytest.mark.pure


def test_picture_stands_with_its_file_and_whose_it_is() -> None:
    picture = Picture(file="pictures/a.svg", sha256="ab", credit="A. Museum", licence="CC0", source="there")

    assert list(rows_of(COLUMNS, [picture])) == [
        {
            "image_0_file": "a.svg",
            "image_0_sha256": "ab",
            "image_0_credit": "A. Museum",
            "image_0_licence": "CC0",
            "image_0_source": "there",
        }
    ]


def test_row_without_a_picture_has_empty_texts() -> None:
    (row,) = rows_of(COLUMNS, [None])

    assert set(row.values()) == {""}
