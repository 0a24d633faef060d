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
from crowd.whoops.results.exporting.whoops_export import WhoopsExport
from hits.datasets.columns import Row
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
            wanted=lambda row: row["state"] == Image.State.ACCEPTED,
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
        return [images, full, questions, *([] if release.hides_test else [answers])]

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
