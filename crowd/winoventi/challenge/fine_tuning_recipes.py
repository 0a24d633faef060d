"""The fine-tuning of the paper's section 3.3: on half of the challenge set, or on exceptions alone."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import ClassVar

from crowd.benchmarks.training_recipes import Run, Setting, Test, TrainingJob, TrainingRecipe
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.evaluation import Split, split_full, split_half
from scoring.models import RegisteredRival

OURS = (
    "The paper names no numbers: batches of 8, the rate and the share of masked words are those of the "
    "program that its authors published, and 10 epochs are ours. Their curves are of the prompts that pass "
    "the filter for the model; these are of all prompts."
)


class FineTuning(TrainingRecipe):
    """A masked model is trained on whole sentences, as it was before, and asked for outcomes of others."""

    family: ClassVar[str] = "winoventi"
    task: ClassVar[str] = "prompts"
    kinds: ClassVar[Sequence[str]] = [RegisteredRival.Kind.MASKED]
    seeds: ClassVar[int] = 1
    settings: ClassVar[Sequence[Setting]] = [
        Setting(
            key="epochs", label="Epochs", help="How often it sees each sentence.",
            default=10, least=1, most=1_500,
        ),
        Setting(
            key="batch_size", label="Sentences in a batch", help="8 in the authors' program.",
            default=8, least=1, most=1_000,
        ),
        Setting(
            key="learning_rate", label="Learning rate",
            help="Of AdamW, falling to 0 in a straight line. 0.00005 in the authors' program.",
            default=5e-5, least=1e-9, most=1, is_whole=False,
        ),
        Setting(
            key="mask_share", label="Percent of words masked at random",
            help="15 in the authors' program. With 0 the outcome is masked and nothing else.",
            default=15, least=0, most=90,
        ),
    ]  # fmt: skip
    note: ClassVar[str] = f"Accuracy: mean and standard deviation over runs. {OURS}"

    @abstractmethod
    def split(self, pairs: Collection[str], *, seed: int) -> Split:
        """Return the prompts to train on, and those of each test."""

    def run(self, job: TrainingJob) -> Run:
        from crowd.winoventi.challenge import fine_tuning_runs  # noqa: PLC0415 - torch, for workers alone

        return fine_tuning_runs.run(job, split=self.split)


class TrainOnHalf(FineTuning):
    key: ClassVar[str] = "half"
    name: ClassVar[str] = "Fine-tuning on half of the pairs"
    about: ClassVar[str] = (
        "A masked model is trained on both prompts of half of the pairs, drawn by the seed, and tested on "
        "both prompts of the others. Pairs of a hidden split are only tested on."
    )
    tests: ClassVar[Sequence[Test]] = [
        Test(key="unseen generics", title="Unseen generics"),
        Test(key="unseen exceptions", title="Unseen exceptions"),
    ]

    def split(self, pairs: Collection[str], *, seed: int) -> Split:
        halves = split_half(pairs, seed=seed)
        unseen = halves.tests["unseen"]
        return Split(
            train=halves.train,
            tests={f"unseen {kind}s": [one for one in unseen if one[1] == kind] for kind in KINDS},
        )


class TrainOnExceptions(FineTuning):
    key: ClassVar[str] = "exceptions"
    name: ClassVar[str] = "Fine-tuning on exceptions"
    about: ClassVar[str] = (
        "A masked model is trained on the exception prompts of four fifths of the pairs, drawn by the seed, "
        "and tested on those of the other fifth, on all generic prompts, and on both prompts of that fifth. "
        "Pairs of a hidden split are only tested on."
    )
    tests: ClassVar[Sequence[Test]] = [
        Test(key="generics", title="All generics"),
        Test(key="unseen exceptions", title="Unseen exceptions"),
        Test(key="mixed", title="Both of the unseen"),
    ]

    def split(self, pairs: Collection[str], *, seed: int) -> Split:
        return split_full(pairs, seed=seed)
