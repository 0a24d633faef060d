"""Download of the challenge set: sent while it is read, or from a temporary file that is gone afterwards."""

from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone

from crowd.winoventi.challenge.admin.forms import DataForm
from crowd.winoventi.challenge.exporting.columns import FULL, PUBLISHED
from crowd.winoventi.challenge.exporting.winoventi_export import WinoventiExport, write_splits
from crowd.winoventi.challenge.queries.prompt_rows import settled_pairs
from crowd.winoventi.models import Project
from hits.admin.data.take_files import TakeForm, file_name, send_file
from hits.admin.data.take_pages import ON_RECORD, Offer, TakePage
from hits.admin.selection import signed_in
from hits.core import audit_trail
from hits.core.domain.counted_nouns import plural

EXPORT = WinoventiExport()


class ChallengePage(TakePage):
    """The download page of the challenge set: its rows, or splits of them, which are several files."""

    def form(self, data: QueryDict | None, source: Project) -> TakeForm:
        return DataForm(data, everything=self.everything)

    def take(
        self, request: HttpRequest, source: Project, *, seed: int | None = None, **wanted: Any
    ) -> HttpResponseBase:
        if wanted["what"] != "splits":
            return super().take(request, source, **wanted)
        form, study, now = wanted["form"], wanted["study"], timezone.now()
        words = f"{self.said(source)}: splits, {form}."
        audit_trail.note(self.export.recorded, words, by=signed_in(request), now=now, study=study)
        name = file_name(self.export.stem, study, "splits", "zip", now=now)
        return send_file(_zipped_splits(source, seed=seed or 0, form=form), name=name, kind="zip")


def _offer(project: Project) -> Offer:
    pairs = settled_pairs(project, everything=False).count()
    return Offer(
        about=f"{plural(pairs, 'valid pair')}, with two prompts each. {ON_RECORD}",
        lists=(("As published", PUBLISHED), ("Also in full", FULL[len(PUBLISHED) :])),
        note="" if pairs else "No pair is valid yet.",
    )


def _zipped_splits(project: Project, *, seed: int, form: str) -> Any:
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    with TemporaryDirectory() as folder, ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for one in write_splits(project, folder=Path(folder), seed=seed, form=form):
            archive.write(Path(folder) / one["name"], one["name"])
    file.seek(0)
    return file


PAGE = ChallengePage(
    export=EXPORT,
    offer=_offer,
    said=lambda _: "The challenge set was taken",
    everything="Also pairs that failed their validation",
    key="data",
    title="Take the challenge set out",
)
