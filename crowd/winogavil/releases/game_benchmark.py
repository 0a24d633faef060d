"""The benchmark of the association game: which pictures an author meant by a word."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import (
    Answer,
    BenchmarkTask,
    Measure,
    Part,
    PartTable,
    ReleasedItem,
    Scores,
    TableRow,
    sum_of,
)
from crowd.releases.models import Release
from crowd.winogavil.humans import Baseline, baseline_of
from crowd.winogavil.releases.domain import ALL, BASELINE, GROUPS, random_expectation
from crowd.winogavil.releases.files.uploads import ANY_OF, COLUMNS
from crowd.winogavil.releases.origins import BASELINE as FROM_LIST
from crowd.winogavil.releases.origins import holds_baseline, holds_game
from hits.common.uploads import UploadedColumn
from hits.datasets.columns import Row
from scoring.domain import best, jaccard
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, scores
from scoring.services.asking_rivals import ShownPicture
from scoring.services.picture_places import captions_of

JACCARD = "jaccard"
# What divides the items, and the kinds that are columns of the paper's Table 4, many candidates first.
DATA = "data"
WHOLE_GAME = f"game, {ALL}"
COLUMNS_OF_GAME = {**{name: f"game, {name} candidates" for name in ("10 & 12", "5 & 6")}, ALL: WHOLE_GAME}
COLUMNS_OF_BASELINE = {BASELINE: BASELINE}
NEWCOMERS = "Humans"
SKILL = "reasoning skill"
# What is read where a captioner says nothing; the picture's name would tell more than a caption.
UNSAID = "picture"
# The paper's categories in its order, as annotators name them and in words.
TYPES = {
    "visually_salient": "Visually salient",
    "visually_non_salient": "Visually non-salient",
    "concept_related": "Concept related",
    "activity": "Activity",
    "counting": "Counting",
    "colors": "Colors",
}


class PickPictures(BenchmarkTask):
    """An answer is the places of the pictures that the model picks, as many as the author chose."""

    family: ClassVar[str] = "winogavil"
    key: ClassVar[str] = "associations"
    name: ClassVar[str] = "Find the pictures that a word was meant for"
    about: ClassVar[str] = (
        "Which of the candidates belong to the word, as many as the author chose. Give their names, or a "
        "score for each candidate, of which the highest count; ties go to the picture shown first."
    )
    file: ClassVar[str] = "full"
    items: ClassVar[str] = "associations"
    measures: ClassVar[Sequence[Measure]] = [Measure(key=JACCARD, name="Jaccard index")]
    columns: ClassVar[Sequence[UploadedColumn]] = COLUMNS
    any_of: ClassVar[Sequence[Sequence[str]]] = ANY_OF
    kinds: ClassVar[Sequence[str]] = [ModelQuestion.Kind.SCORES]
    people: ClassVar[str] = "Solvers"
    takes_captions: ClassVar[bool] = True
    part_table: ClassVar[PartTable | None] = PartTable(
        group="association type",
        parts="pictures",
        measure=Measure(key="found", name="Found"),
        kinds=list(TYPES.values()),
        about="Of the pictures that belong to their word in one way, as most of their annotators say, the "
        "share that was picked.",
    )

    def wanted(self, row: Row) -> bool:
        return bool(row["selected"])

    def name_of(self, row: Row) -> str:
        return str(row["ID"])

    def tell(self, item: ReleasedItem) -> Row:
        told = {name: item.shown[name] for name in ("cue", "num_associations", "candidates")}
        return {**told, "sha256": [one["sha256"] for one in item.shown["pictures"]]}

    def pictures_to_describe(self, item: ReleasedItem) -> Sequence[ShownPicture]:
        shown = [*item.row["pictures"], *item.row.get("cue_picture", ())]
        return [ShownPicture(sha256=one["sha256"], caption="") for one in shown]

    def with_captions(self, item: ReleasedItem, captions: Sequence[str]) -> ReleasedItem:
        count, read = len(item.row["pictures"]), [said or UNSAID for said in captions]
        of_cue = [
            {**one, "caption": said}
            for one, said in zip(item.row.get("cue_picture", ()), read[count:], strict=True)
        ]
        return replace(item, row={**item.row, "captions": read[:count], "cue_picture": of_cue})

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        earlier = [item.row["pictures"] for item in items if "captions" not in item.row]
        captions = captions_of([one["sha256"] for some in earlier for one in some]) if earlier else {}
        return [[scores([item.row["cue"]], shown_in(item.row, captions), are_cues=True)] for item in items]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        ((values,),) = outputs
        return sorted(best(values, k=item.row["num_associations"]))

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        picks, values = cells["prediction"], cells["scores"]
        if (picks is None) == (values is None):
            raise ValueError("it needs either a prediction or scores.")
        names, k = list(item.shown["candidates"]), item.row["num_associations"]
        if values is None:
            return _places_of(picks, names, k=k, called=item.name)
        return sorted(best(_in_order(values, names, called=item.name), k=k))

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return {"prediction": "|".join(item.shown["candidates"][place] for place in answer)}

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        chosen = {str(place) for place, one in enumerate(item.row["pictures"]) if one["chosen"]}
        return {JACCARD: jaccard(chosen, set(map(str, answer)))}

    def chance(self, item: ReleasedItem) -> Scores:
        return {JACCARD: random_expectation(item.row["num_candidates"], item.row["num_associations"])}

    def people_scores(self, item: ReleasedItem) -> Scores | None:
        mean = item.row["solvers_jaccard_exact"]
        return None if mean is None else {JACCARD: Fraction(mean)}

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        kinds = _kinds(item.row["num_candidates"], from_list=item.row["source"] == FROM_LIST)
        return {DATA: kinds, SKILL: [skill.replace("_", " ") for skill in item.row.get("skills") or ()]}

    def parts(self, item: ReleasedItem) -> Iterable[Part]:
        """Yield the pictures whose association with the word has a type."""
        row = item.row
        for place, label in enumerate(row.get("types") or ()):
            if label:
                picked = [row["candidates"][place] in one["picked"] for one in row["solvers"]]
                yield Part(
                    kind=TYPES[label],
                    of_answer=partial(_picks, place),
                    of_people=Fraction(sum(picked), len(picked)) if picked else None,
                    of_chance=Fraction(row["num_associations"], row["num_candidates"]),
                )

    def across(self, release: Release) -> Mapping[str, Mapping[str, str]]:
        return {
            DATA: {
                **(COLUMNS_OF_GAME if holds_game(release) else {}),
                **(COLUMNS_OF_BASELINE if holds_baseline(release) else {}),
            }
        }

    def further(self, release: Release) -> Iterable[TableRow]:
        """Yield people new to the study, who solve a sample of its whole selection."""
        found = baseline_of(release.study)
        if found is not None:
            about = "people new to the study, over its whole selection"
            yield TableRow(name=NEWCOMERS, about=about, sums=_sums_of(found, release))


def _picks(place: int, answer: Answer) -> Fraction:
    return Fraction(place in answer)


def _kinds(size: int, *, from_list: bool) -> Sequence[str]:
    if from_list:
        return [BASELINE]
    return [WHOLE_GAME, *(COLUMNS_OF_GAME[name] for name, sizes in GROUPS.items() if size in sizes)]


def _sums_of(found: Baseline, release: Release) -> list[dict[str, object]]:
    """Return the sums over what the release holds: the game, the SWOW baseline, or both."""
    held = {False: holds_game(release), True: holds_baseline(release)}
    parts: defaultdict[tuple[str, str], list[tuple[int, Fraction]]] = defaultdict(list)
    for (from_list, size), part in found.sums.items():
        if held[from_list]:
            parts["", ""].append(part)
            for kind in _kinds(size, from_list=from_list):
                parts[DATA, kind].append(part)
    return [
        sum_of(
            group=group,
            kind=kind,
            measure=JACCARD,
            items=sum(items for items, _ in some),
            total=sum((total for _, total in some), Fraction()),
        )
        for (group, kind), some in parts.items()
    ]


def shown_in(row: Row, known: Mapping[str, str]) -> list[ShownPicture]:
    """Return the candidates with their captions as they were frozen, or as known now for earlier releases.

    A picture without a caption is known by its name.
    """
    captions = row.get("captions") or [known.get(one["sha256"], "") for one in row["pictures"]]
    concepts = row.get("concepts") or [one["name"] for one in row["pictures"]]
    return [
        ShownPicture(sha256=one["sha256"], caption=caption or concept)
        for one, caption, concept in zip(row["pictures"], captions, concepts, strict=True)
    ]


def _places_of(picks: Sequence[str], names: Sequence[str], *, k: int, called: str) -> list[int]:
    if strangers := [pick for pick in picks if pick not in names]:
        raise ValueError(f"{strangers[0]!r:.80} is no candidate of {called}.")
    if len(set(picks)) < len(picks):
        raise ValueError(f"{called} names a picture twice.")
    if len(picks) != k:
        raise ValueError(f"{called} needs exactly {k} pictures, and {len(picks)} are named.")
    return sorted(names.index(pick) for pick in picks)


def _in_order(
    values: Mapping[str, float] | Sequence[float], names: Sequence[str], *, called: str
) -> list[float]:
    if isinstance(values, Mapping):
        if set(values) != set(names):
            raise ValueError(f"the scores of {called} are not those of its candidates, each once.")
        return [values[name] for name in names]
    if len(values) != len(names):
        raise ValueError(f"{called} has {len(names)} candidates, and {len(values)} scores are there.")
    return list(values)
