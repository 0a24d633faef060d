"""Models' predictions for a release: every bad line named, nothing stored if any is bad, scores by hand."""

import json
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest

from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.winogavil.humans import Baseline
from crowd.winogavil.models import Association
from crowd.winogavil.queries import reaches
from crowd.winogavil.releases.models import Prediction, Tally
from crowd.winogavil.releases.queries import model_table
from crowd.winogavil.releases.services import prediction_scores
from hits.common.uploads.file_problems import MOST_PROBLEMS
from hits.core.errors import InvalidItems, RuleBroken
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import NOW, make_study, make_user

NAMES = ["moon", "puppy", "cup", "key", "tree"]
TEN = [f"{name} {number}" for number in (1, 2) for name in NAMES]
PICKED = [TEN[0], TEN[1], TEN[9]]


def a_release() -> tuple[Release, list[str]]:
    """A release of three associations, and the ids of two: 2 of 5, 3 of 10, and one that nobody solves."""
    study = make_study()
    five = make_final(study, concepts=NAMES)
    ten = make_final(study, size=10, concepts=TEN, chosen=(0, 1, 2), picks=[(0, 1, 2), (0, 1, 2), (0, 1, 3)])
    make_final(study, picks=[(2, 3), (2, 3), (2, 3)])
    release = release_states.make_release(
        family="winogavil", study=study,
        title="Words", version="1", licence="CC0", sources=["worker"], with_rest=True,
        by=make_user(), now=NOW,
    )  # fmt: skip
    release_states.write_releases(clock=lambda: NOW)
    release.refresh_from_db()
    return release, [str(one.item.public_id) for one in (five, ten)]


def add(release: Release, content: str, **changes: Any) -> Prediction:
    values: dict[str, Any] = {"model": "a model", "by": make_user(), "now": NOW, **changes}
    return prediction_scores.add_prediction(release=release, file=BytesIO(content.encode()), **values)


def as_jsonl(*rows: Any) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def problems(release: Release, content: str, **changes: Any) -> list[str]:
    with pytest.raises(InvalidItems) as refusal:
        add(release, content, **changes)
    assert Prediction.objects.count() == Tally.objects.count() == 0
    return refusal.value.problems


@pytest.mark.django_db
def test_predictions_are_scored_exactly_and_stand_beside_people_and_chance() -> None:
    release, (five, ten) = a_release()

    # The first has one of three right, the second two of four.
    add(
        release,
        as_jsonl({"ID": five, "prediction": ["moon", "cup"]}, {"ID": ten, "prediction": PICKED}),
    )

    model, solvers, chance = model_table.table(release)
    assert (model.name, model.items) == ("a model", 2)
    assert model.means == {"10 & 12": Decimal("50.0"), "5 & 6": Decimal("33.3"), "all": Decimal("41.7")}
    assert solvers.means == {"10 & 12": Decimal("83.3"), "5 & 6": Decimal("100.0"), "all": Decimal("91.7")}
    assert chance.means == {"10 & 12": Decimal("20.1"), "5 & 6": Decimal("30.0"), "all": Decimal("25.0")}
    assert [(one.size, one.k, one.items) for one in Tally.objects.order_by("size")] == [(5, 2, 1), (10, 3, 1)]


@pytest.mark.django_db
def test_people_new_to_the_study_have_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    release, _ = a_release()
    found = Baseline(sums={(False, 5): (2, Fraction(19, 10)), (False, 10): (1, Fraction(9, 10))})
    monkeypatch.setattr(model_table, "baseline_of", lambda study: found if study == release.study else None)

    humans, *_ = model_table.table(release)

    assert (humans.name, humans.items) == ("Humans", 3)
    assert humans.means == {"10 & 12": Decimal("90.0"), "5 & 6": Decimal("95.0"), "all": Decimal("93.3")}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "write",
    [
        lambda five, ten: f'ID,prediction\n{five},"[""moon"", ""cup""]"\n{ten},{" | ".join(PICKED)}\n',
        lambda five, ten: f"\ufeffmodel,ID,prediction\nx,{five},moon|cup\nx,{ten},{'|'.join(PICKED)}\n",
        lambda five, ten: as_jsonl(
            {"ID": five, "scores": [0.5, 0.1, 0.5, 0.4, 0]},
            {"ID": ten, "scores": {name: 1 if name in PICKED else -1.5 for name in TEN}},
        ),
        lambda five, ten: (
            f'ID,scores\n{five},"[0.5, 0.1, 0.5, 0.4, 0]"\n{ten},"[9, 9, 0, 0, 0, 0, 0, 0, 0, 9]"\n'
        ),
    ],
    ids=["csv with lists", "csv with strokes", "ranked in json lines", "ranked in csv"],
)  # fmt: skip
def test_every_form_of_the_same_predictions_is_read(write: Any) -> None:
    release, (five, ten) = a_release()

    prediction = add(release, write(five, ten))

    assert prediction.rows == 2
    assert model_table.table(release)[0].means["all"] == Decimal("41.7")


@pytest.mark.django_db
def test_ties_go_to_the_picture_shown_first() -> None:
    release, (five, ten) = a_release()

    add(release, as_jsonl({"ID": five, "scores": [1] * 5}, {"ID": ten, "scores": [0] * 10}))

    assert model_table.table(release)[0].means["all"] == 100


