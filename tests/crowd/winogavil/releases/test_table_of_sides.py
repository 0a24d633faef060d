"""The paper's Table 11: word and candidates as texts or pictures, counted a second time by hand."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import benchmark_results
from crowd.pictures.models import Picture
from crowd.releases.models import Release
from crowd.winogavil.models import Association
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from scoring import rivals
from scoring.models.model_questions import ModelQuestion
from tests.crowd.benchmarks.making import asked, file_of, run, uploaded
from tests.crowd.releases.studies import release_of
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import NOW, make_picture, make_study
from tests.hits.calling import Notebook
from tests.people import make_member, sign_in
from tests.scoring.fakes import FakeRival, make_rival, use_fakes

pytestmark = pytest.mark.django_db
NAMES = ["moon", "puppy", "cup", "key", "tree"]
OTHERS = ["sea", "sand", "bus", "car", "hat"]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)


def make_game(study: Study) -> tuple[Association, Association]:
    """One of the game and one of the SWOW baseline whose words have pictures, and one whose word has none."""
    night, beach = make_picture(concept="Night"), make_picture(concept="beach")
    unchecked = make_picture(concept="cold")
    Picture.objects.filter(pk=unchecked.pk).update(status="waiting")
    Picture.objects.filter(pk__in=[night.pk, beach.pk]).update(status="fit", licence="CC BY 4.0")
    make_final(study, cue="cold")
    return (
        make_final(study, cue="night", concepts=NAMES),
        make_final(study, cue="beach", concepts=OTHERS, source="swow"),
    )


def released() -> tuple[Release, Sequence[Association]]:
    study = make_study()
    made = make_game(study)
    return release_of(study, "winogavil", sources=["worker", "swow"]), made


def benchmark_of(release: Release) -> Benchmark:
    task = benchmark_tasks.get("winogavil", "sides")
    return benchmark_results.open_benchmark(release=release, task=task, now=NOW)


def table(benchmark: Benchmark, name: str) -> dict[str, dict[str, Any]]:
    found = next(one for one in tables_of(benchmark) if one.name == name)
    return {row.pop("model"): row for row in found.as_json()}


def share_by_hand(one: Association, word: str, candidates: str) -> Fraction:
    """The Jaccard index of the two candidates that are most like the word, where the first two are right."""
    model = FakeRival(rivals.Spec(name="fake", kind="clip"))
    shown = Picture.objects.get(concept__iexact=one.cue, status="fit")

    def vector(text: str, picture: Picture | None, side: str) -> Sequence[float]:
        if side == "text":
            return [float(one) for one in model.embed_texts([f"A {text}"])[0]]
        assert picture
        seen = rivals.Picture(sha256=picture.sha256, path="", caption="")
        return [float(one) for one in model.embed_pictures([seen])[0]]

    cue = vector(one.cue, shown, word)
    places = one.places.select_related("picture").order_by("position")
    vectors = [vector(place.label, place.picture, candidates) for place in places]
    scores = [sum(a * b for a, b in zip(cue, found, strict=True)) for found in vectors]
    right = len({0, 1} & set(sorted(range(5), key=lambda place: -scores[place])[:2]))
    return Fraction(right, 4 - right)


def test_a_dual_encoder_is_asked_in_every_combination_on_the_same_associations() -> None:
    release, made = released()
    benchmark = benchmark_of(release)

    result = asked(benchmark, make_rival())

    assert (result.status, result.answered, result.failed) == ("done", 8, 0)
    by_hand = {
        f"{word} to {candidates}": [share_by_hand(one, word, candidates) for one in made]
        for word in ("text", "image")
        for candidates in ("text", "image")
    }
    row = table(benchmark, "by-modality")["fake"]
    assert row == {"comparisons": 8} | {
        name: pytest.approx(float(100 * sum(shares) / 2), abs=0.051) for name, shares in by_hand.items()
    }
    of_baseline = next(one for one in tables_of(benchmark) if one.name == "by-modality-of-the-SWOW-baseline")
    rows = (row for row in of_baseline.as_json() if row["who"] == "fake")
    assert {row["kind"]: (row["items"], row["jaccard"]) for row in rows} == {
        name.replace(" to ", "-"): (1, pytest.approx(float(shares[1]))) for name, shares in by_hand.items()
    }


def test_people_stand_where_they_saw_the_same_and_chance_everywhere() -> None:
    release, _ = released()
    benchmark = benchmark_of(release)

    run()

    rows = table(benchmark, "by-modality")
    assert rows["Solvers"] == {
        "comparisons": 2, "text to text": None, "text to image": 100, "image to text": None,
        "image to image": None,
    }  # fmt: skip
    assert rows["Chance"] == {"comparisons": 8} | dict.fromkeys(
        ("text to text", "text to image", "image to text", "image to image"), 30
    )


def test_a_model_that_reads_captions_reads_them_in_the_place_of_pictures() -> None:
    study = make_study()
    make_game(study)
    Picture.objects.filter(concept="moon").update(caption="a round light in the sky")
    release = release_of(study, "winogavil", sources=["worker"])
    Picture.objects.filter(concept="moon").update(caption="changed since then")

    asked(benchmark_of(release), make_rival(kind="caption"))

    question = next(
        one.input
        for one in ModelQuestion.objects.all()
        if "text" not in one.input["others"][0] and one.input["one"].get("text") == "night"
    )
    assert [side["caption"] for side in question["others"]] == ["a round light in the sky", *NAMES[1:]]


def test_the_picture_of_the_word_is_one_of_the_release() -> None:
    release, _ = released()

    rows = [json.loads(line) for line in (release.folder / "full.jsonl").read_text().splitlines()]

    told = {row["cue"]: [one["name"] for one in row["cue_picture"]] for row in rows}
    assert told == {"night": ["Night"], "beach": ["beach"], "cold": []}
    listed = (release.folder / "pictures.csv").read_text()
    assert Picture.objects.get(concept="Night").sha256 in listed
    assert (release.counts["cue_pictures"], {tuple(row["concepts"]) for row in rows} >= {tuple(NAMES)}) == (
        2, True,
    )  # fmt: skip


def test_the_same_answers_from_a_file_give_the_same_figures() -> None:
    release, _ = released()
    one = asked(benchmark_of(release), make_rival())

    other = uploaded(one.benchmark, file_of(one))

    assert other.sums == one.sums != []
    assert file_of(one).getvalue().decode().count("/image-text") == 2


def test_a_model_that_takes_both_together_is_refused() -> None:
    release, _ = released()

    with pytest.raises(RuleBroken, match="cannot answer this"):
        benchmark_results.ask_model(
            benchmark=benchmark_of(release), rival=make_rival(kind="cross"), by=None, now=NOW
        )

    assert not Result.objects.filter(source="asked").exists()


def test_a_release_without_a_word_that_has_a_picture_has_no_such_task() -> None:
    bare = make_study()
    make_final(bare, cue="cold")

    tasks = benchmark_tasks.tasks_for(release_of(bare, "winogavil"))

    assert [task.key for task in tasks] == ["associations"]


def test_the_table_is_a_page_a_file_and_an_answer_of_the_api(client: Client) -> None:
    release, _ = released()
    benchmark = benchmark_of(release)
    asked(benchmark, make_rival())
    sign_in(client, RESEARCHER, release.study)

    page = client.get(reverse("admin:benchmarks_benchmark", args=[benchmark.pk])).content.decode()
    file = client.get(reverse("admin:benchmarks_file", args=[benchmark.pk, "by-modality"]))
    notebook = Notebook(make_member(RESEARCHER, release.study))
    told = notebook.get(f"benchmarks/{benchmark.pk}/tables/").json()

    assert "By modality" in page
    heading = b"".join(file.streaming_content).decode().splitlines()[0]  # type: ignore[attr-defined]
    assert heading == "\ufeffmodel,comparisons,text to text,text to image,image to text,image to image"
    rows = next(one["rows"] for one in told if one["name"] == "by-modality")
    assert [row["model"] for row in rows] == ["fake", "Solvers", "Chance"]
