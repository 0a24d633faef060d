"""What a release of caption matching has: examples with both images, and every answer."""

from collections.abc import Sequence
from typing import ClassVar

from django.db.models import Q, QuerySet
from django.template.loader import render_to_string

from crowd.pictures.models import Picture
from crowd.releases.family_contents import ExamplePicture, ReleaseExample, ReleaseFile
from crowd.releases.models import Release
from crowd.releases.project_contents import ProjectContents
from crowd.winoground.domain import PLACES
from crowd.winoground.domain.caption_scores import Kind
from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, FULL, name_of
from crowd.winoground.exporting.export import WinogroundExport
from crowd.winoground.models import Example
from hits.core import crypto
from hits.datasets.columns import Row
from hits.studies.models import Study

PREFIXES = ("image_0", "image_1")
# What would tell which caption belongs to which image, since hidden examples have their images in any order.
LABELS = (
    *(f"{what}_{name_of(*place)}" for place in PLACES for what in ("yes", "answers")),
    *(str(kind) for kind in Kind),
)


class WinogroundContents(ProjectContents):
    family: ClassVar[str] = "winoground"
    items: ClassVar[str] = "examples"
    tasks: ClassVar[Sequence[str]] = ("image-to-text", "zero-shot-image-classification")
    export = WinogroundExport()
    parts: ClassVar[Sequence[str]] = ("full", "answers")
    prefixes: ClassVar[Sequence[str]] = PREFIXES
    rest_label: ClassVar[str] = "Include withdrawn examples, in the full form"

    def files(self, release: Release) -> Sequence[ReleaseFile]:
        return [
            ReleaseFile(
                name="examples", words="Examples that count, with captions, images, tags and people's scores",
                part="full", columns=EXAMPLES, item="example", labels=LABELS, images=self.images,
                wanted=lambda row: row["state"] != Example.State.WITHDRAWN,
            ),
            ReleaseFile(
                name="full", words="These, and who wrote them and when",
                part="full", columns=FULL, item="example",
                labels=(*LABELS, "metadata_0", "metadata_1"),
            ),
            ReleaseFile(
                name="answers", words="A row for every answer that counts",
                part="answers", columns=ANSWERS, item="example", tells=True,
            ),
        ]  # fmt: skip

    def blind(self, release: Release, row: Row) -> Row:
        """Put the images of every other example, by chance, into the other order."""
        if crypto.coin("release-order", release.salt, str(row["example"])):
            return row
        swapped = dict(row)
        for name, value in row.items():
            if name.startswith("image_0_"):
                other = f"image_1_{name.removeprefix('image_0_')}"
                swapped[name], swapped[other] = row[other], value
        return swapped

    def example(self, row: Row) -> ReleaseExample:
        pictures = [
            ExamplePicture(
                name=f"Image {place}", sha256=row[f"image_{place}_sha256"], mark=row[f"caption_{place}"]
            )
            for place in (0, 1)
        ]
        return ReleaseExample(words=f"Example {row['number']}", pictures=pictures)

    def pictures_in(self, study: Study) -> QuerySet[Picture]:
        examples = Example.objects.filter(project__study=study, asked_at__isnull=False)
        return Picture.objects.filter(
            Q(pk__in=examples.values("image_0")) | Q(pk__in=examples.values("image_1"))
        )

    def card(self, release: Release) -> str:
        return render_to_string("winoground/release_card.md", {"release": release, "counts": release.counts})
