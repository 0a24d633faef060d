"""Models on a release of the game: every bad line named, nothing stored if any is bad, scores by hand."""

import json
from fractions import Fraction
from io import BytesIO
from typing import Any

import pytest

from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import answer_files, benchmark_results
from crowd.benchmarks.services.benchmark_results import answer_benchmarks
from crowd.releases.models import Release
from crowd.releases.services import release_states
from crowd.winogavil.humans import Baseline
from crowd.winogavil.models import Association
from crowd.winogavil.queries import reaches
from crowd.winogavil.releases import game_benchmark
from hits.common.uploads.file_problems import MOST_PROBLEMS
from hits.core.errors import InvalidItems, RuleBroken
from tests.crowd.releases.studies import release_of
from tests.crowd.winogavil.releases.data import benchmark_of, columns_of, make_final, upload_answers
from tests.factories import NOW, make_study, make_user

pytestmark = pytest.mark.django_db
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


def add(release: Release, content: str, **changes: Any) -> Result:
    return upload_answers(release, content, **{"name": "a model", **changes})


def as_jsonl(*rows: Any) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def problems(release: Release, content: str, **changes: Any) -> list[str]:
    with pytest.raises(InvalidItems) as refusal:
        add(release, content, **changes)
    assert not Result.objects.filter(source="uploaded").exists()
    assert ItemResult.objects.count() == 0
    return refusal.value.problems


def test_predictions_are_scored_exactly_and_stand_beside_people_and_chance() -> None:
    release, (five, ten) = a_release()

    # The first has one of three right, the second two of four.
    result = add(
        release,
        as_jsonl({"ID": five, "prediction": ["moon", "cup"]}, {"ID": ten, "prediction": PICKED}),
    )
    answer_benchmarks(now=NOW)

    rows = columns_of(release)
    assert list(rows) == ["a model", "Solvers", "Chance"]
    assert rows["a model"] == {"associations": 2, "10 & 12": 50.0, "5 & 6": 33.3, "all": 41.7}
    assert rows["Solvers"] == {"associations": 2, "10 & 12": 83.3, "5 & 6": 100.0, "all": 91.7}
    assert rows["Chance"] == {"associations": 2, "10 & 12": 20.1, "5 & 6": 30.0, "all": 25.0}
    sums = {one["value"]: (one["items"], one["sum"]) for one in result.sums if one["group"] == "data"}
    assert sums == {
        "game, all": (2, "5/6"), "game, 5 & 6 candidates": (1, "1/3"), "game, 10 & 12 candidates": (1, "1/2"),
    }  # fmt: skip


def test_the_table_of_the_paper_is_a_file_of_its_figures() -> None:
    release, (five, _) = a_release()
    add(release, as_jsonl({"ID": five, "prediction": ["moon", "cup"]}), is_part=True)

    whole, by_data = tables_of(benchmark_of(release))

    assert "".join(by_data.csv()) == (
        "\ufeffmodel,associations,10 & 12,5 & 6,all\r\na model,1,,33.3,33.3\r\n"
    )  # fmt: skip
    ((who, items, many, few, _, about),) = by_data.shown()
    assert [cell.words for _, cell in (who, items, many, few, about)] == [
        "a model", "1", "–", "33.3", "from a file",
    ]  # fmt: skip
    assert whole.shown()[0][1][1].words == "33.3 %"


def test_the_swow_baseline_stands_beside_the_game_as_in_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study()
    one = make_final(study, concepts=NAMES)
    other = make_final(study, concepts=["sea", "sand", "bus", "car", "hat"], source="swow")
    release = release_of(study, "winogavil", sources=["worker", "swow"])
    newcomers = Baseline(sums={(False, 5): (1, Fraction(1, 2)), (True, 5): (1, Fraction(1))})
    monkeypatch.setattr(game_benchmark, "baseline_of", lambda _: newcomers)
    # One of three right in the game, all of them in the baseline.
    picks = {one: ["moon", "cup"], other: ["sea", "sand"]}
    content = as_jsonl(*({"ID": str(it.item.public_id), "prediction": names} for it, names in picks.items()))

    add(release, content)
    answer_benchmarks(now=NOW)

    rows = columns_of(release)
    assert rows["a model"] == {"associations": 2, "10 & 12": None, "5 & 6": 33.3, "all": 33.3, "SWOW": 100}
    assert rows["Humans"] == {"associations": 2, "10 & 12": None, "5 & 6": 50, "all": 50, "SWOW": 100}
    heading = "".join(tables_of(benchmark_of(release))[1].csv()).splitlines()[0]
    assert heading == "\ufeffmodel,associations,10 & 12,5 & 6,all,SWOW"


