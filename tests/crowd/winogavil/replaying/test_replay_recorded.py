"""The authors' recorded work gives the published figures, to the last cent."""

import csv
import json
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from crowd.winogavil.domain import WINOGAVIL_TIERS
from crowd.winogavil.models import Association, Game, Place, Solution
from hits.work.models.items import Item
from scoring.domain import jaccard
from tests.factories import make_study

DATA = Path(__file__).parents[5] / "shared" / "data" / "winogavil"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data of ../shared is not here")
AS_PRINTED = Decimal("0.000000001")


def read(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def replay(folder: Path) -> dict[str, Any]:
    out = StringIO()
    call_command("replay", "winogavil", folder, "--study", "the paper's", "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    found.pop("seconds")
    return found


@pytest.mark.django_db
def test_a_raised_selection_threshold_leaves_the_recorded_bonuses() -> None:
    expected = json.loads((DATA / "expected.json").read_text())
    study = make_study(name="the paper's", bonus_rules=list(WINOGAVIL_TIERS))
    Game.objects.create(study=study, selection_threshold=95)

    found = replay(DATA)

    bonuses = ("bonus_cents_by_tier", "bonus_total")
    assert found["selected"] < expected["selected"]
    assert {key: found[key] for key in bonuses} == {key: expected[key] for key in bonuses}


@pytest.mark.django_db
def test_the_replay_comes_to_the_recorded_figures_also_the_second_time() -> None:
    expected = json.loads((DATA / "expected.json").read_text())

    first = replay(DATA)
    rows = [model.objects.count() for model in (Item, Association, Place, Solution)]
    again = replay(DATA)

    assert {key: first[key] for key in expected} == expected
    assert again == first
    assert rows == [840, 840, 419 * 10 + 421 * 12, 2520]
    assert rows == [model.objects.count() for model in (Item, Association, Place, Solution)]


@pytest.mark.django_db
def test_every_recorded_prediction_is_kept_as_it_was() -> None:
    replay(DATA)

    kept = {
        association.recorded_as: {place.label for place in association.places.all() if place.predicted}
        for association in Association.objects.prefetch_related("places")
    }
    recorded = {
        row["association"]: set(json.loads(row["rival_prediction"])) for row in read("associations.csv")
    }
    assert kept == recorded


@pytest.mark.pure
def test_the_jaccard_of_every_recorded_row_is_ours() -> None:
    rows = list(read("clip_vit_b32_on_swow.csv"))

    ours = [jaccard(set(json.loads(row["labels"])), set(json.loads(row["predicted"]))) for row in rows]

    assert len(rows) == 1000
    assert [printed(value) for value in ours] == [Decimal(row["jaccard"]) for row in rows]


def printed(value: Fraction) -> Decimal:
    """Round to the nine places that the file prints."""
    return (Decimal(value.numerator) / value.denominator).quantize(AS_PRINTED).normalize()
