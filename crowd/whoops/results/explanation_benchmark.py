"""The benchmark of explaining weird images, on which only people decide."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import (
    LONGEST_WORDS,
    Answer,
    BenchmarkTask,
    Measure,
    ReleasedItem,
    Sums,
    sum_of,
)
from crowd.releases.models import Release
from crowd.whoops import domain
from crowd.whoops.judge.queries.judgements import Judgement, judged
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Question
from hits.common.uploads import UploadedColumn, text_within
from hits.datasets.columns import Row
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, continuation, words
from scoring.services.asking_rivals import ShownPicture

Kind = ModelQuestion.Kind
RATING, CATEGORY = "rating", "category"
PROMPT = "Why is it weird?"
# What a language model reads, which is told what a person sees in the image.
WITH_CAPTION = "{}\n" + PROMPT + "\n"
OURS = {domain.PEOPLE: "Annotators", domain.DESIGNER: "Designers"}


class ExplainImages(BenchmarkTask):
    """Explanations are judged among the explanations of people, blind to who gave them.

    A model's rating is over all of its explanations that are judged in the study, under its name.
    """

    family: ClassVar[str] = "whoops"
    key: ClassVar[str] = "explanation"
    name: ClassVar[str] = "Explain what is weird"
    about: ClassVar[str] = (
        f"A sentence for each weird image, after “{PROMPT}”. Only people can say whether it explains "
        "anything: have it judged on the page of the weird images, under Explanations, and make lists. A "
        "language model reads an annotator's caption instead of the image."
    )
    file: ClassVar[str] = "images"
    items: ClassVar[str] = "images"
    measures: ClassVar[Sequence[Measure]] = [Measure(key=RATING, name="Acceptable to most judges")]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(name="image", help="The image's id, as in the release."),
        UploadedColumn(
            name="explanation", help="Why it is weird, as the model says.", read=text_within(LONGEST_WORDS)
        ),
    ]
    kinds: ClassVar[Sequence[str]] = [Kind.WORDS, Kind.CONTINUATIONS]
    said_of: ClassVar[Mapping[str, str]] = {Kind.CONTINUATIONS: "reads a person's caption, and sees no image"}
    people_elsewhere: ClassVar[Sequence[str]] = list(OURS.values())

    def wanted(self, row: Row) -> bool:
        return bool(row["captions"])

    def name_of(self, row: Row) -> str:
        return str(row["image"])

    def tell(self, item: ReleasedItem) -> Row:
        return {"sha256": item.shown["weird_sha256"]}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        if kind == Kind.CONTINUATIONS:
            return [[continuation(WITH_CAPTION.format(item.row["captions"][0]))] for item in items]
        shown = [ShownPicture(sha256=item.row["weird_sha256"], caption="") for item in items]
        return [[words(PROMPT, picture)] for picture in shown]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        return outputs[0]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        return cells["explanation"]

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        return {"explanation": answer}

    def counted_elsewhere(self, release: Release) -> Mapping[str, Sums]:
        return {OURS.get(source, source): sums for source, sums in _ratings(release).items()}


def _ratings(release: Release) -> Mapping[str, Sums]:
    """Return by source how many explanations most judges accept, over all and by category."""
    project = Project.objects.filter(study=release.study_id).first()
    counted: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    accepted: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for one in judged(project, Question.Kind.EXPLAIN).closed if project else ():
        for kind in (("", ""), (CATEGORY, one.category)):
            counted[one.source][kind] += 1
            accepted[one.source][kind] += _is_accepted(one)
    return {
        source: [
            sum_of(
                group=group,
                kind=value,
                measure=RATING,
                items=items,
                total=Fraction(accepted[source][group, value]),
            )
            for (group, value), items in kinds.items()
        ]
        for source, kinds in counted.items()
    }


def _is_accepted(one: Judgement) -> bool:
    return one.votes.majority is True