def test_halves_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    release, _ = a_release()
    found = Baseline(sums={(False, 5): (1, Fraction(1, 2000)), (False, 10): (1, Fraction(1249, 2000))})
    monkeypatch.setattr(game_benchmark, "baseline_of", lambda _: found)
    benchmark_of(release)

    row = columns_of(release)["Humans"]

    assert (row["5 & 6"], row["10 & 12"]) == (0.1, 62.5)


def test_people_new_to_the_study_have_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    release, _ = a_release()
    sums = {(False, 5): (2, Fraction(19, 10)), (False, 10): (1, Fraction(9, 10)), (True, 5): (4, Fraction(1))}
    found = Baseline(sums=sums)
    monkeypatch.setattr(
        game_benchmark, "baseline_of", lambda study: found if study == release.study else None
    )
    benchmark_of(release)
    answer_benchmarks(now=NOW)

    rows = columns_of(release)

    assert list(rows) == ["Solvers", "Chance", "Humans"]
    assert rows["Humans"] == {"associations": 3, "10 & 12": 90.0, "5 & 6": 95.0, "all": 93.3}


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
        lambda five, ten: as_jsonl(
            {"ID": five.upper(), "prediction": ["moon", "cup"]},
            {"ID": ten.replace("-", ""), "prediction": PICKED},
        ),
    ],
    ids=["csv with lists", "csv with strokes", "ranked in json lines", "ranked in csv", "ids written apart"],
)  # fmt: skip
def test_every_form_of_the_same_predictions_is_read(write: Any) -> None:
    release, (five, ten) = a_release()

    result = add(release, write(five, ten))

    assert result.answered == 2
    assert columns_of(release)["a model"]["all"] == 41.7


def test_ties_go_to_the_picture_shown_first() -> None:
    release, (five, ten) = a_release()

    add(release, as_jsonl({"ID": five, "scores": [1] * 5}, {"ID": ten, "scores": [0] * 10}))

    assert columns_of(release)["a model"]["all"] == 100


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
        f"Line 10: the scores of {ten} are not those of its candidates, each once.",
        "Line 13: It must have ID, and prediction or scores.",
        "Line 14: it needs either a prediction or scores.",
        "Line 15: ID must not be empty.",
        "Line 18: this is not a JSON object on one line.",
        "1 of the 2 associations have no answer.",
    ):
        assert words in told


def test_file_of_a_part_is_taken_only_where_somebody_says_so() -> None:
    release, (five, _) = a_release()
    content = as_jsonl({"ID": five, "prediction": ["moon", "puppy"]})

    found = problems(release, content)
    add(release, content, is_part=True)

    assert found == [
        "1 of the 2 associations have no answer. Add them, or say that the file covers only a part."
    ]
    row = columns_of(release)["a model"]
    assert (row["associations"], row["5 & 6"], row["10 & 12"]) == (1, 100, None)


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
        answer_files.add_answers(
            benchmark=benchmark_of(release), name="m", file=BytesIO(content), by=make_user(), now=NOW
        )

    assert words in " ".join(refusal.value.problems)
    assert not Result.objects.filter(source="uploaded").exists()


def test_many_bad_lines_are_counted_and_not_all_told() -> None:
    release, _ = a_release()

    found = problems(release, as_jsonl(*[{"ID": str(number), "prediction": []} for number in range(700)]))

    assert len(found) == MOST_PROBLEMS + 2
    assert found[0] == "No line is about an item of this release. Is the file of another release or task?"
    assert found[-1] == "And 651 more."


def test_model_has_one_row_until_it_is_removed() -> None:
    release, (five, _) = a_release()
    content = as_jsonl({"ID": five, "prediction": ["moon", "puppy"]})
    first = add(release, content, is_part=True)

    with pytest.raises(RuleBroken, match="There are answers of a model already"):
        add(release, content, is_part=True)
    benchmark_results.remove_result(result=first, by=make_user(), now=NOW)
    second = add(release, content, is_part=True)

    assert list(Result.objects.filter(source="uploaded")) == [second]


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

    assert Result.objects.count() == 0


def test_table_asks_as_often_for_many_models_as_for_one(django_assert_num_queries: Any) -> None:
    release, (five, _) = a_release()
    content = as_jsonl({"ID": five, "prediction": ["moon", "puppy"]})

    counts = []
    for number in range(4):
        add(release, content, name=f"model {number}", is_part=True)
        benchmark = Benchmark.objects.select_related("release__study").get()
        with django_assert_num_queries(2):
            counts.append(len(list(tables_of(benchmark)[1].rows)))

    assert counts == [1, 2, 3, 4]
