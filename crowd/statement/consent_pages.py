"""Pages of a worker's consents and answers about themselves: to read, withdraw and erase."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from crowd.statement import statement_links
from crowd.statement.statement_links import Link
from crowd.statement.statement_pages import linked
from hits.studies.models import Study
from qualifications.models import Consent, Demographics, SpokenEnglish
from qualifications.queries.consents import consents_of, is_under_age
from qualifications.services import consenting, demographics

SAID = ("withdrawn", "taken-out", "erased")


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A worker's consents to one study, the newest first."""

    study: Study
    consents: Sequence[Consent]

    @property
    def latest(self) -> Consent:
        return self.consents[0]

    @property
    def is_in_force(self) -> bool:
        return any(consent.withdrawn_at is None for consent in self.consents)

    @property
    def may_take_work_out(self) -> bool:
        """Whether the consent is withdrawn already, but the work was left in the data."""
        return not self.is_in_force and not self.latest.takes_work_out


@linked
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, link: Link) -> HttpResponse:
    """Show the consents. Each action is a POST, and idempotent."""
    if request.method == "POST":
        return _act(request, link)
    agreements = _agreements(link)
    if asked := request.GET.get("withdraw"):
        chosen = _find(agreements, asked)
        return render(request, "statement/withdraw.html", {"link": link, "agreement": chosen})
    said = request.GET.get("said")
    context = {
        "link": link,
        "agreements": agreements,
        "told": Demographics.objects.filter(worker=link.worker).defer("answers").first(),
        "english": SpokenEnglish.objects.filter(worker=link.worker).defer("answer").first(),
        "is_under_age": is_under_age(link.worker),
        "said": said if said in SAID else "",
    }
    return render(request, "statement/consent.html", context)


def _act(request: HttpRequest, link: Link) -> HttpResponse:
    if request.POST.get("deed") == "erase":
        demographics.erase(worker=link.worker)
        return _back(link, said="erased")
    chosen = _find(_agreements(link), request.POST.get("study", ""))
    takes_work_out = request.POST.get("work") == "out"
    consenting.withdraw(
        worker=link.worker, study=chosen.study, takes_work_out=takes_work_out, now=timezone.now()
    )
    return _back(link, said="taken-out" if takes_work_out else "withdrawn")


def _agreements(link: Link) -> list[Agreement]:
    rows = sorted(consents_of(link.worker), key=lambda row: (row.text.study_id, -row.pk))
    return [
        Agreement(study=group[0].text.study, consents=group)
        for group in (list(each) for _, each in groupby(rows, key=lambda row: row.text.study_id))
    ]


def _find(agreements: Sequence[Agreement], study_id: str) -> Agreement:
    found = next((one for one in agreements if str(one.study.public_id) == study_id), None)
    if found is None:
        raise statement_links.Unknown("This worker has agreed to nothing of that study.")
    return found


def _back(link: Link, *, said: str) -> HttpResponse:
    return redirect(f"{reverse('statement:consent', args=[link.token])}?said={said}")