@pytest.mark.django_db
def test_every_bad_line_is_named() -> None:
    release, (five, ten) = a_release()
    unsolved = str(Association.objects.exclude(reaches(80)).get().item.public_id)

    found = problems(
        release,
        as_jsonl(
            {"ID": five, "prediction": ["moon", "cup"]},
            {"ID": five, "prediction": ["moon", "cup"]},
            {"ID": "nobody", "prediction": ["moon", "cup"]},
            {"ID": unsolved, "prediction": ["moon", "cup"]},
            {"ID": ten, "prediction": [TEN[0], TEN[1], "stranger"]},
            {"ID": ten, "prediction": [TEN[0], TEN[1]]},
            {"ID": ten, "prediction": [TEN[0], TEN[1], TEN[1]]},
            {"ID": ten, "prediction": "moon"},
            {"ID": ten, "scores": [1, 2]},
            {"ID": ten, "scores": dict.fromkeys(TEN[1:], 1)},
            {"ID": ten, "scores": ["1"] * 10},
            {"ID": ten, "scores": [True] * 10},
            {"ID": ten},
            {"ID": ten, "scores": [1] * 10, "prediction": TEN[:3]},
            {"prediction": ["moon", "cup"]},
            ["moon"],
        )
        + '\n{"ID": 1}\n{oops\n{"ID": "' + ten + '", "scores": [NaN, 1, 1, 1, 1, 1, 1, 1, 1, 1]}',
    )  # fmt: skip

    assert [words.partition(": ")[0] for words in found[:-1]] == [f"Line {n}" for n in range(2, 20)]
    told = "\n".join(found)
    for words in (
        f"Line 2: {five} is in line 1 already.",
        "Line 3: the release has no 'nobody'.",
        f"Line 4: the release has no '{unsolved}'.",
        f"Line 5: 'stranger' is no candidate of {ten}.",
        f"Line 6: {ten} needs exactly 3 pictures, and 2 are named.",
        f"Line 7: {ten} names a picture twice.",
        f"Line 9: {ten} has 10 candidates, and 2 scores are there.",
        "Line 13: It must have ID, and prediction or scores.",
        "Line 14: it needs either a prediction or scores.",
        "Line 15: ID must not be empty.",
        "Line 18: this is not a JSON object on one line.",
        "1 of the 2 associations have no prediction.",
    ):
        assert words in told


@pytest.mark.django_db
def test_file_of_a_part_is_taken_only_where_somebody_says_so() -> None:
    release, (five, _) = a_release()
    content = as_jsonl({"ID": five, "prediction": ["moon", "puppy"]})

    found = problems(release, content)
    add(release, content, is_part=True)

    assert found == [
        "1 of the 2 associations have no prediction. Add them, or say that the file covers only a part."
    ]
    line = model_table.table(release)[0]
    assert (line.items, line.means["5 & 6"], line.means["10 & 12"]) == (1, Decimal(100), None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"a,b\n1,2\n", "It must have ID, and prediction or scores"),
        (b"ID,prediction\n", "a heading and no line below it"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'ID,prediction\n"unclosed', "cannot be read"),
        (b"ID,prediction\n1,2,3\n", "it has 3 fields, and the heading 2"),
        (b'{"ID": "' + b"x" * 200_000, "too long"),
    ],
    ids=["empty", "blank", "no columns", "no lines", "no text", "unclosed", "too many fields", "too long"],
)
def test_what_is_no_file_of_predictions_is_refused(content: bytes, words: str) -> None:
    release, _ = a_release()

    with pytest.raises(InvalidItems) as refusal:
        prediction_scores.add_prediction(
            release=release, model="m", file=BytesIO(content), by=make_user(), now=NOW
        )

    assert words in " ".join(refusal.value.problems)
    assert Prediction.objects.count() == 0


@pytest.mark.django_db
def test_many_bad_lines_are_counted_and_not_all_told() -> None:
    release, _ = a_release()

    found = problems(release, as_jsonl(*[{"ID": str(number), "prediction": []} for number in range(700)]))

    assert len(found) == MOST_PROBLEMS + 1
    assert found[-1] == "And 651 more."


@pytest.mark.django_db
def test_model_has_one_row_until_it_is_deleted() -> None:
    release, (five, _) = a_release()
    content = as_jsonl({"ID": five, "prediction": ["moon", "puppy"]})
    first = add(release, content, is_part=True)

    with pytest.raises(RuleBroken, match="There are predictions of a model already"):
        add(release, content, is_part=True)
    prediction_scores.delete_prediction(prediction=first, by=make_user(), now=NOW)
    second = add(release, content, is_part=True)

    assert list(Prediction.objects.all()) == [second]


@pytest.mark.django_db
def test_release_that_is_not_ready_takes_none() -> None:
    study = make_study()
    make_final(study)
    release = release_states.make_release(
        family="winogavil",
        study=study,
        title="W",
        version="1",
        licence="",
        sources=["worker"],
        by=make_user(),
        now=NOW,
    )

    with pytest.raises(RuleBroken, match="ready"):
        add(release, "{}")

    assert Prediction.objects.count() == 0


@pytest.mark.django_db
def test_table_asks_as_often_for_many_models_as_for_one(django_assert_num_queries: Any) -> None:
    release, (five, _) = a_release()
    content = as_jsonl({"ID": five, "prediction": ["moon", "puppy"]})

    counts: list[Sequence[Any]] = []
    for number in range(4):
        add(release, content, model=f"model {number}", is_part=True)
        with django_assert_num_queries(5):
            counts.append(model_table.table(release))

    assert [len(lines) for lines in counts] == [3, 4, 5, 6]
