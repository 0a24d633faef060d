"""Images, questions and answers as files to take out."""

from crowd.whoops.models import Project
from crowd.whoops.results.exporting.columns import IMAGES, PROVENANCE
from crowd.whoops.results.exporting.judged_columns import ANSWERS, QUESTIONS
from crowd.whoops.results.exporting.judged_rows import exported_questions
from crowd.whoops.results.exporting.whoops_export import WhoopsExport
from hits.admin.data.take_pages import ON_RECORD, Offer, TakePage
from hits.core.domain.counted_nouns import plural

EXPORT = WhoopsExport()
LISTS = (("Images", IMAGES), ("In full also", PROVENANCE), ("Questions", QUESTIONS), ("Answers", ANSWERS))


def _offer(project: Project) -> Offer:
    images = EXPORT.count(project, everything=False)
    questions = exported_questions(project, everything=False).count()
    return Offer(
        about=f"{plural(images, 'accepted image')}, and {plural(questions, 'question')} that people are "
        f"asked about them. {ON_RECORD} Designers, annotators and judges have pseudonyms in files.",
        lists=LISTS,
        note="" if images else "No image is accepted yet.",
    )


PAGE = TakePage(
    export=EXPORT,
    offer=_offer,
    said=lambda _: "Weird images were taken",
    everything="Also images that are not accepted, and questions that were withdrawn",
)
