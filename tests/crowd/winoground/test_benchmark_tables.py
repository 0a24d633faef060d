"""The paper's tables on a benchmark, against figures that are counted a second time by hand."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from scipy.stats import pearsonr

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.models import Benchmark, Correlation, Result
from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services import benchmark_results
from crowd.winoground.models import Example
from hits.identity.roles import RESEARCHER
from scoring.rivals import registry
from tests.crowd.benchmarks.making import asked, make_hiding, rival_for, run, uploaded
from tests.crowd.releases.studies import release_of
from tests.crowd.winoground.making_scores import (
    IMAGE_ONLY,
    RIGHT,
    TEXT_ONLY,
    WRONG,
    answer,
    make_example,
    make_project,
    make_voters,
)
from tests.factories import NOW, make_study, make_user
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import make_rival, use_fakes
from tests.scoring.text_fakes import FakeText

pytestmark = pytest.mark.django_db
# What is swapped, predicates, whether symbolic, what people say, and a model's four scores.
MADE: Any = (
    ("object", 1, True, RIGHT, (0.9, 0.1, 0.2, 0.8)),
    ("object", 2, False, RIGHT, (0.5, 0.6, 0.4, 0.9)),
    ("relation", 1, False, RIGHT, (0.1, 0.9, 0.9, 0.1)),
    ("relation", 1, True, TEXT_ONLY, (0.9, 0.1, 0.2, 0.8)),
    ("relation", 2, False, IMAGE_ONLY, (0.3, 0.3, 0.3, 0.3)),
    ("both", 2, False, WRONG, (0.6, 0.4, 0.8, 0.9)),
    ("object", 1, False, RIGHT, (0.7, 0.1, 0.2, 0.9)),
    ("relation", 1, False, RIGHT, (0.1, 0.9, 0.9, 0.1)),
)
# Models of the paper: millions of images and captions, and its text, image and group scores.
PAPER: Any = (
    ("VinVL", 1.89, 4.87, 37.75, 17.75, 14.5),
    ("UNITER large", 4.2, 9.58, 38.0, 14.0, 10.5),
    ("UNITER base", 4.2, 9.58, 32.25, 13.25, 10.0),
    ("ViLLA large", 4.2, 9.58, 37.0, 13.25, 11.0),
    ("ViLLA base", 4.2, 9.58, 30.0, 12.0, 8.0),
    ("VisualBERT", 0.3, 0.52, 15.5, 2.5, 1.5),
    ("ViLT", 4.1, 9.85, 34.75, 14.0, 9.25),
    ("LXMERT", 0.18, 9.18, 19.25, 7.0, 4.0),
    ("ViLBERT", 3.3, 3.3, 23.75, 7.25, 4.75),
    ("UniT", 0.69, 1.91, 19.5, 6.25, 4.0),
    ("FLAVA ITM", 70, 70, 32.25, 20.5, 14.25),
    ("FLAVA contrastive", 70, 70, 25.25, 13.5, 9.0),
    ("CLIP", 400, 400, 30.75, 10.5, 8.0),
    ("VSE++ COCO ResNet", 0.11, 0.57, 22.75, 8.0, 4.0),
    ("VSE++ COCO VGG", 0.11, 0.57, 18.75, 5.5, 3.5),
    ("VSE++ Flickr30k ResNet", 0.03, 0.16, 20.0, 5.0, 2.75),
    ("VSE++ Flickr30k VGG", 0.03, 0.16, 19.75, 6.25, 4.5),
    ("VSRN COCO", 0.11, 0.57, 17.5, 7.0, 3.75),
    ("VSRN Flickr30k", 0.03, 0.16, 20.0, 5.0, 3.5),
)


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    """A causal model whose perplexity of a text is its number of letters."""
    monkeypatch.setattr(registry, "PATHS", {"causal": f"{FakeText.__module__}:{FakeText.__name__}"})
    monkeypatch.setattr(registry, "_loaded", {})
    return FakeText


def make_scored() -> Benchmark:
    """A benchmark of eight examples with people and one model, "dots"."""
    project = make_project()
    voters = make_voters(project)
    for number, (swap, predicates, is_symbolic, votes, _) in enumerate(MADE):
        slow = "slowly " * (number * number % 5)
        example = make_example(
            project,
            swap=swap,
            predicates=predicates,
            is_symbolic=is_symbolic,
            caption_0=f"a bird {slow}follows a boat",
            caption_1=f"a boat {slow}follows a bird{'!' * number}",
        )
        answer(example, votes, voters)
    release = release_of(project.study, "winoground")
    task = benchmark_tasks.get("winoground", "captions")
    benchmark = benchmark_results.open_benchmark(release=release, task=task, now=NOW)
    names = map(str, Example.objects.order_by("number").values_list("public_id", flat=True))
    lines = [
        json.dumps({"example": name, **dict(zip(("c0_i0", "c0_i1", "c1_i0", "c1_i1"), four, strict=True))})
        for name, (*_, four) in zip(names, MADE, strict=True)
    ]
    uploaded(benchmark, BytesIO("\n".join(lines).encode()), name="dots")
    run()
    return benchmark


def rows_of(benchmark: Benchmark, table: str) -> dict[str, dict[str, Any]]:
    (found,) = (one for one in tables_of(benchmark) if one.name == table)
    return {str(row.get("who") or row["model"]): row for row in found.as_json()}


def test_scores_have_intervals_by_four_groups_of_the_examples() -> None:
    rows = rows_of(make_scored(), "results")

    # People: right by text are 1, 2, 3, 4, 7 and 8; by image 1, 2, 3, 5, 7 and 8; by both five.
    people, dots, chance = rows["People"], rows["dots"], rows["Chance"]
    assert [people[one] for one in ("text", "image", "group")] == [6 / 8, 6 / 8, 5 / 8]
    # The model's: by text 1, 2, 4 and 7, by image 1, 4, 6 and 7, by both 1, 4 and 7.
    assert [dots[one] for one in ("text", "image", "group")] == [4 / 8, 4 / 8, 3 / 8]
    # Dealt in turn: 1 and 5, 2 and 6, 3 and 7, 4 and 8. By text, people have .5, .5, 1 and 1, the model
    # .5, .5, .5 and .5, so the interval is .75 plus and minus 3.1824463 times the root of .25 / 3 / 4.
    away = 3.182446305283708 * (0.25 / 3 / 4) ** 0.5
    assert people["text_interval"] == pytest.approx([0.75 - away, 1.0], abs=1e-12)
    assert dots["text_interval"] == [0.5, 0.5]
    assert chance["text_interval"] is None


def test_tags_stand_side_by_side_as_in_the_paper() -> None:
    benchmark = make_scored()

    swap, predicates, visual = (rows_of(benchmark, f"by-{one}") for one in ("swap", "predicates", "visual"))

    # Objects are 1, 2 and 7, relations 3, 4, 5 and 8, both is 6.
    assert list(swap["dots"].items()) == [
        ("model", "dots"),
        ("examples", 8),
        ("Object: text", 100.0),
        ("Object: image", 66.7),
        ("Object: group", 66.7),
        ("Relation: text", 25.0),
        ("Relation: image", 25.0),
        ("Relation: group", 25.0),
        ("Both: text", 0.0),
        ("Both: image", 100.0),
        ("Both: group", 0.0),
    ]
    assert swap["People"]["Relation: text"] == 75.0
    assert swap["Chance"]["Both: group"] == 16.7
    assert predicates["People"]["Two main predicates: image"] == 66.7
    assert visual["dots"]["Symbolic: group"] == 100.0
    assert visual["dots"]["Series: text"] is None


def test_the_tables_are_on_the_page_and_in_its_files(client: Client) -> None:
    benchmark = make_scored()
    sign_in(client, RESEARCHER, benchmark.release.study)

    page = text_of(client.get(reverse("admin:benchmarks_benchmark", args=[benchmark.pk])))
    file = client.get(reverse("admin:benchmarks_file", args=[benchmark.pk, "by-swap"]))

    assert "By swap" in page
    assert "three degrees of freedom" in page
    lines = b"".join(file.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines[0].startswith("\ufeffmodel,examples,Object: text,")
    assert next(line for line in lines if line.startswith("dots,")).startswith("dots,8,100.0,66.7,66.7,25.0,")


def test_results_of_before_there_were_intervals_get_theirs() -> None:
    benchmark = make_scored()
    result = Result.objects.get(name="dots")
    older = [one for one in result.sums if one["group"] != "quarter"]
    Result.objects.filter(name="dots").update(sums=older, is_related=False)
    before = rows_of(benchmark, "results")["dots"]

    run()

    assert (before["text"], before["text_interval"]) == (0.5, None)
    assert Result.objects.get(name="dots").sums == result.sums


def pairs_by_hand(what: str) -> tuple[list[float], list[float]]:
    """Letters of captions, the fake's perplexity, with the scores of "dots" or the shares of people."""
    xs, ys = [], []
    for example, (*_, votes, four) in zip(Example.objects.order_by("number"), MADE, strict=True):
        said = four if what == "dots" else [yes / answers for yes, answers in votes]
        for place, score in enumerate(said):
            xs.append(float(len(example.caption_0 if place < 2 else example.caption_1)))
            ys.append(score)
    return xs, ys


