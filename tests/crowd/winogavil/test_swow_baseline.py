"""The SWOW baseline: instances of an association list, solved like the game's associations and kept apart."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.services.benchmark_results import answer_benchmarks
from crowd.releases.services import release_states
from crowd.winogavil import items
from crowd.winogavil.domain import SOLVE, SOLVER_TEST
from crowd.winogavil.models import Association
from crowd.winogavil.queries import of_study, selected
from crowd.winogavil.releases.game_benchmark import DATA, PickPictures
from crowd.winogavil.releases.statistics.kept_figures import statistics_of
from crowd.winogavil.services import swow_baseline
from crowd.winogavil.services.association_verdicts import ask_rivals
from crowd.winogavil.services.swow_baseline import Order, add_baseline, count_shapes, look_ahead
from hits.batches.services import drafting
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from qualifications.models import SwowList
from qualifications.queries.association_graph import has_edge
from scoring.models import RivalQuery
from tests.crowd.winogavil.game import solve, sweep
from tests.crowd.winogavil.releases.data import columns_of, make_final, upload_answers
from tests.factories import NOW, make_batch, make_picture, make_user, make_worker
from tests.pages import text_of
from tests.people import sign_in
from tests.qualifications.files import said, word
from tests.qualifications.lists import make_list
from tests.scoring.fakes import use_fakes

pytestmark = pytest.mark.django_db
CONCEPTS = [word(number) for number in range(0, 340, 17)]
CUES = [word(number) for number in range(5_000, 5_104, 13)]


@pytest.fixture
def swow() -> SwowList:
    """A list of eight cues, each with two or three of the pool's twenty concepts."""
    for concept in CONCEPTS:
        make_picture(concept=concept)
    answers = [
        row
        for number, cue in enumerate(CUES)
        for row in said(cue, ("other", 90), *((concept, 9) for concept in CONCEPTS[number : number + 3]))
    ]
    return make_list([*answers, *(row for concept in CONCEPTS for row in said(concept, ("other", 1)))])


def make_order(study: Study, swow: SwowList, **changes: Any) -> Order:
    batch = changes.pop("batch", None) or make_batch(study=study, task=SOLVE)
    return Order(**{"batch": batch, "swow": swow, "sizes": (5, 6), "count": 5, "seed": 7, **changes})


def add(order: Order, **changes: Any) -> int:
    return add_baseline(order, **{"by": make_user(), "now": NOW, **changes})


