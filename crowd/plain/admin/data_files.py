"""Download of the rows and answers of one version of the page."""

import re
from typing import Any

from django.http import Http404, HttpRequest

from crowd.plain.admin.results import asked_version
from crowd.plain.exporting.export import PlainExport
from crowd.plain.models import Description
from hits.admin.data.take_pages import ON_RECORD, Offer, TakePage
from hits.core.domain.counted_nouns import plural

EXPORT = PlainExport()
VERSION = re.compile(r"[0-9]{1,4}")


def _description(request: HttpRequest, project: Any) -> Description:
    version = request.GET.get("version", "")
    found = asked_version(project, int(version) if VERSION.fullmatch(version) else None)
    if found is None:
        raise Http404
    return found


def _offer(description: Description) -> Offer:
    rows = description.rows.filter(item__isnull=False).count()
    return Offer(
        about=f"{description}: {plural(rows, 'row')} that workers are asked about. {ON_RECORD} Workers "
        "appear in files under pseudonyms. Columns are named as in the files of Amazon's own batches.",
        lists=[(name.capitalize(), file.columns) for name, file in EXPORT.files_of(description).items()],
        note="" if rows else "Workers have not been asked about any row yet.",
    )


PAGE = TakePage(
    export=EXPORT,
    offer=_offer,
    said=lambda asked: f"Questions of one's own were taken, by version {asked.version} of the page",
    everything="Also rows that nobody has answered",
    source=_description,
)