def test_scores_correlate_with_perplexities_that_a_model_reads(text: type[FakeText]) -> None:
    benchmark = make_scored()
    result = benchmark_results.ask_model(
        benchmark=benchmark, rival=make_rival("reader", kind="causal"), by=None, now=NOW
    )
    run()

    (found,) = (one for one in tables_of(benchmark) if one.name == "correlations")

    rows = {(row["who"], row["read_by"]): row for row in found.as_json()}
    for who in ("dots", "People"):
        by_hand = pearsonr(*pairs_by_hand(who))
        row = rows[who, "reader"]
        assert (row["r"], row["p"]) == pytest.approx((by_hand.statistic, by_hand.pvalue), abs=1e-12)
        assert row["pairs"] == 4 * len(MADE)
    assert ("reader", "") not in rows
    assert "reader" not in rows_of(benchmark, "results")
    result.refresh_from_db()
    assert (result.source, result.status, result.answered) == ("read", "done", len(MADE))

    benchmark_results.remove_result(result=result, by=make_user(), now=NOW)

    assert {one.relation for one in Correlation.objects.all()} == {"length"}


def test_group_scores_correlate_with_the_length_of_captions() -> None:
    benchmark = make_scored()
    (found,) = (one for one in tables_of(benchmark) if one.name == "correlations")

    rows = {row["who"]: row for row in found.as_json()}

    lengths = [
        len(one.caption_0.split()) + len(one.caption_1.split()) for one in Example.objects.order_by("number")
    ]
    by_hand = pearsonr(lengths, [1, 1, 1, 0, 0, 0, 1, 1])
    assert (rows["People"]["r"], rows["People"]["p"]) == pytest.approx(
        (by_hand.statistic, by_hand.pvalue), abs=1e-12
    )
    assert rows["People"]["pairs"] == len(MADE)
    assert set(rows) == {"People", "dots"}