def row(table: list[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (found,) = [one for one in table if wanted.items() <= one.items()]
    return found


def test_an_instance_is_a_cue_with_associations_and_strangers_to_it(study: Study, swow: SwowList) -> None:
    order = make_order(study, swow)

    found = look_ahead(order)

    assert sorted(len(one.pictures) for one in found) == [5, 5, 5, 6, 6]
    assert len({one.cue for one in found}) == 5
    for question in found:
        others = [picture.concept for picture, belongs in question.pictures if not belongs]
        assert 2 <= len(question.pictures) - len(others) <= 4
        assert not any(has_edge(swow=swow, one=question.cue, other=concept) for concept in others)
    assert look_ahead(order) == found
    assert look_ahead(make_order(study, swow, seed=8)) != found
    assert sum(count for *_, count in count_shapes(found)) == 5


def test_instances_become_the_drafts_own_and_no_cue_comes_twice(study: Study, swow: SwowList) -> None:
    first = make_order(study, swow)
    second = make_order(study, swow, count=3)

    added = [add(first, seen=0), add(second, seen=0)]

    baseline = of_study(study, sources=["swow"])
    assert added == [5, 3]
    assert len({one.cue for one in baseline}) == baseline.count() == 8
    first.batch.refresh_from_db()
    assert (first.batch.items_from, first.batch.items.filter(task=SOLVE, wanted=3).count()) == ("file", 5)
    said = AuditEvent.objects.filter(kind="swow_baseline.added").values_list("words", flat=True)
    assert [f"seed 7, SHA-256 of the list {swow.sha256}" in words for words in said] == [True, True]


def test_only_what_was_drawn_is_marked_as_the_baseline(study: Study, swow: SwowList) -> None:
    order = make_order(study, swow, batch=make_batch(study=study, task=SOLVE, items_from="file"), count=2)
    names = "|".join(CONCEPTS[:5])
    chosen = "|".join(CONCEPTS[:2])
    drafting.add_items(batch=order.batch, content=f"cue,candidates,chosen\nsnow,{names},{chosen}".encode())

    add(order, seen=1)

    assert [one.source for one in Association.objects.order_by("pk")] == ["file", "swow", "swow"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"count": 0}, "Make 1 to 2,000"),
        ({"count": 2_001}, "Make 1 to 2,000"),
        ({"sizes": (10,)}, "5 or 6 pictures"),
        ({"sizes": ()}, "5 or 6 pictures"),
        ({"count": 9}, r"Only \d of \d can be made: list and pool gave \d\."),
    ],
)
def test_what_cannot_be_made_is_refused_and_adds_nothing(
    study: Study, swow: SwowList, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(RuleBroken, match=words):
        add(make_order(study, swow, **changes))

    assert not Item.objects.exists()


def test_tests_and_launched_batches_are_given_none(study: Study, swow: SwowList) -> None:
    with pytest.raises(RuleBroken, match="task that solves"):
        add(make_order(study, swow, batch=make_batch(study=study, task=SOLVER_TEST)))
    with pytest.raises(RuleBroken):
        add(make_order(study, swow, batch=make_batch(study=study, task=SOLVE, status="open")))

    assert not Item.objects.exists()


def test_asking_twice_at_once_adds_once(study: Study, swow: SwowList) -> None:
    order = make_order(study, swow, count=2)
    add(order, seen=0)

    with pytest.raises(RuleBroken, match="by now"):
        add(make_order(study, swow, batch=order.batch, count=2), seen=0)

    assert Item.objects.count() == 2


def test_two_drafts_filled_at_once_get_no_cue_twice(
    study: Study, swow: SwowList, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (make_order(study, swow, count=2) for _ in range(2))
    drawn = look_ahead(second)
    add(first, seen=0)
    monkeypatch.setattr(swow_baseline, "look_ahead", {second: drawn}.get)

    with pytest.raises(RuleBroken, match="to another draft meanwhile") as refused:
        add(second, seen=0)

    assert (refused.value.code, second.batch.items.count(), Item.objects.count()) == ("stale", 0, 2)


def test_people_solve_it_models_are_asked_and_what_people_solve_is_kept(
    study: Study, swow: SwowList, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_fakes(monkeypatch)
    order = make_order(study, swow, count=2)
    add(order)
    before = ask_rivals(now=NOW)
    Batch.objects.filter(pk=order.batch.pk).update(status="open", launched_at=NOW, items_per_assignment=1)
    batch = Batch.objects.get(pk=order.batch.pk)

    easy, hard = [one.item_id for one in Association.objects.order_by("item")]
    for number in range(3):
        worker = make_worker(account=batch.account)
        solve(batch, worker)
        solve(batch, worker, right=number > 0)
    asked = ask_rivals(now=NOW)
    sweep()

    baseline = of_study(study, sources=["swow"])
    assert (before, asked, RivalQuery.objects.count()) == (0, 2, 2)
    assert all(one.model_score is not None and one.final_at for one in baseline)
    assert [one.item_id for one in selected(baseline, threshold=80)] == [easy]
    assert [one.item_id for one in selected(baseline, threshold=60).order_by("item")] == [easy, hard]
    assert not selected(of_study(study), threshold=1).exists()


def test_no_figure_mixes_it_with_the_games(study: Study) -> None:
    make_final(study, cue="cold")
    make_final(study, cue="bird", source="swow", predicted=(0, 1))
    make_final(study, cue="stork", source="swow", size=6, picks=[(2, 3)] * 3)

    both = statistics_of(study, sources=[], now=NOW).figures
    game = statistics_of(study, sources=["worker"], now=NOW).figures
    alone = statistics_of(study, sources=["swow"], now=NOW).figures

    assert [one["candidates"] for one in both["sizes"]] == ["5 & 6", "10 & 12", "all", "SWOW"]
    assert row(both["sizes"], candidates="all")["made"] == 1
    assert row(both["sizes"], candidates="SWOW") == {
        "candidates": "SWOW", "made": 2, "final": 2, "selected": 1, "model": 66.5, "human": 50.0,
        "random": 27.2,
    }  # fmt: skip
    assert row(both["agreement"], candidates="SWOW")["answers"] == 6
    assert both["words"] == [{"cue": "cold", "associations": 1}]
    assert [one["candidates"] for one in game["sizes"]] == ["5 & 6", "10 & 12", "all"]
    assert row(alone["sizes"], candidates="all")["made"] == 2
    assert [one["candidates"] for one in alone["agreement"]] == ["5 & 6", "10 & 12", "all"]


def test_figures_are_counted_again_once_the_baseline_changes(study: Study) -> None:
    make_final(study)
    kept = statistics_of(study, sources=[], now=NOW)
    type(kept).objects.update(took_ms=0)

    make_final(study, source="swow")

    again = statistics_of(study, sources=[], now=NOW).figures
    assert row(again["sizes"], candidates="SWOW")["made"] == 1


def make_release(study: Study, *sources: str) -> Any:
    release = release_states.make_release(
        family="winogavil", study=study,
        title="Words", version=f"{len(sources)}.{sources[0]}", licence="CC BY 4.0",
        sources=sources, by=make_user(), now=NOW,
    )  # fmt: skip
    for _ in range(3):
        release_states.write_releases(clock=lambda: NOW)
    release.refresh_from_db()
    return release


def rows_in(release: Any, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (release.folder / name).read_text().splitlines()]


def cues_in(release: Any, name: str) -> list[str]:
    return [row["cue"] for row in rows_in(release, name)]


def test_a_release_holds_it_in_files_and_a_column_of_its_own(study: Study) -> None:
    make_final(study, cue="cold", picks=[(0, 1), (0, 1), (0, 2)], size=10, chosen=(0, 1))
    make_final(study, cue="warm")
    make_final(study, cue="stork", source="swow")

    release = make_release(study, "worker", "swow")
    published = [*rows_in(release, "associations.jsonl"), *rows_in(release, "swow.jsonl")]
    predicted = [{"ID": row["ID"], "prediction": row["candidates"][:2]} for row in published]
    upload_answers(release, json.dumps(predicted), name="first two")
    answer_benchmarks(now=NOW)
    lines = columns_of(release)

    assert cues_in(release, "associations.jsonl") == ["warm"]
    assert cues_in(release, "swow.jsonl") == ["stork"]
    assert list(lines["first two"]) == ["associations", "10 & 12", "5 & 6", "all", "SWOW"]
    assert [lines[name]["SWOW"] for name in ("first two", "Solvers", "Chance")] == [100, 100, 30]
    assert [lines["first two"]["all"], lines["Solvers"]["10 & 12"]] == [100, None]
    card = (release.folder / "README.md").read_text()
    assert "1 associations between a word and pictures" in card
    assert "and 1 instances of the SWOW baseline" in card
    assert "swow.csv" in (release.folder / "SHA256SUMS").read_text()


def test_a_release_of_it_alone_and_one_without_it(study: Study) -> None:
    make_final(study, cue="warm")
    make_final(study, cue="stork", source="swow")

    alone, game = make_release(study, "swow"), make_release(study, "worker")

    assert list(PickPictures().across(alone)[DATA]) == ["SWOW"]
    assert list(PickPictures().across(game)[DATA]) == ["10 & 12", "5 & 6", "all"]
    assert {file["name"] for file in game.files} - {file["name"] for file in alone.files} == {
        "associations.csv", "associations.jsonl", "associations.parquet",
    }  # fmt: skip
    assert cues_in(alone, "swow.jsonl") == ["stork"]
    assert "to fool a model, and solved" not in (alone.folder / "README.md").read_text()
    assert "SWOW" not in (game.folder / "README.md").read_text()


def test_asked_again_it_stays_the_baseline(study: Study) -> None:
    made = make_final(study, source="swow")
    source = make_batch(study=study, task=SOLVE, status="open")
    Item.objects.filter(pk=made.item_id).update(batch=source)
    items.repeat_items([made.item], batch=make_batch(study=study, task=SOLVE))

    assert list(Association.objects.values_list("source", flat=True)) == ["swow", "swow"]


def test_page_shows_some_and_adds_all(client: Client, study: Study, swow: SwowList) -> None:
    draft, theirs = make_batch(study=study, task=SOLVE), make_batch(task=SOLVE)
    sign_in(client, RESEARCHER, study)
    address = reverse("admin:winogavil_make_baseline")
    form: dict[str, Any] = {
        "batch": draft.pk, "swow": swow.pk, "count": "8", "sizes": "5 6", "seed": "7", "there": "0",
    }  # fmt: skip

    empty = text_of(client.get(address))
    looked = text_of(client.get(address, {**form, "asked": "yes"}))
    before = Item.objects.count()
    client.post(address, {**form, "batch": theirs.pk, "confirmed": "yes"})
    answer = client.post(address, {**form, "confirmed": "yes"})
    leads = text_of(client.get(reverse("admin:winogavil_of_study", args=[study.pk])))

    assert 'value="1200"' in empty
    assert "The first 6 of 8" in looked
    assert "Add 8 instances" in looked
    assert before == 0
    assert answer["Location"] == reverse("admin:hits_batch_step", args=[draft.pk, "what"])
    assert (draft.items.count(), theirs.items.count()) == (8, 0)
    assert f"{address}?study={study.pk}" in leads
    assert "Instances" in leads


def test_page_says_what_is_missing_and_is_for_researchers(client: Client, study: Study) -> None:
    address = reverse("admin:winogavil_make_baseline")
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(f"{address}?study={study.pk}"))
    sign_in(client, REVIEWER, study)
    refused = client.get(address)

    assert "There is no draft yet" in page
    assert "There is no association list yet" in page
    assert refused.status_code == 403
