"""The paper's Table 7: a sentence model reads what a captioner says of each picture, counted by hand."""

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.services import benchmark_results
from crowd.pictures.models import Picture
from crowd.releases.models import Release
from crowd.winogavil.models import Association
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from scoring import rivals
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.rivals import registry
from tests.crowd.benchmarks.making import make_benchmark, run
from tests.crowd.benchmarks.test_real_models import register
from tests.crowd.releases.studies import make_of, release_of
from tests.crowd.winogavil.releases.data import benchmark_of, columns_of, make_final
from tests.factories import NOW, make_study
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in
from tests.scoring.fakes import FakeRival, FakeSpeaker, make_rival, use_fakes
from tests.scoring.small_picture_models import save_blip

pytestmark = pytest.mark.django_db


class FakeReader(FakeRival):
    """A sentence model: of a picture it reads the caption, and nothing else."""

    kind = "caption"

    def embed_pictures(self, pictures: Sequence[rivals.Picture]) -> rivals.Vectors:
        return self.embed_texts([picture.caption for picture in pictures])


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)
    reader = f"{__name__}:{FakeReader.__name__}"
    monkeypatch.setattr(registry, "PATHS", {**registry.PATHS, "caption": reader})


def released() -> tuple[Release, list[Association]]:
    study = make_study()
    made = [make_final(study, cue=cue, size=size) for cue, size in (("night", 5), ("beach", 10))]
    return release_of(study, "winogavil"), made


def models() -> tuple[RegisteredRival, RegisteredRival]:
    return make_rival("mpnet", kind="caption"), make_rival("ofa", kind="speaker", weights="e" * 64)


def ask(benchmark: Benchmark, reader: RegisteredRival, captioner: RegisteredRival | None) -> Result:
    result = benchmark_results.ask_model(
        benchmark=benchmark, rival=reader, captioner=captioner, by=None, now=NOW
    )
    run(times=5)
    result.refresh_from_db()
    return result


def share_by_hand(one: Association) -> Fraction:
    """The Jaccard index of the two pictures whose caption, their digest's start, is most like the word."""
    model = FakeReader(rivals.Spec(name="mpnet", kind="caption"))
    places = one.places.select_related("picture").order_by("position")
    captions = [place.picture.sha256[:4] for place in places if place.picture]
    cue, *found = model.embed_texts([f"A {one.cue}", *captions])
    scores = [sum(float(a) * float(b) for a, b in zip(cue, vector, strict=True)) for vector in found]
    right = len({0, 1} & set(sorted(range(len(scores)), key=lambda place: -scores[place])[:2]))
    return Fraction(right, 4 - right)


@pytest.mark.usefixtures("fakes")
def test_a_sentence_model_reads_what_a_captioner_says() -> None:
    release, made = released()

    result = ask(benchmark_of(release), *models())

    by_hand = [share_by_hand(one) for one in made]
    assert (result.status, result.answered, result.failed, result.name) == ("done", 2, 0, "mpnet over ofa")
    scores = [Fraction(one) for one in result.items.order_by("pk").values_list("scores__jaccard", flat=True)]
    assert scores == by_hand
    row = columns_of(release)["mpnet over ofa"]
    assert (row["5 & 6"], row["10 & 12"]) == tuple(
        pytest.approx(float(100 * share), abs=0.051) for share in by_hand
    )
    assert result.provenance["rival"] == "mpnet"
    assert result.provenance["captions"]["rival"] == "ofa"
    # Each picture is described once, and each word is asked about once.
    assert ModelQuestion.objects.filter(kind="words").count() == 15
    assert ModelQuestion.objects.filter(kind="scores").count() == 2


@pytest.mark.usefixtures("fakes")
def test_over_the_captions_of_the_release_it_is_another_row() -> None:
    release, made = released()
    reader, captioner = models()
    ask(benchmark_of(release), reader, captioner)

    own = ask(benchmark_of(release), reader, None)

    assert own.name == "mpnet"
    assert {"mpnet", "mpnet over ofa"} <= set(columns_of(release))
    asked = ModelQuestion.objects.filter(kind="scores").latest("pk")
    assert [one["caption"] for one in asked.input["pictures"]] == [
        place.label for place in made[1].places.order_by("position")
    ]


@pytest.mark.usefixtures("fakes")
def test_what_the_captioner_cannot_see_is_left_out_and_asked_again() -> None:
    release, made = released()
    broken = made[0].places.get(position=3).picture
    assert broken
    FakeSpeaker.broken.add(broken.sha256)
    result = ask(benchmark_of(release), *models())
    assert (result.status, result.answered, result.failed) == ("done", 1, 1)

    FakeSpeaker.broken.clear()
    benchmark_results.ask_failed_again(result=result, by=None, now=NOW)
    run(times=5)

    result.refresh_from_db()
    assert (result.status, result.answered, result.failed, result.problem) == ("done", 2, 0, "")