def test_a_model_that_is_asked_again_is_correlated_again(text: type[FakeText]) -> None:
    benchmark = make_scored()
    result = benchmark_results.ask_model(
        benchmark=benchmark, rival=make_rival("reader", kind="causal"), by=None, now=NOW
    )
    run()
    Result.objects.filter(pk=result.pk).update(failed=1)
    result.refresh_from_db()

    benchmark_results.ask_failed_again(result=result, by=None, now=NOW)
    between = Correlation.objects.filter(reading=result).count()
    run()

    assert (between, Correlation.objects.filter(reading=result).count()) == (0, 2)


def make_models_of_the_paper(benchmark: Benchmark) -> None:
    for name, images, captions, *shares in PAPER:
        sums = [
            {"group": "", "value": "", "measure": measure, "items": 400, "sum": str(round(4 * share))}
            for measure, share in zip(("text", "image", "group"), shares, strict=True)
        ]
        Result.objects.create(
            benchmark=benchmark,
            name=name,
            added_at=NOW,
            sums=sums,
            pretraining_images=round(images * 10**6),
            pretraining_captions=round(captions * 10**6),
        )


def test_size_of_the_pretraining_goes_with_scores_as_in_the_paper(client: Client) -> None:
    benchmark = make_scored()
    make_models_of_the_paper(benchmark)

    (found,) = (one for one in tables_of(benchmark) if one.name == "pretraining")

    rows = [row for row in found.as_json() if row["left_out"]]
    assert {row["left_out"] for row in rows} == {"FLAVA ITM, FLAVA contrastive, CLIP"}
    assert {row["models"] for row in rows} == {16}
    assert [(row["pretraining"], row["measure"], round(row["r"], 2)) for row in rows] == [
        ("images", "Text", 0.84),
        ("images", "Image", 0.76),
        ("images", "Group", 0.75),
        ("captions", "Text", 0.77),
        ("captions", "Image", 0.75),
        ("captions", "Group", 0.71),
    ]
    assert all(row["p"] < 0.01 for row in rows)
    everyone = [row for row in found.as_json() if not row["left_out"]]
    by_hand = pearsonr([one[1] for one in PAPER], [one[3] for one in PAPER])
    assert everyone[0]["r"] == pytest.approx(by_hand.statistic)
    images, captions = found.charts
    assert [one["model"] for one in images.spec["data"]["values"] if one["count"] > 5] == []
    assert captions.words.startswith("How 16 models do, by pretraining captions, in millions.")
    sign_in(client, RESEARCHER, benchmark.release.study)
    page = text_of(client.get(reverse("admin:benchmarks_benchmark", args=[benchmark.pk])))
    assert "By size of the pretraining" in page
    assert 'data-chart="spec-pretraining_images"' in page


