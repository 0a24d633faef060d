"""Benchmarks of weird images: what models are asked, and figures counted a second time by hand."""

from fractions import Fraction
from io import BytesIO

import pytest

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import benchmark_results
from crowd.whoops.models import Annotation, Image
from crowd.whoops.models.judged_items import Question
from hits.core.errors import InvalidItems
from hits.studies.models import Study
from scoring.models.model_questions import ModelQuestion
from scoring.rivals import registry
from tests.crowd.benchmarks.making import asked, file_of, run, uploaded
from tests.crowd.releases.studies import make_of, release_of
from tests.crowd.whoops.making_results import Crowd, ask, cast
from tests.factories import NOW
from tests.scoring.fakes import FakeSpeaker, make_rival, use_fakes
from tests.scoring.text_fakes import FakeText

pytestmark = pytest.mark.django_db
Kind = Question.Kind


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)
    text = f"{FakeText.__module__}:{FakeText.__name__}"
    monkeypatch.setattr(registry, "PATHS", {**registry.PATHS, "causal": text})


def open_task(study: Study, key: str) -> Benchmark:
    release = release_of(study, "whoops")
    task = benchmark_tasks.get("whoops", key)
    return benchmark_results.open_benchmark(release=release, task=task, now=NOW)


def images_of(study: Study) -> list[Image]:
    return list(Image.objects.filter(project__study=study).order_by("number"))


def mean(result: Result, measure: str, *, group: str = "", kind: str = "") -> tuple[Fraction, int]:
    """The mean of a measure over items of a kind, and how many they are."""
    (found,) = (
        one for one in result.sums if (one["measure"], one["group"], one["value"]) == (measure, group, kind)
    )
    return Fraction(str(found["sum"])) / int(str(found["items"])), int(str(found["items"]))


def judge(image: Image, variant: str, votes: list[bool], crowd: Crowd) -> None:
    (option,) = ask(
        image,
        Kind.IDENTIFY,
        offers=(("", variant == "weird"),),
        variant=variant,
        key=f"{image.number}-{variant}",
    )
    cast(option, votes, crowd.people)


def test_people_tell_weird_from_normal_by_majority() -> None:
    study = make_of("whoops", items=4)
    first, second, third, _ = images_of(study)
    crowd = Crowd(first.project, people=3, right=1, seed=1)
    judge(first, "weird", [True, True, True], crowd)  # right, and all agree
    judge(first, "normal", [False, False, True], crowd)  # right
    judge(second, "weird", [False, True, False], crowd)  # wrong
    judge(second, "normal", [False, False, False], crowd)  # right, and all agree
    judge(third, "weird", [True, True], crowd)  # one judge is missing, so it does not count

    benchmark = open_task(study, "identification")
    run()

    people = benchmark.results.get(source="people")
    assert people.answered == 4
    assert mean(people, "right") == (Fraction(3, 4), 4)
    assert mean(people, "unanimous") == (Fraction(2, 4), 4)
    assert mean(people, "right", group="picture", kind="weird") == (Fraction(1, 2), 2)
    chance = benchmark.results.get(source="chance")
    assert mean(chance, "right") == (Fraction(1, 2), 8)
    assert mean(chance, "right", group="judges", kind="seen by people") == (Fraction(1, 2), 4)


def test_a_split_of_people_is_not_right() -> None:
    study = make_of("whoops", items=1)
    (image,) = images_of(study)
    image.project.judges_wanted = 2
    image.project.save()
    crowd = Crowd(image.project, people=2, right=1, seed=1)
    judge(image, "weird", [True, False], crowd)
    judge(image, "normal", [True, False], crowd)

    benchmark = open_task(study, "identification")
    run()

    assert mean(benchmark.results.get(source="people"), "right") == (Fraction(0), 2)


def test_a_dual_encoder_gives_both_texts_a_score() -> None:
    study = make_of("whoops", items=3)
    benchmark = open_task(study, "identification")

    result = asked(benchmark, make_rival("clip", kind="clip"))

    questions = ModelQuestion.objects.all()
    assert {tuple(one.input["texts"]) for one in questions} == {("a weird image", "a normal image")}
    right = 0
    for image in images_of(study):
        for variant, picture in (("weird", image.picture), ("normal", image.partners.get().picture)):
            (question,) = (one for one in questions if one.input["pictures"][0]["sha256"] == picture.sha256)
            (weird,), (normal,) = question.output
            right += (weird > normal) if variant == "weird" else (normal > weird)
    assert mean(result, "right") == (Fraction(right, 6), 6)
    assert uploaded(benchmark, file_of(result)).sums == result.sums


@pytest.mark.parametrize(
    ("said", "weird", "normal"),
    [
        ("It is weird.", 1, 0),
        ("Normal", 0, 1),
        ("weird or normal", 0, 0),
        ("a fish on a bicycle", 0, 0),
        ("weirdly normalized", 0, 0),
    ],
)
def test_a_model_that_says_words_must_say_one_of_both(
    monkeypatch: pytest.MonkeyPatch, said: str, weird: int, normal: int
) -> None:
    monkeypatch.setattr(FakeSpeaker, "say", lambda _, asked: [said] * len(asked))
    benchmark = open_task(make_of("whoops", items=2), "identification")

    result = asked(benchmark, make_rival("blip", kind="speaker"))

    assert {one.input["prompt"] for one in ModelQuestion.objects.all()} == {"Is this normal or weird?"}
    assert mean(result, "right", group="picture", kind="weird") == (Fraction(weird), 2)
    assert mean(result, "right", group="picture", kind="normal") == (Fraction(normal), 2)


def test_a_file_of_predictions_is_scored() -> None:
    study = make_of("whoops", items=2)
    benchmark = open_task(study, "identification")
    one, other = (str(image.public_id) for image in images_of(study))
    lines = ["picture,prediction", f"{one}-weird,weird", f"{one}-normal,Weird", f"{other}-weird,normal"]

    result = uploaded(benchmark, BytesIO("\n".join([*lines, f"{other}-normal,normal"]).encode()))
    with pytest.raises(InvalidItems, match="give weird or normal"):
        uploaded(benchmark, BytesIO("\n".join([*lines, f"{other}-normal,odd"]).encode()), name="odd")

    assert mean(result, "right") == (Fraction(2, 4), 4)
    assert mean(result, "right", group="picture", kind="normal") == (Fraction(1, 2), 2)


def test_a_language_model_ranks_captions_without_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_of("whoops", items=3)
    texts = [(f"detailed {number}", f"short {number}") for number in range(3)]
    for image, (caption, underspecified) in zip(images_of(study), texts, strict=True):
        Annotation.objects.filter(image=image).update(caption=caption, underspecified=underspecified)
    # The smaller perplexity is the more probable caption: right, wrong, and a tie.
    chances = dict(zip((text for pair in texts for text in pair), (5, 9, 9, 5, 7, 7), strict=True))
    monkeypatch.setattr(FakeText, "chances", chances)
    benchmark = open_task(study, "matching")

    result = asked(benchmark, make_rival("gpt2", kind="causal"))

    assert mean(result, "ranked") == (Fraction(1, 3), 3)
    abouts = {row[0][1].words: row[-1][1].words for row in tables_of(benchmark)[0].shown()}
    assert abouts["gpt2"] == "asked here; sees no picture"
    assert abouts["Chance"] == "expected of blind answers"
