"""What a release of weird images has: images with their annotations, judged questions, and every vote."""

from collections.abc import Sequence
from typing import ClassVar

from django.db.models import Q, QuerySet
from django.template.loader import render_to_string

from crowd.pictures.models import Picture
from crowd.releases.family_contents import ExamplePicture, ReleaseExample, ReleaseFile
from crowd.releases.models import Release
from crowd.releases.project_contents import ProjectContents
from crowd.whoops.models import Image, Partner
from crowd.whoops.results.exporting.columns import FULL, IMAGES
from crowd.whoops.results.exporting.judged_columns import ANSWERS, QUESTIONS
from crowd.whoops.results.exporting.model_columns import (
    ANSWERED,
    FOR_MODELS,
    SEQUENCES,
    questions_in,
    sequences_in,
)
from crowd.whoops.results.exporting.whoops_export import WhoopsExport
from hits.datasets.columns import Column, Row
from hits.studies.models import Study

# What a model is to find out by itself: what is weird, why, and how people describe it.
LABELS = (
    "category", "category_origin", "prompt", "seed", "normal_pair", "weird_pair", "designer_explanation",
    "edited_explanation", "captions", "explanations", "underspecified_captions", "normal_prompt",
    "normal_seed",
)  # fmt: skip
TOLD = (
    "normal_element", "weird_element", "shared_element", "revisions", "control_group", "edits", "annotations",
)  # fmt: skip


def _is_accepted(row: Row) -> bool:
    return bool(row["state"] == Image.State.ACCEPTED)


class WhoopsContents(ProjectContents):
    family: ClassVar[str] = "whoops"
    items: ClassVar[str] = "images"
    tasks: ClassVar[Sequence[str]] = ("image-to-text", "visual-question-answering")
    export = WhoopsExport()
    parts: ClassVar[Sequence[str]] = ("full", "questions", "answers")
    prefixes: ClassVar[Sequence[str]] = ("weird", "normal", "natural")
    rest_label: ClassVar[str] = "Include images that were not accepted, in the full form"

    def files(self, release: Release) -> Sequence[ReleaseFile]:
        images = ReleaseFile(
            name="images", words="Accepted images, with captions, explanations and partners",
            part="full", columns=IMAGES, item="image", labels=LABELS, images=self.images,
            wanted=_is_accepted,
        )  # fmt: skip
        full = ReleaseFile(
            name="full", words="These, and how each came about",
            part="full", columns=FULL, item="image", labels=(*LABELS, *TOLD),
        )  # fmt: skip
        questions = ReleaseFile(
            name="questions", words="Each thing that people judged, with its votes",
            part="questions", columns=QUESTIONS, item="image", tells=True,
        )  # fmt: skip
        answers = ReleaseFile(
            name="answers", words="A row for every vote that counts",
            part="answers", columns=ANSWERS, item="question",
        )  # fmt: skip
        # A vote does not say which image it is about, so that those of hidden ones could not be told apart.
        votes = [] if release.hides_test else [answers]
        return [images, full, questions, *votes, *self._for_models(release)]

    def _for_models(self, release: Release) -> Sequence[ReleaseFile]:
        """Return the files that models are asked by and trained with. Earlier releases have none."""
        answered = ReleaseFile(
            name="question_answering", words="Questions about the weird images, with their right answers",
            part="full", columns=ANSWERED, item="image", labels=("answer",),
            wanted=_is_accepted, divide=questions_in,
        )  # fmt: skip
        sequences = ReleaseFile(
            name="sequences", words="Inputs and targets for fine-tuning a model, of all tasks",
            part="full", columns=SEQUENCES, item="image", tells=True,
            wanted=_is_accepted, divide=sequences_in,
        )  # fmt: skip
        known = release.counts.get("files")
        return [one for one in (answered, sequences) if known is None or one.name in known]

    def columns(self, release: Release, part: str) -> Sequence[Column]:
        columns = super().columns(release, part)
        return (*columns, *FOR_MODELS) if part == self.parts[0] else columns

    def example(self, row: Row) -> ReleaseExample:
        texts = [
            ("Normal would be", row["normal_pair"]),
            ("What people see", next(iter(row["captions"]), "")),
            ("Why it is weird", next(iter(row["explanations"]), "") or row["designer_explanation"]),
        ]
        weird = ExamplePicture(name=f"Image {row['number']}", sha256=row["weird_sha256"])
        return ReleaseExample(words=row["weird_pair"], pictures=[weird], texts=texts)

    def pictures_in(self, study: Study) -> QuerySet[Picture]:
        images = Image.objects.filter(project__study=study, state=Image.State.ACCEPTED)
        partners = Partner.objects.filter(image__in=images)
        return Picture.objects.filter(
            Q(pk__in=images.values("picture")) | Q(pk__in=partners.values("picture"))
        )

    def card(self, release: Release) -> str:
        return render_to_string("whoops/release_card.md", {"release": release, "counts": release.counts})
