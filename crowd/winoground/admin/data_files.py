"""Examples and answers as files to take out."""

from crowd.winoground.admin.results import find
from crowd.winoground.exporting.columns import ANSWERS, EXAMPLES, PROVENANCE
from crowd.winoground.exporting.export import WinogroundExport
from crowd.winoground.models import Project
from hits.admin.data.take_pages import ON_RECORD, Offer, TakePage
from hits.core.domain.counted_nouns import plural

EXPORT = WinogroundExport()


def _offer(project: Project) -> Offer:
    examples = EXPORT.count(project, everything=False)
    return Offer(
        about=f"{plural(examples, 'example')} that workers are asked about. {ON_RECORD} Workers have "
        "pseudonyms in files.",
        lists=(("Examples", EXAMPLES), ("In full also", PROVENANCE), ("Answers", ANSWERS)),
        note="" if examples else "Workers have not been asked about any example yet.",
    )


PAGE = TakePage(
    export=EXPORT,
    offer=_offer,
    said=lambda _: "Caption matching was taken",
    everything="Also examples that were withdrawn after workers had been asked",
    find=find,
)
