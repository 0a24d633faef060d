"""The benchmark of telling weird images from their normal partners."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import Answer, BenchmarkTask, Measure, ReleasedItem, Scores
from crowd.whoops.results.exporting.model_columns import IDENTIFIED, NORMAL, WEIRD, pair_of
from hits.common.uploads import UploadedColumn, read_number, read_text
from hits.datasets.columns import Row
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, scores, words
from scoring.services.asking_rivals import ShownPicture
from scoring.services.picture_places import captions_of

Kind = ModelQuestion.Kind
RIGHT, UNANIMOUS = "right", "unanimous"
VARIANTS = (WEIRD, NORMAL)
# What a model that scores texts is given, weird first; and what one that says words is asked.
TEXTS = ("a weird image", "a normal image")
PROMPT = "Is this normal or weird?"
HALF = Fraction(1, 2)


class IdentifyImages(BenchmarkTask):
    """An image and its normal partner are an item each. An answer has a number for weird, and one for normal.

    It is no secret of a hidden split which picture is weird: columns of the files are named after that.
    """

    family: ClassVar[str] = "whoops"
    key: ClassVar[str] = "identification"
    name: ClassVar[str] = "Tell weird images from normal ones"
    about: ClassVar[str] = (
        "Whether a picture is weird or normal, for each weird image that has a normal partner, and for the "
        f"partner. A model that scores texts is given “{TEXTS[0]}” and “{TEXTS[1]}”; one that says words is "
        f"asked “{PROMPT}”, and must say one of the two words. A tie, or neither word, is wrong."
    )
    file: ClassVar[str] = "images"
    items: ClassVar[str] = "pictures"
    measures: ClassVar[Sequence[Measure]] = [
        Measure(key=UNANIMOUS, name="All people agree"),
        Measure(key=RIGHT, name="Right"),
    ]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(name="picture", help="The image's id, a dash, and weird or normal for which picture."),
        UploadedColumn(
            name="prediction", help="What the model says: weird or normal.", read=read_text, needed=False
        ),
        *(
            UploadedColumn(
                name=one, help=f"Instead of it, a number for {one}.", read=read_number, needed=False
            )
            for one in VARIANTS
        ),
    ]
    any_of: ClassVar[Sequence[Sequence[str]]] = [("prediction",), VARIANTS]
    kinds: ClassVar[Sequence[str]] = [Kind.SCORES, Kind.WORDS]
    people: ClassVar[str] = "People, by majority"

    def wanted(self, row: Row) -> bool:
        return bool(row["normal_sha256"])

    def divide(self, row: Row) -> Iterable[Row]:
        votes = {one["variant"]: one for one in row.get(IDENTIFIED, ())}
        for picture in pair_of(row):
            variant = picture["variant"]
            yield {
                **picture,
                "picture": f"{row['image']}-{variant}",
                "category": row["category"],
                "votes": votes.get(variant),
            }

    def name_of(self, row: Row) -> str:
        return str(row["picture"])

    def tell(self, item: ReleasedItem) -> Row | None:
        """Tell of pictures that are not hidden: the name of an item says which picture is weird."""
        return None if item.is_hidden else {"sha256": item.shown["picture_sha256"]}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        captions = captions_of([item.row["picture_sha256"] for item in items])
        shown = [
            ShownPicture(sha256=sha256, caption=captions.get(sha256, ""))
            for sha256 in (item.row["picture_sha256"] for item in items)
        ]
        if kind == Kind.WORDS:
            return [[words(PROMPT, picture)] for picture in shown]
        return [[scores(TEXTS, [picture])] for picture in shown]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        (found,) = outputs
        return _said(found) if kind == Kind.WORDS else [row[0] for row in found]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        numbers = [cells[one] for one in VARIANTS]
        if None not in numbers:
            return numbers
        prediction = (cells["prediction"] or "").lower()
        if prediction not in VARIANTS:
            raise ValueError("give weird or normal as the prediction, or a number for each of the two.")
        return [float(one == prediction) for one in VARIANTS]

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return dict(zip(VARIANTS, answer, strict=True))

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        weird, normal = answer
        right, other = (weird, normal) if item.row["variant"] == WEIRD else (normal, weird)
        return {RIGHT: Fraction(right > other)}

    def chance(self, item: ReleasedItem) -> Scores:
        return {RIGHT: HALF}

    def people_scores(self, item: ReleasedItem) -> Scores | None:
        votes = item.row["votes"]
        if votes is None:
            return None
        is_right = votes["majority"] is (item.row["variant"] == WEIRD)
        agree = votes["yes"] in (0, votes["answers"])
        return {RIGHT: Fraction(is_right), UNANIMOUS: Fraction(agree)}

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        return {
            "picture": [item.row["variant"]],
            "judges": ["seen by people" if item.row["votes"] else "seen by nobody"],
            "category": [item.row["category"]] if item.row["category"] else [],
        }


def _said(text: str) -> list[float]:
    """Return numbers for what is said; of neither word, and of both, nothing follows."""
    said = set(re.findall(r"\w+", text.lower()))
    return [float(one in said and not (set(VARIANTS) - {one}) & said) for one in VARIANTS]
