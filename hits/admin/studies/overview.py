"""The first page of a study: what waits, the stages of each of its families, and the batches that run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from hits.admin.home.current_study import current_study
from hits.admin.home.home_page import running_batches
from hits.admin.projects.project_base import ProjectPagesBase
from hits.admin.projects.project_batches import with_batches
from hits.admin.projects.project_cards import Metric
from hits.admin.projects.project_steps import DRAFT
from hits.admin.projects.stage_line import NextStep, Stage, next_step, stages_of
from hits.admin.selection import signed_in
from hits.admin.studies.study_pages import StudyLink, Tab, notes_on, pages_on, waiting_in
from hits.admin.studies.study_tabs import families_for, families_used
from hits.batches.queries.held_pilots import held_pilots
from hits.identity.models.users import User
from hits.studies.models import Study

Pages = ProjectPagesBase[Any]


@dataclass(frozen=True, kw_only=True)
class StageLine:
    """The stages of the study in one family, and what is next there."""

    name: str
    url: str
    stages: Sequence[Stage]
    next: NextStep | None


@dataclass(frozen=True, kw_only=True)
class StudyView:
    """A look at a study: who looks, and at which families of it."""

    request: HttpRequest
    study: Study
    user: User
    used: Sequence[Pages]

    def project_in(self, pages: Pages) -> Any:
        """Return the study's project; of a family with default rules, one that was never saved."""
        found = pages.get_queryset(self.request).filter(study=self.study).first()
        return found or pages.model(study=self.study)


def overview_of(view: StudyView) -> dict[str, Any]:
    study, user = view.study, view.user
    # What a study that collects nothing yet is set up by.
    beginnings = [] if view.used else pages_on(Tab.SETTINGS, study=study, user=user)
    sees_batches = user.has_perm("hits.view_batch")
    return {
        "lines": [_line_of(pages, view) for pages in view.used],
        "unused": [_start_of(pages, study) for pages in families_for(user) if pages not in view.used],
        "waiting": [*waiting_in(study, user=user), *(_pilots(study) if sees_batches else ())],
        "notes": list(notes_on(study, user=user)),
        "running": running_batches(user).filter(study=study) if sees_batches else [],
        "sees_batches": sees_batches,
        "links": list(beginnings),
    }


def _pilots(study: Study) -> Iterator[StudyLink]:
    for one in held_pilots(study):
        waits = Metric(name=f"HITs of “{one.title}” wait until you send the rest", count=one.held)
        yield StudyLink(name="Batch", address=reverse("admin:hits_batch_live", args=[one.batch]), waits=waits)


def next_in_current_study(request: HttpRequest) -> tuple[Study, NextStep] | None:
    """The study that somebody works on and what is next there, for a page that is about no study itself."""
    current, user = current_study(request), signed_in(request)
    if current is None:
        return None
    study = Study.objects.get(pk=current.pk)
    view = StudyView(request=request, study=study, user=user, used=families_used(study, user=user))
    steps = (_line_of(pages, view).next for pages in view.used)
    return next(((study, step) for step in steps if step), None)


def _line_of(pages: Pages, view: StudyView) -> StageLine:
    user, project = view.user, view.project_in(pages)
    home = pages.address(project)
    shown = with_batches(pages, pages.cards_for(project, user), project)
    may_draft = bool(project.pk) and user.has_perms([pages.permission("change"), DRAFT])
    return StageLine(
        name=pages.name,
        url=home,
        stages=list(stages_of(shown, home=home)),
        next=next_step(shown, home=home, may_draft=may_draft),
    )


def _start_of(pages: Pages, study: Study) -> dict[str, str]:
    return {
        "name": pages.name,
        "about": pages.about,
        "url": reverse(f"admin:{pages.label}_of_study", args=[study.pk]),
    }