def shown_items(client: Client, result: Result, **query: str) -> list[str]:
    page = text_of(client.get(reverse("admin:benchmarks_items", args=[result.pk]), query))
    return [row.partition("</th>")[0].strip() for row in page.split('<th scope="row" class="roomy">')[1:]]


def test_what_a_model_gets_wrong_is_found_item_by_item(client: Client) -> None:
    benchmark = make_scored()
    result = Result.objects.get(name="dots")
    sign_in(client, RESEARCHER, benchmark.release.study)
    captions = [f"0: {one.caption_0}<br>1: {one.caption_1}" for one in Example.objects.order_by("number")]

    everything = shown_items(client, result)
    wrong = shown_items(client, result, wrong="image")
    page = text_of(client.get(reverse("admin:benchmarks_items", args=[result.pk])))

    assert everything == captions
    assert wrong == [captions[place] for place in (1, 2, 4, 7)]
    assert page.count("✓ right") == 4 + 4 + 3
    assert '<td class="number">0.9</td><td class="number">0.1</td>' in page
    assert "Item by item" in text_of(client.get(reverse("admin:benchmarks_result", args=[result.pk])))


def test_items_of_people_and_of_other_studies_are_not_there(client: Client) -> None:
    benchmark = make_scored()
    sign_in(client, RESEARCHER, benchmark.release.study)
    people, dots = Result.objects.get(name="People"), Result.objects.get(name="dots")

    own = client.get(reverse("admin:benchmarks_items", args=[people.pk])).status_code
    sign_in(client, RESEARCHER, make_study())
    other = client.get(reverse("admin:benchmarks_items", args=[dots.pk])).status_code

    assert (own, other) == (404, 404)


def test_items_of_a_hidden_split_tell_no_labels(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    use_fakes(monkeypatch)
    benchmark = make_hiding("winoground")
    result = asked(benchmark, rival_for("winoground"))
    sign_in(client, RESEARCHER, benchmark.release.study)
    hidden = result.items.filter(is_hidden=True).count()

    page = text_of(client.get(reverse("admin:benchmarks_items", args=[result.pk])))
    wrong = shown_items(client, result, wrong="group")

    assert page.count("kept back") == 3 * hidden > 0
    told = result.items.filter(is_hidden=False).values_list("scores", flat=True)
    assert len(wrong) == sum(scores["group"] == "0" for scores in told)
