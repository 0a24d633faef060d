"""Answers to questions about weird images, matched exactly and by a sentence model."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from django.conf import LazySettings

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import benchmark_results, learned_match
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import RuleBroken
from scoring import rivals
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.rivals import registry
from scoring.services.answering_questions import answer_questions
from tests.crowd.benchmarks.making import asked, file_of, make_benchmark, run, uploaded
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_user
from tests.scoring.fakes import FakeRival, FakeSpeaker, make_rival, use_fakes
from tests.scoring.text_fakes import FakeText

pytestmark = pytest.mark.django_db
# Vectors of the matcher's texts: their cosines are 1, 0.8, 0.6 and 0.
NEAR: Mapping[str, tuple[float, float]] = {"jungle": (1, 0), "forest": (0.8, 0.6), "park": (0.6, 0.8)}


class Reader(FakeRival):
    """A sentence model that knows a few words; others are at a right angle to all of them but themselves."""

    kind = "caption"

    def embed_texts(self, prompts: Sequence[str]) -> rivals.Vectors:
        return np.array([NEAR.get(text, (0, 1)) for text in prompts], dtype=np.float32)

    def embed_pictures(self, pictures: Sequence[rivals.Picture]) -> rivals.Vectors:
        return self.embed_texts([picture.caption for picture in pictures])


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)
    others = {"caption": f"{__name__}:Reader", "causal": f"{FakeText.__module__}:FakeText"}
    monkeypatch.setattr(registry, "PATHS", {**registry.PATHS, **others})


@pytest.fixture
def benchmark() -> Benchmark:
    """Four questions whose right answer is the jungle."""
    study = make_of("whoops", items=4)
    Option.objects.filter(question__project__study=study).update(text="jungle")
    for image in Image.objects.filter(project__study=study):
        Question.objects.filter(image=image).update(key=f"q{image.number}", text="Where is it?")
    task = benchmark_tasks.get("whoops", "questions")
    return benchmark_results.open_benchmark(release=release_of(study, "whoops"), task=task, now=NOW)


def answers(benchmark: Benchmark, texts: Sequence[str], *, name: str = "uploaded") -> Result:
    lines = ["question,answer", *(f"q{number},{text}" for number, text in enumerate(texts, start=1))]
    return uploaded(benchmark, BytesIO("\n".join(lines).encode()), name=name)


def choose(benchmark: Benchmark, matcher: RegisteredRival, matches_from: float = 0.7) -> None:
    learned_match.choose_matcher(
        benchmark=benchmark, matcher=matcher, matches_from=matches_from, by=make_user(), now=NOW
    )


def match() -> None:
    for _ in range(3):
        learned_match.match_answers(now=NOW)
        answer_questions(clock=lambda: NOW)
    learned_match.match_answers(now=NOW)


def sums(result: Result) -> dict[str, tuple[str, int]]:
    result.refresh_from_db()
    return {
        str(one["measure"]): (str(one["sum"]), int(str(one["items"])))
        for one in result.sums
        if not one["group"]
    }


def test_an_answer_matches_exactly_but_for_case_marks_and_articles(benchmark: Benchmark) -> None:
    result = answers(benchmark, ["The jungle!", "JUNGLE", "in a jungle", "forest"])

    assert sums(result) == {"exact_match": ("2", 4)}
    assert Fraction(result.items.get(item="q3").scores["exact_match"]) == 0


def test_a_chosen_model_decides_which_answers_mean_the_same(benchmark: Benchmark) -> None:
    before = answers(benchmark, ["jungle", "forest", "park", "sea"])

    choose(benchmark, make_rival("reader", kind="caption"))
    after = answers(benchmark, ["forest", "forest", "sea", "sea"], name="later")
    match()

    assert sums(before) == {"exact_match": ("1", 4), "learned_match": ("2", 4)}
    assert sums(after) == {"exact_match": ("0", 4), "learned_match": ("2", 4)}
    assert not Result.objects.filter(to_match=True).exists()
    (table, *_) = tables_of(Benchmark.objects.get())
    assert "reader finds a cosine of at least 0.7 with the right answer" in table.about
    assert [column.title for column in table.header()][:3] == ["Who", "Learned match", "Exact match"]


def test_another_threshold_has_all_answers_matched_again(benchmark: Benchmark) -> None:
    result, reader = (
        answers(benchmark, ["jungle", "forest", "park", "sea"]),
        make_rival("reader", kind="caption"),
    )
    choose(benchmark, reader)
    match()

    choose(benchmark, reader, 0.5)

    assert sums(result) == {"exact_match": ("1", 4)}
    match()
    assert sums(result)["learned_match"] == ("3", 4)
    assert ModelQuestion.objects.count() == 4


def test_nothing_is_told_before_all_answers_are_matched(benchmark: Benchmark) -> None:
    result = answers(benchmark, ["jungle", "forest", "park", "sea"])
    choose(benchmark, make_rival("reader", kind="caption"))

    learned_match.match_answers(now=NOW)

    assert sums(result) == {"exact_match": ("1", 4)}
    assert Result.objects.get(pk=result.pk).to_match


def test_a_matcher_that_is_away_is_told_and_tried_again(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = answers(benchmark, ["jungle"] * 4)
    choose(benchmark, make_rival("reader", kind="caption"))
    monkeypatch.setattr(Reader, "down", True)

    match()

    result.refresh_from_db()
    assert (result.problem, result.to_match) == ("The weights are gone.", True)
    monkeypatch.setattr(Reader, "down", False)
    ModelQuestion.objects.update(try_at=NOW)
    match()
    assert sums(result)["learned_match"] == ("4", 4)
    assert result.problem == ""


def test_a_model_that_is_asked_is_matched_as_well(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeSpeaker, "say", lambda _, asked: ["a forest" for _ in asked])
    monkeypatch.setitem(NEAR, "a forest", NEAR["forest"])
    choose(benchmark, make_rival("reader", kind="caption"))

    result = asked(benchmark, make_rival("blip", kind="speaker"))
    match()

    prompts = {one.input["prompt"] for one in ModelQuestion.objects.filter(kind="words")}
    assert prompts == {"Where is it?"}
    assert sums(result) == {"exact_match": ("0", 4), "learned_match": ("4", 4)}
    assert uploaded(benchmark, file_of(result)).answered == 4


def test_a_language_model_answers_without_the_picture(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeText, "words", {"Question: Where is it?\nAnswer:": ["jungle"]})

    result = asked(benchmark, make_rival("gpt2", kind="causal"))

    assert sums(result) == {"exact_match": ("4", 4)}
    (table, *_) = tables_of(benchmark)
    assert next(row[-1][1].words for row in table.shown()) == "asked here; sees no picture"


def test_only_a_sentence_model_matches_and_only_texts_are_matched(benchmark: Benchmark) -> None:
    with pytest.raises(RuleBroken, match="compares no texts"):
        choose(benchmark, make_rival("clip", kind="clip"))
    with pytest.raises(RuleBroken, match="not matched by a model"):
        choose(make_benchmark("whoops"), make_rival("reader", kind="caption"))

    assert not Benchmark.objects.filter(matcher__isnull=False).exists()


def test_the_packaged_sentence_model_tells_near_answers_from_far_ones(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch, settings: LazySettings, tmp_path: Path
) -> None:
    monkeypatch.setitem(registry.PATHS, "caption", "scoring.rivals.caption:CaptionRival")
    result = answers(benchmark, ["in the jungle", "the jungles", "a red bicycle", "two"])
    minilm = RegisteredRival.objects.create(name="minilm", kind="caption", added_at=NOW)

    choose(benchmark, minilm)
    match()
    run()

    scores = {row.item: row.scores["learned_match"] for row in result.items.all()}
    assert scores == {"q1": "1", "q2": "1", "q3": "0", "q4": "0"}
