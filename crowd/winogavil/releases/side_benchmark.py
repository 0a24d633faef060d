"""The paper's Table 11: the word and the candidates each as a text or as a picture, in every combination."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import Answer, PartTable, ReleasedItem, Scores, TableRow
from crowd.releases.models import Release
from crowd.winogavil.releases.files.uploads import COLUMNS
from crowd.winogavil.releases.game_benchmark import PickPictures, shown_in
from crowd.winogavil.releases.origins import BASELINE as FROM_LIST
from hits.common.uploads import UploadedColumn, read_text
from hits.datasets.columns import Row
from scoring.domain import best
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, likeness
from scoring.services.asking_rivals import ShownPicture

# Which side is a text and which a picture: the word's first.
TEXT, IMAGE = "text", "image"
SIDES = list(product((TEXT, IMAGE), repeat=2))
# What divides the items, of the whole release and of its SWOW baseline, as in the paper.
ALL, OF_BASELINE = "modality", "modality of the SWOW baseline"
COLUMNS_OF_SIDES = {f"{word} to {candidates}": f"{word}-{candidates}" for word, candidates in SIDES}
ITEM = UploadedColumn(
    name="ID",
    help="Id of the association, a stroke, what stands for the word and for the candidates: …/text-image.",
    read=read_text,
)


class CompareSides(PickPictures):
    """Each association whose word has a picture is four items, one for each combination of sides."""

    key: ClassVar[str] = "sides"
    name: ClassVar[str] = "Find the pictures, with word and candidates as texts or as pictures"
    about: ClassVar[str] = (
        "Of the associations whose word names something that a picture of the pool shows: which candidates "
        "belong to the word, as many as the author chose. The word stands there as a text or as the picture, "
        "the candidates as their names or as pictures: four comparisons for each association. A model that "
        "reads captions reads them in the place of pictures."
    )
    items: ClassVar[str] = "comparisons"
    columns: ClassVar[Sequence[UploadedColumn]] = [ITEM, *COLUMNS[1:]]
    kinds: ClassVar[Sequence[str]] = [ModelQuestion.Kind.LIKENESS]
    part_table: ClassVar[PartTable | None] = None

    def is_in(self, release: Release) -> bool:
        return bool(release.counts.get("cue_pictures"))

    def wanted(self, row: Row) -> bool:
        return super().wanted(row) and bool(row.get("cue_picture"))

    def divide(self, row: Row) -> Iterable[Row]:
        return ({**row, "sides": sides} for sides in SIDES)

    def name_of(self, row: Row) -> str:
        return f"{row['ID']}/{_kind_of(row)}"

    def tell(self, item: ReleasedItem) -> Row:
        return {**super().tell(item), "cue_sha256": picture_of_cue(item.shown).sha256}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        return [[_question(item.row)] for item in items]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        (values,) = outputs
        return sorted(best(values, k=item.row["num_associations"]))

    def people_scores(self, item: ReleasedItem) -> Scores | None:
        """Return the solvers' scores where the item is what they saw: a word, and pictures."""
        return super().people_scores(item) if tuple(item.row["sides"]) == (TEXT, IMAGE) else None

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        kinds = [_kind_of(item.row)]
        return {ALL: kinds, OF_BASELINE: kinds if item.row["source"] == FROM_LIST else []}

    def across(self, release: Release) -> Mapping[str, Mapping[str, str]]:
        return {ALL: COLUMNS_OF_SIDES}

    def further(self, release: Release) -> Iterable[TableRow]:
        return ()


def _kind_of(row: Row) -> str:
    word, candidates = row["sides"]
    return f"{word}-{candidates}"


def _question(row: Row) -> NewQuestion:
    word, candidates = row["sides"]
    return likeness(
        row["cue"] if word == TEXT else picture_of_cue(row),
        row["concepts"] if candidates == TEXT else shown_in(row, {}),
    )


def picture_of_cue(row: Row) -> ShownPicture:
    (one,) = row["cue_picture"]
    return ShownPicture(sha256=one["sha256"], caption=one["caption"] or one["name"])
