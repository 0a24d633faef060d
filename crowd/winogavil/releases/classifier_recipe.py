"""The supervised model of the paper's Table 5: a classifier of pairs on frozen vectors."""

from collections.abc import Sequence
from typing import ClassVar

from crowd.benchmarks.training_recipes import Run, Setting, Test, TrainingJob, TrainingRecipe
from crowd.winogavil.releases.domain import GROUPS
from scoring.models import RegisteredRival

VALIDATION = "validation"


class TrainClassifier(TrainingRecipe):
    """The table's columns are groups of items by their number of candidates, many candidates first."""

    family: ClassVar[str] = "winogavil"
    task: ClassVar[str] = "associations"
    key: ClassVar[str] = "classifier"
    name: ClassVar[str] = "Classifier on frozen vectors"
    about: ClassVar[str] = (
        "A classifier learns which word and picture belong together, from the vectors that the model gives "
        "to both and that stay as they are. For each seed, a tenth of the game's associations of each size "
        "is drawn for testing, and as many for validation that have no picture of these; it learns from the "
        "others, without any picture of the two. Associations of a hidden split are tested on at most."
    )
    kinds: ClassVar[Sequence[str]] = RegisteredRival.KEEP_VECTORS
    seeds: ClassVar[int] = 5
    settings: ClassVar[Sequence[Setting]] = [
        Setting(
            key="epochs", label="Epochs", help="How often it sees each pair. The paper's: 7.",
            default=7, least=1, most=1_000,
        ),
        Setting(
            key="batch_size", label="Pairs in a batch", help="The paper's: 128.",
            default=128, least=1, most=100_000,
        ),
        Setting(
            key="learning_rate", label="Learning rate", help="Of Adam. The paper's: 0.001.",
            default=0.001, least=1e-7, most=1, is_whole=False,
        ),
        Setting(
            key="test_share", label="Percent of associations for testing",
            help="As many again are for validation, if so many share no picture. The paper's: 10.",
            default=10, least=1, most=40,
        ),
    ]  # fmt: skip
    tests: ClassVar[Sequence[Test]] = [
        *(Test(key=name, title=name) for name in ("10 & 12", "5 & 6") if name in GROUPS),
        Test(key=VALIDATION, title="Validation", is_watched=True),
    ]
    note: ClassVar[str] = (
        "The Jaccard index: mean and standard deviation over runs, each of which has a test of its own. The "
        "paper has 42 ± 3 and 53 ± 2 for CLIP ViT-B/32 untrained, 49 ± 3 and 52 ± 1 trained."
    )

    def run(self, job: TrainingJob) -> Run:
        from crowd.winogavil.releases import classifier_runs  # noqa: PLC0415 - numpy, for workers alone

        return classifier_runs.run(job)
