"""What a release of the exception procedure has: the challenge set, two prompts a pair."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar

from django.db.models import QuerySet
from django.template.loader import render_to_string

from crowd.pictures.models import Picture
from crowd.releases.family_contents import ReleaseExample, ReleaseFile
from crowd.releases.models import Release
from crowd.releases.project_contents import ProjectContents
from crowd.winoventi.challenge.exporting.columns import FULL, PUBLISHED
from crowd.winoventi.challenge.exporting.winoventi_export import WinoventiExport
from crowd.winoventi.models import Premise
from hits.core import crypto
from hits.datasets.columns import TEXT, Row, column
from hits.studies.models import Study

PAIR = "pair"
CHALLENGE = (
    column("prompt", TEXT, "the prompt's id"),
    column(PAIR, TEXT, "the same for both prompts of a pair"),
    *PUBLISHED,
)
# What would tell which of the two outcomes a sentence calls for.
LABELS = ("biased_word_context", "adversarial_word_context", "target", "incorrect", "test_type")
TOLD = ("sentence", "generic_word", "exception_word", "part_of_speech", "warnings", "judgements", "choices")


class WinoventiContents(ProjectContents):
    family: ClassVar[str] = "winoventi"
    items: ClassVar[str] = "prompts"
    tasks: ClassVar[Sequence[str]] = ("fill-mask",)
    export = WinoventiExport()
    parts: ClassVar[Sequence[str]] = ("full",)
    rest_label: ClassVar[str] = "Include pairs that failed the validation, in the full form"

    def rows(self, release: Release, part: str) -> Iterator[Row]:
        """Yield both prompts of a pair in an order of chance: the first would always be the generic one."""
        for _, prompts in groupby(super().rows(release, part), key=lambda row: row[PAIR]):
            both = list(prompts)
            if crypto.coin("release-order", release.salt, str(both[0][PAIR])):
                both.reverse()
            yield from both

    def files(self, release: Release) -> Sequence[ReleaseFile]:
        return [
            ReleaseFile(
                name="challenge", words="The valid prompts, as the paper published them, each with its id",
                part="full", columns=CHALLENGE, item=PAIR, pair=PAIR, labels=LABELS,
                wanted=lambda row: row["state"] == Premise.State.VALID,
            ),
            ReleaseFile(
                name="full", words="These, and where each part comes from",
                part="full", columns=FULL, item=PAIR, pair=PAIR, labels=(*LABELS, *TOLD),
            ),
        ]  # fmt: skip

    def blind(self, release: Release, row: Row) -> Row:
        """Name the prompt so that its name does not tell which of the pair it is."""
        return {**row, "prompt": blind_prompt(release, str(row["prompt"]))}

    def example(self, row: Row) -> ReleaseExample:
        texts = [("Completes it", row["target"]), ("Does not", row["incorrect"])]
        return ReleaseExample(words=row["masked_prompt"], texts=texts)

    def pictures_in(self, study: Study) -> QuerySet[Picture]:
        return Picture.objects.none()

    def card(self, release: Release) -> str:
        return render_to_string("winoventi/release_card.md", {"release": release, "counts": release.counts})


def blind_prompt(release: Release, prompt: str) -> str:
    """The name of a prompt of a hidden split."""
    return crypto.pseudonym("release-prompt", release.salt, prompt).replace("w-", "p-", 1)
