"""Models with real architectures and small random weights, from their registration to the tables."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from django.conf import LazySettings

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.services import benchmark_results
from crowd.pictures.models import Picture
from scoring import rivals
from scoring.models import RegisteredRival, Verdict
from scoring.rivals.cross_encoder import CrossEncoder
from scoring.services import fetching, rival_answers
from scoring.services.fetching import WantedModel
from scoring.services.rival_selection import play_against
from tests.crowd.benchmarks.making import asked, make_benchmark
from tests.crowd.pictures.images import make_raster
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_assignment, make_user
from tests.scoring.small_picture_models import save_blip, save_vilt

pytestmark = pytest.mark.django_db


def register(name: str, kind: str, folder: Path, settings: LazySettings, home: Path) -> RegisteredRival:
    settings.WEIGHTS_DIR = home / "weights"
    wanted = WantedModel(name=name, kind=kind, model=name, source=folder, options={"batch_size": 3})
    return fetching.fetch_rival(wanted=wanted, now=NOW)


def test_a_cross_encoder_is_registered_and_measured_on_caption_matching(
    settings: LazySettings, tmp_path: Path
) -> None:
    rival = register("vilt", "cross", save_vilt(tmp_path / "vilt"), settings, tmp_path)
    benchmark = make_benchmark("winoground", items=3)

    result = asked(benchmark, rival)

    assert (result.status, result.answered, result.problem) == ("done", 3, "")
    model = CrossEncoder(rivals.Spec(name="vilt", kind="cross", path=tmp_path / "weights" / "vilt"))
    row = json.loads((benchmark.release.frozen / "full.jsonl").read_text().splitlines()[0])
    pictures = [picture_of(row[f"image_{place}_sha256"]) for place in (0, 1)]
    by_hand = [
        model.score_pairs([(row[f"caption_{caption}"], picture)])[0]
        for caption in (0, 1)
        for picture in pictures
    ]
    answer = result.items.get(item=row["example"]).answer
    assert answer == pytest.approx(by_hand, abs=1e-4)


def picture_of(digest: str) -> rivals.Picture:
    picture = Picture.objects.get(sha256=digest)
    return rivals.Picture(sha256=digest, path=picture.file.path, caption="")


def test_a_cross_encoder_is_registered_and_plays_the_association_game(
    settings: LazySettings, tmp_path: Path
) -> None:
    from scoring.services import asking_rivals  # noqa: PLC0415

    rival = register("vilt", "cross", save_vilt(tmp_path / "vilt"), settings, tmp_path)
    assignment = make_assignment()
    play_against(study=assignment.hit.batch.study, rival=rival, by=make_user(), now=NOW, paid=True)
    shown = [
        asking_rivals.ShownPicture(sha256=make_raster(seed=seed, concept=f"thing {seed}").sha256, caption="")
        for seed in range(5)
    ]
    new = asking_rivals.NewRivalQuery(text="moon", pictures=shown, chosen=[0, 2])
    asking_rivals.ask(new=new, assignment=assignment, now=NOW)

    rival_answers.answer_waiting(clock=lambda: NOW)

    verdict = Verdict.objects.get(rival=rival)
    assert verdict.prompt == "A moon"
    assert len(set(verdict.scores)) == 5
    assert len(verdict.places) == 2
    assert Fraction(verdict.model_score) <= 100


def test_a_captioner_is_registered_and_describes_weird_images(settings: LazySettings, tmp_path: Path) -> None:
    rival = register("blip", "speaker", save_blip(tmp_path / "blip"), settings, tmp_path)
    release = release_of(make_of("whoops", items=3), "whoops")
    task = benchmark_tasks.get("whoops", "description")
    benchmark = benchmark_results.open_benchmark(release=release, task=task, now=NOW)

    result = asked(benchmark, rival)

    assert (result.status, result.answered) == ("done", 3)
    assert {one["measure"] for one in result.sums} == {"bleu_4", "cider"}
    assert Result.objects.get(source="asked").provenance["preprocessing"]["decoding"] == "greedy"
    assert Benchmark.objects.count() == 1
