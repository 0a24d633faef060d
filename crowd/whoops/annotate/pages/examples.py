"""The annotators' test: the same three texts about five images. A person grades it; nothing is scored."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from crowd.questions.page_entries import Texts
from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import TEST_IMAGES, TEXTS
from crowd.whoops.annotate.pages.annotate import WRITTEN, PictureToAnnotate, ThreeTexts, pictured
from crowd.whoops.domain.paper_requirements import PAPER_ASKS
from crowd.whoops.models import TrainingImage
from hits.datasets.columns import TEXT, column
from hits.families import Purpose, Terms
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class ExamplesTask(ThreeTexts):
    """A worker who returns the test begins again with the same images: they have seen no good answer."""

    key = domain.EXAMPLES
    name = "Weird images: the annotators' test"
    terms = Terms(
        title="Test: what is strange in these images?",
        description=(
            "A test: five images with something strange in each. Write three short texts about each of them. "
            "A person reads your texts and decides whether you can take part."
        ),
        # $13.50 an hour, as in the work itself.
        reward=Decimal("3.00"),
        item_s=160,
        items_each=TEST_IMAGES,
        most_items=TEST_IMAGES,
        duration_s=3600,
        # Providers charge more from ten workers on.
        workers_per_hit=9,
        requirements=PAPER_ASKS,
    )
    purpose = Purpose.TEST
    page = "whoops/examples.html"
    review = "whoops/review/examples.html"
    flat = (column("image_sha256", TEXT, "the SHA-256 of its file", of="asked.row.picture.sha256"), *WRITTEN)

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, PictureToAnnotate]:
        rows = TrainingImage.objects.filter(item__in=items).select_related("picture")
        return {row.item_id: pictured(row.picture, row=row) for row in rows}

    def reviewed(
        self, asked: PictureToAnnotate, texts: Texts, *, assignment: Assignment
    ) -> Mapping[str, Any]:
        return {
            "picture_url": asked.url,
            "answer": texts,
            "odd": self.look(texts, asked).odd if texts else {},
            "model": {entry: getattr(asked.row, entry, "") for entry in TEXTS},
        }
