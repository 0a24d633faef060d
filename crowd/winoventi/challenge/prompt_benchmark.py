"""The benchmark of the exception procedure: which of two outcomes a sentence calls for."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from crowd.benchmarks.benchmark_tasks import Answer, BenchmarkTask, Measure, ReleasedItem, Scores
from crowd.benchmarks.services.score_sums import EVERY, OWN, SHARED
from crowd.releases.models import Release
from crowd.winoventi.domain import GENERIC as GENERIC_KIND
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.evaluation import is_right
from crowd.winoventi.domain.prompts import MASK, prompt
from hits.common.uploads import UploadedColumn, read_number, read_text
from hits.datasets.columns import Row
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, perplexity, probabilities

Kind = ModelQuestion.Kind
ACCURACY = "accuracy"
GENERIC, EXCEPTION = "Associative Bias", "Alternative"
HALF = Fraction(1, 2)


class CompletePrompts(BenchmarkTask):
    """The model is given both outcomes in one order, the generic first, and is never told which is right."""

    family: ClassVar[str] = "winoventi"
    key: ClassVar[str] = "prompts"
    name: ClassVar[str] = "Complete the prompts"
    about: ClassVar[str] = (
        "Which of two words completes a prompt: the generic (Associative Bias) or the exception "
        "(Alternative). Give the word, or how probable each of the two is; equal numbers are a tie, which is "
        "wrong."
    )
    file: ClassVar[str] = "challenge"
    items: ClassVar[str] = "prompts"
    measures: ClassVar[Sequence[Measure]] = [Measure(key=ACCURACY, name="Accuracy")]
    columns: ClassVar[Sequence[UploadedColumn]] = [
        UploadedColumn(name="prompt", help="The prompt's id, as in the release."),
        UploadedColumn(name="p_generic", help="How probable the generic is.", read=read_number, needed=False),
        UploadedColumn(
            name="p_exception", help="How probable the exception is.", read=read_number, needed=False
        ),
        UploadedColumn(
            name="prediction",
            help="Instead of these, the word that the model takes.",
            read=read_text,
            needed=False,
        ),
        UploadedColumn(
            name="p_generic_alone",
            help="How probable the generic is without the sentence before, for the Individual subset.",
            read=read_number,
            needed=False,
        ),
        UploadedColumn(
            name="p_exception_alone",
            help="How probable the exception is without it.",
            read=read_number,
            needed=False,
        ),
    ]
    subsets: ClassVar[str] = "subset"
    any_of: ClassVar[Sequence[Sequence[str]]] = [("p_generic", "p_exception"), ("prediction",)]
    kinds: ClassVar[Sequence[str]] = [Kind.PROBABILITIES, Kind.PERPLEXITIES]
    people: ClassVar[str] = "People"

    def name_of(self, row: Row) -> str:
        return str(row["prompt"])

    def tell(self, item: ReleasedItem) -> Row:
        return {name: item.shown[name] for name in ("masked_prompt", GENERIC, EXCEPTION)}

    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        return [_questions(item.row, kind) for item in items]

    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        """Return a number for each outcome, of which the larger counts: of perplexities the inverse.

        Those without the sentence before come after them.
        """
        if kind == Kind.PROBABILITIES:
            return [word["p"] for words in outputs for word in words]
        return [1 / value for value in outputs]

    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        both, alone = (
            [cells[f"p_generic{without}"], cells[f"p_exception{without}"]] for without in ("", "_alone")
        )
        if None not in both:
            return [*both, *alone] if None not in alone else both
        words = [item.shown[GENERIC].lower(), item.shown[EXCEPTION].lower()]
        word = (cells["prediction"] or "").lower()
        if word not in words:
            raise ValueError(f"give both probabilities, or as the prediction “{words[0]}” or “{words[1]}”.")
        return [float(one == word) for one in words]

    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        names = ("p_generic", "p_exception", "p_generic_alone", "p_exception_alone")
        return dict(zip(names, answer, strict=False))

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        generic, exception, *_ = answer
        target, other = (
            (generic, exception) if item.row["target"] == item.row[GENERIC] else (exception, generic)
        )
        return {ACCURACY: Fraction(is_right(target=target, incorrect=other))}

    def is_in_own_subset(self, answer: Answer) -> bool | None:
        """Whether the model favors the generic where there is no sentence before, as the filter asks."""
        return is_right(target=answer[2], incorrect=answer[3]) if len(answer) > 2 else None

    def subset_kinds(self, item: ReleasedItem, subset: str) -> Sequence[str]:
        return [f"{subset}, {item.row['test_type']}"]

    def across(self, release: Release) -> Mapping[str, Mapping[str, str]]:
        """Return the columns of the paper's Table 6."""
        return {
            "subset": {
                f"{subset.capitalize()}: {kind}": f"{subset}, {kind}"
                for subset in (EVERY, OWN, SHARED)
                for kind in KINDS
            }
        }

    def counted_across(self) -> Mapping[str, str]:
        """Return the number of pairs of the Individual and the Intersection subset."""
        return {f"{subset.capitalize()}: pairs": f"{subset}, {GENERIC_KIND}" for subset in (OWN, SHARED)}

    def chance(self, item: ReleasedItem) -> Scores:
        return {ACCURACY: HALF}

    def people_scores(self, item: ReleasedItem) -> Scores | None:
        choices = item.row["choices"]
        if not choices:
            return None
        return {ACCURACY: Fraction(sum(one["right"] for one in choices), len(choices))}

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        part = item.row["part_of_speech"]
        kind = item.row["test_type"]
        return {
            "kind": [kind],
            "kind and split": [f"{kind}, {item.split}"] if item.split else [],
            "k": [str(item.row["k"])] if item.row["k"] is not None else [],
            "part of speech": [part] if part else [],
        }


def _questions(row: Row, kind: str) -> list[NewQuestion]:
    """The prompt, and its end alone."""
    words, texts = [row[GENERIC], row[EXCEPTION]], [row["masked_prompt"], prompt(row["Word"])]
    if kind == Kind.PROBABILITIES:
        return [probabilities(text, words) for text in texts]
    return [perplexity(text.replace(MASK, word)) for text in texts for word in words]
