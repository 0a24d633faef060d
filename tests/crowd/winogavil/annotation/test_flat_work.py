"""What a file says of labels and of newcomers' picks."""

from typing import Any

import pytest

from crowd.winogavil.annotation.models import Kind
from hits.data.services.flat_export import export_flat
from hits.studies.models import Batch
from tests.crowd.winogavil.annotation.annotators import annotate, draw, make_selected, open_batch, solve
from tests.factories import make_study

pytestmark = pytest.mark.django_db


def rows_of(batch: Batch) -> list[dict[str, Any]]:
    return list(export_flat(batch=batch, include_excluded=False))


def test_labels_are_said_with_the_word_and_the_picture_they_are_about() -> None:
    study = make_study()
    association = make_selected(study)
    draw(study, Kind.TYPES)
    batch = open_batch(study, Kind.TYPES)
    annotate(batch, ["none"])

    rows = rows_of(batch)

    chosen = [place for place in association.places.select_related("picture") if place.chosen]
    assert sorted(row["pictures"] for row in rows) == sorted([place.label] for place in chosen)
    assert {tuple(row["labels"]) for row in rows} == {("none",)}
    assert {(row["cue"], row["final_at"]) for row in rows} == {("cold", None)}
    assert [row["pictures_sha256"] for row in rows] == [
        [place.picture.sha256 for place in chosen if place.picture and place.label == row["pictures"][0]]
        for row in rows
    ]


def test_newcomers_picks_are_said_as_solvers_are() -> None:
    study = make_study()
    make_selected(study)
    draw(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    solve(batch, [0, 1], [0, 2])

    right, other = rows_of(batch)

    assert (right["cue"], right["jaccard"], right["is_right"]) == ("cold", 1.0, True)
    assert (other["jaccard"], other["is_right"]) == (pytest.approx(1 / 3), False)
    assert right["item"] == other["item"]
