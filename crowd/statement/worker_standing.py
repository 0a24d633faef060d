"""A worker's standing: what has been passed in each study, what is next, and what waits for others."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from crowd.statement.statement_links import Link
from crowd.statement.statement_pages import linked
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.services.eligibility import is_blocked
from qualifications.models import Consent, ConsentText, Gate
from qualifications.queries import gate_standing as stands

# A worker who worked in more studies sees the latest ones.
MOST_STUDIES = 10
# A sign and a word for each code, so that no color carries a meaning. Others are still to be done.
SIGNS: dict[str, tuple[str, str | Promise, str]] = {
    stands.PASSED: ("✓", _("Passed"), "good"),
    stands.WAITING: ("…", _("Waiting"), ""),
    stands.STARTED: ("…", _("Begun"), ""),
    stands.FAILED: ("–", _("Not passed"), ""),
    stands.USED: ("–", _("Not passed"), ""),
    stands.REVOKED: ("–", _("Revoked"), ""),
    stands.MAY_RETRY: ("→", _("Open to you again"), ""),
}
TO_DO = ("→", _("To do"), "")


@dataclass(frozen=True, kw_only=True)
class StudyConsent:
    """A study's consent text, and the worker's consent to it; None if not given or withdrawn."""

    text: ConsentText
    consent: Consent | None


@dataclass(frozen=True, kw_only=True)
class Step:
    stand: stands.Stand
    sign: str
    word: str | Promise
    tone: str


@dataclass(frozen=True, kw_only=True)
class InStudy:
    study: Study
    agreed: StudyConsent | None
    steps: Sequence[Step]


@linked
@require_safe
def standing(request: HttpRequest, link: Link) -> HttpResponse:
    studies = [_in_study(study, worker=link.worker) for study in _studies(link)]
    shown = [one for one in studies if one.steps or one.agreed]
    context = {"link": link, "studies": shown, "is_blocked": is_blocked(link.worker)}
    return render(request, "statement/standing.html", context)


def _studies(link: Link) -> list[Study]:
    """The study that the worker came from, and others in which they worked and that have gates."""
    work = Assignment.objects.filter(worker=link.worker, hit__batch__study=OuterRef("pk"))
    gates = Gate.objects.filter(study=OuterRef("pk"), is_active=True)
    others = Study.objects.filter(Exists(work), Exists(gates)).exclude(pk=link.study.pk).order_by("-pk")
    return [link.study, *others[: MOST_STUDIES - 1]]


def _in_study(study: Study, *, worker: Worker) -> InStudy:
    steps = [_step(stand) for stand in stands.standing_of(worker=worker, study=study)]
    return InStudy(study=study, agreed=_agreed(study, worker=worker), steps=steps)


def _agreed(study: Study, *, worker: Worker) -> StudyConsent | None:
    texts = ConsentText.objects.filter(study=study, published_at__isnull=False).order_by("-version")
    text = texts.defer("text").first()
    if text is None:
        return None
    given = Consent.objects.filter(text=text, worker=worker, withdrawn_at=None)
    return StudyConsent(text=text, consent=given.first())


def _step(stand: stands.Stand) -> Step:
    sign, word, tone = SIGNS.get(stand.code, TO_DO)
    return Step(stand=stand, sign=sign, word=word, tone=tone)