@pytest.mark.usefixtures("fakes")
def test_a_picture_about_which_nothing_is_said_is_not_known_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeSpeaker, "say", lambda _, asked: [""] * len(asked))
    release, _ = released()

    ask(benchmark_of(release), *models())

    asked = ModelQuestion.objects.filter(kind="scores").first()
    assert asked
    assert {one["caption"] for one in asked.input["pictures"]} == {"picture"}


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("kind", "captioner"), [("clip", "speaker"), ("cross", "speaker"), ("caption", "clip")]
)
def test_only_a_sentence_model_reads_captions_and_only_a_captioner_says_them(
    kind: str, captioner: str
) -> None:
    release, _ = released()

    with pytest.raises(RuleBroken, match="cannot read captions"):
        benchmark_results.ask_model(
            benchmark=benchmark_of(release),
            rival=make_rival("one", kind=kind),
            captioner=make_rival("other", kind=captioner),
            by=None,
            now=NOW,
        )

    assert not Result.objects.filter(source="asked").exists()


@pytest.mark.usefixtures("fakes")
def test_a_task_that_shows_no_captions_takes_none() -> None:
    benchmark = make_benchmark("whoops")
    reader, captioner = models()

    with pytest.raises(RuleBroken, match="cannot read captions"):
        benchmark_results.ask_model(benchmark=benchmark, rival=reader, captioner=captioner, by=None, now=NOW)


@pytest.mark.usefixtures("fakes")
def test_it_is_asked_from_the_page_and_by_the_api_and_stands_in_the_file(client: Client) -> None:
    release, _ = released()
    benchmark, (reader, captioner) = benchmark_of(release), models()
    sign_in(client, RESEARCHER, release.study)
    held = Notebook(make_member(RESEARCHER, release.study))
    ask_page = reverse("admin:benchmarks_ask", args=[benchmark.pk])

    form = text_of(client.get(ask_page))
    sent = client.post(ask_page, {"rival": reader.pk, "captioner": captioner.pk, "about": ""})
    body: dict[str, Any] = {"model": "mpnet", "captions_by": "ofa"}
    twice = held.post(f"benchmarks/{benchmark.pk}/ask/", body)
    unknown = held.post(f"benchmarks/{benchmark.pk}/ask/", {**body, "captions_by": "nobody"})
    run(times=5)

    assert "Captions said by" in form
    assert sent.status_code == 302
    assert (twice.status_code, unknown.status_code) == (409, 400)
    assert "No model of this name says captions here." in unknown.content.decode()
    told = held.get("benchmark-results/", benchmark=benchmark.pk, source="asked").json()["results"]
    assert [(one["name"], one["captions_by"]) for one in told] == [("mpnet over ofa", "ofa")]
    file = client.get(reverse("admin:benchmarks_file", args=[benchmark.pk, "by-data"]))
    lines = b"".join(file.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines[1].startswith("mpnet over ofa,2,")


def test_real_models_of_random_weights_describe_and_read(settings: LazySettings, tmp_path: Path) -> None:
    captioner = register("blip", "speaker", save_blip(tmp_path / "blip"), settings, tmp_path)
    reader = RegisteredRival.objects.create(name="minilm", kind="caption", added_at=NOW)
    release = release_of(make_of("winogavil", items=2), "winogavil")

    result = ask(benchmark_of(release), reader, captioner)

    assert (result.status, result.answered, result.problem) == ("done", 2, "")
    row = json.loads((release.frozen / "full.jsonl").read_text().splitlines()[0])
    shown = [
        rivals.Picture(
            sha256=one["sha256"], path=Picture.objects.get(sha256=one["sha256"]).file.path, caption=""
        )
        for one in row["pictures"]
    ]
    said = [
        words or "picture"
        for words in registry.load(_spec(captioner, settings)).say([("", one) for one in shown])
    ]
    model = registry.load(rivals.Spec(name="minilm", kind="caption"))
    cue, *found = model.embed_texts([row["cue"], *said])
    scores = [float(cue @ vector) for vector in found]
    asked = ModelQuestion.objects.get(kind="scores", input__texts=[row["cue"]])
    assert [one["caption"] for one in asked.input["pictures"]] == said
    assert asked.output[0] == pytest.approx(scores, abs=1e-5)


def _spec(rival: RegisteredRival, settings: LazySettings) -> rivals.Spec:
    return rivals.Spec(
        name=rival.name, kind=rival.kind, path=Path(settings.WEIGHTS_DIR) / rival.path, options=rival.options
    )
