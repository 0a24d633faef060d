"""The paper's Table 6 for any model, from labels that a release carries, counted a second time by hand."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.benchmarks.queries.benchmark_table import tables_of
from crowd.benchmarks.services.benchmark_results import answer_benchmarks
from crowd.releases.family_contents import contents_of
from crowd.releases.models import Release
from crowd.releases.splits import TEST, split_of
from crowd.winogavil.annotation.domain import ASSOCIATION_TYPES
from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.models import Association
from crowd.winogavil.releases.columns import ANNOTATED, SIDES
from crowd.winogavil.releases.game_benchmark import TYPES
from hits.datasets.stat_table import StatTable
from hits.identity.roles import RESEARCHER
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.releases.studies import release_of
from tests.crowd.winogavil.releases.data import benchmark_of, make_final, upload_answers
from tests.factories import NOW, make_study
from tests.hits.calling import Notebook
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
NAMES = ["moon", "puppy", "cup", "key", "tree"]
OTHERS = ["sea", "sand", "bus", "car", "hat", "pen"]


def annotate(one: Association, kind: Kind, labels: Sequence[str], *, position: int | None = None) -> None:
    """Store a final annotation as its three annotators leave it."""
    study = one.item.study
    draw, _ = Draw.objects.get_or_create(
        study=study, kind=kind, defaults={"recipe": {}, "found": 1, "chosen": 1, "added": 1, "drawn_at": NOW}
    )
    item = Item.objects.create(study=study, task=kind.task, wanted=0)
    place = None if position is None else one.places.get(position=position)
    Annotation.objects.create(
        item=item, draw=draw, kind=kind, association=one, place=place, labels=list(labels), final_at=NOW
    )


def make_annotated(study: Study) -> tuple[Association, Association]:
    """Two associations: 2 of 5, that all solvers solve, and 3 of 6, of which one solver misses the third."""
    five = make_final(study, cue="night", concepts=NAMES)
    six = make_final(
        study, cue="beach", size=6, concepts=OTHERS, chosen=(0, 1, 2), picks=[(0, 1, 2), (0, 1, 2), (0, 1, 5)]
    )
    annotate(five, Kind.TYPES, ["visually_salient"], position=0)
    annotate(five, Kind.TYPES, ["colors"], position=1)
    annotate(six, Kind.TYPES, ["visually_salient"], position=0)
    annotate(six, Kind.TYPES, [], position=1)
    annotate(six, Kind.TYPES, ["visually_non_salient"], position=2)
    annotate(five, Kind.SKILLS, ["general_knowledge", "humor"])
    annotate(six, Kind.SKILLS, ["humor"])
    return five, six


def answers(picks: Mapping[Association, Sequence[str]]) -> str:
    return "\n".join(
        json.dumps({"ID": str(one.item.public_id), "prediction": list(names)}) for one, names in picks.items()
    )


def table(release: Release, name: str) -> StatTable:
    return next(one for one in tables_of(benchmark_of(release)) if one.name == name)


def released() -> Release:
    study = make_study()
    five, six = make_annotated(study)
    release = release_of(study, "winogavil")
    picks = {five: ["moon", "cup"], six: ["sand", "bus", "pen"]}
    upload_answers(release, answers(picks), name="a model")
    answer_benchmarks(now=NOW)
    return release


def test_a_release_carries_the_labels_that_most_annotators_gave() -> None:
    study = make_study()
    make_annotated(study)
    make_final(study, cue="bare")

    release = release_of(study, "winogavil")

    rows = [json.loads(line) for line in (release.folder / "full.jsonl").read_text().splitlines()]
    told = {row["cue"]: (row["types"], row["skills"]) for row in rows}
    assert told == {
        "night": (["visually_salient", "colors", "", "", ""], ["general_knowledge", "humor"]),
        "beach": (["visually_salient", "", "visually_non_salient", "", "", ""], ["humor"]),
        "bare": (["", "", "", "", ""], None),
    }
    assert release.counts["annotated"] == 2
    assert "2 rows of the full form have types or skills" in (release.folder / "README.md").read_text()


def test_labels_of_a_hidden_split_stay_here() -> None:
    study = make_study()
    names = [str(one.item.public_id) for one in make_annotated(study)]
    seed = next(seed for seed in range(1_000) if {split_of(name, seed=seed) for name in names} == {TEST})

    release = release_of(study, "winogavil", split_seed=seed, hides_test=True)

    rows = [json.loads(line) for line in (release.folder / "full.jsonl").read_text().splitlines()]
    assert [(row["types"], row["skills"]) for row in rows] == [(None, None)] * 2


def test_the_table_of_types_counts_pictures_for_any_model() -> None:
    rows: list[dict[str, Any]] = list(table(released(), "by-association-type").as_json())

    # Salient: the moon, which the model finds, and the sea, which it misses. People find both.
    # Non-salient: the bus, which the model and two of three solvers find. Colors: the puppy, which it misses.
    assert [(row["kind"], row["who"], row["items"], round(row["found"], 4)) for row in rows] == [
        ("Visually salient", "a model", 2, 0.5),
        ("Visually salient", "Solvers", 2, 1.0),
        ("Visually salient", "Chance", 2, 0.45),
        ("Visually non-salient", "a model", 1, 1.0),
        ("Visually non-salient", "Solvers", 1, 0.6667),
        ("Visually non-salient", "Chance", 1, 0.5),
        ("Colors", "a model", 1, 0.0),
        ("Colors", "Solvers", 1, 1.0),
        ("Colors", "Chance", 1, 0.4),
    ]


def test_the_table_of_skills_counts_an_association_under_each_of_its_skills() -> None:
    rows: list[dict[str, Any]] = list(table(released(), "by-reasoning-skill").as_json())

    # The model has one of three right of the first, and two of four of the second.
    model = [(row["kind"], row["items"], round(row["jaccard"], 4)) for row in rows if row["who"] == "a model"]
    assert model == [("general knowledge", 1, 0.3333), ("humor", 2, 0.4167)]


def test_types_are_those_that_annotators_choose_from() -> None:
    assert tuple(TYPES) == ASSOCIATION_TYPES


def test_the_table_is_a_page_a_file_and_an_answer_of_the_api(client: Client) -> None:
    release = released()
    benchmark = benchmark_of(release)
    sign_in(client, RESEARCHER, release.study)

    page = client.get(reverse("admin:benchmarks_benchmark", args=[benchmark.pk])).content.decode()
    file = client.get(reverse("admin:benchmarks_file", args=[benchmark.pk, "by-association-type"]))
    notebook = Notebook(make_member(RESEARCHER, release.study))
    told = notebook.get(f"benchmarks/{benchmark.pk}/tables/").json()

    assert "By association type" in page
    lines = b"".join(file.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines[:2] == [
        "\ufeffWho,Association type,Found,Pictures", "a model,Visually salient,50.0 %,2",
    ]  # fmt: skip
    rows = next(one["rows"] for one in told if one["name"] == "by-association-type")
    assert rows[0] == {"who": "a model", "kind": "Visually salient", "found": 0.5, "items": 2}


def test_a_release_of_before_has_neither_labels_nor_their_tables() -> None:
    release = released()
    rows = [json.loads(line) for line in (release.frozen / "full.jsonl").read_text().splitlines()]
    new = {column.name for column in (*ANNOTATED, *SIDES)}
    earlier = [{key: row[key] for key in row if key not in new} for row in rows]
    (release.frozen / "full.jsonl").write_text("".join(json.dumps(row) + "\n" for row in earlier))
    del release.counts["annotated"]
    release.save()

    (five, *_) = earlier
    upload_answers(
        release,
        json.dumps({"ID": five["ID"], "prediction": five["associations"]}),
        name="late",
        is_part=True,
    )

    found = {line["who"] for line in table(release, "by-association-type").as_json()}
    assert "late" not in found
    assert not new & {column.name for column in contents_of(release).files(release)[-1].columns}
