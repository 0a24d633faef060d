"""Admin pages of a study's annotations: drawing, progress, tables and downloads."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode

from crowd.winogavil.annotation import domain, label_words
from crowd.winogavil.annotation.admin.examples import examples_of, labels_of
from crowd.winogavil.annotation.admin.forms import DrawForm, recipe_of
from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.annotation.queries.rows import header_of, rows_of
from crowd.winogavil.annotation.queries.statistics import Figures, Row, figures_of
from crowd.winogavil.annotation.services import annotation_draw
from hits import families
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.payments.downloads import send
from hits.admin.selection import need, signed_in
from hits.core import audit_trail
from hits.core.domain.counted_nouns import plural
from hits.core.domain.days import moment_in_words
from hits.payments.services.finance_files import FinanceFile
from hits.studies.models import Study
from hits.work.access import studies_of
from hits.work.models.leases import Lease

A_PAGE = 50
ABOUT = (
    "Only associations that are selected and whose pictures the pool has: final, solved by people, and not "
    "reported. Types are asked of each word with each picture chosen for it. What was drawn before is never "
    "drawn again."
)
NOTHING_NEW = "There is nothing to draw: all that this recipe chooses was drawn before."
NONE_FITS = (
    "No association of this study fits. It becomes selected once three people have solved it well enough."
)
SPENDS_NOTHING = (
    "Nobody is asked and nothing is spent before a batch is launched. Until then what was drawn can be "
    "taken back."
)
DRAW = "winogavil_annotation.add_draw"
EXPORT = "hits.export_batch"
LATEST_DRAWS = 20


@admin.register(Annotation)
class AnnotationAdmin(ReadOnlyAdmin[Annotation]):
    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("<int:study_id>/", shown(self.study_view), name="winogavil_annotations"),
            path("<int:study_id>/draw/", shown(self.draw_view), name="winogavil_annotations_draw"),
            path(
                "<int:study_id>/draws/<int:draw_id>/take-back/",
                shown(self.take_back_view),
                name="winogavil_annotations_take_back",
            ),
            path(
                "<int:study_id>/examples/<slug:kind>/",
                shown(self.examples_view),
                name="winogavil_annotations_examples",
            ),
            path("<int:study_id>/<slug:kind>.csv", shown(self.file_view), name="winogavil_annotations_file"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The studies this user may see; each leads to its annotations."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        sought = request.GET.get("q", "").strip()
        studies = studies_of(request.user).filter(name__icontains=sought).annotate(**_counts())
        page = Paginator(studies.order_by("name"), A_PAGE).get_page(request.GET.get("page"))
        context = {"title": "Annotations", "page": page, "q": sought}
        return self._render(request, "studies", context)

    def study_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        study = self._find(request, study_id)
        figures = figures_of(study)
        context = {
            "title": f"Annotations of {study}",
            "study": study,
            "figures": figures,
            "parts": _parts(study, figures),
            "types": _named(figures.types.rows, label_words.TYPE_GROUPS[0]),
            "skills": [
                (group.heading, _named(figures.skills.rows, group)) for group in label_words.SKILL_GROUPS
            ],
            "draws": _draws(study),
            "may_draw": request.user.has_perm(DRAW),
            "may_export": request.user.has_perm(EXPORT),
        }
        return self._render(request, "study", context)

    def draw_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        return self._drawing().answer(request, "draw", study_id=study_id)

    def take_back_view(self, request: HttpRequest, study_id: int, draw_id: int) -> HttpResponse:
        """Take questions back, once their number is confirmed; those leased meanwhile stay."""
        return self._taking_back().answer(request, "take_back", study_id=study_id, draw_id=draw_id)

    def examples_view(self, request: HttpRequest, study_id: int, kind: str) -> HttpResponse:
        study = self._find(request, study_id)
        if kind not in Kind.values:
            raise Http404
        labels = labels_of(Kind(kind))
        label = request.GET.get("label", "")
        label = label if label in labels else ""
        number = request.GET.get("page")
        page, examples = examples_of(study, Kind(kind), label=label, number=number)
        context = {
            "title": Kind(kind).label,
            "study": study,
            "labels": labels,
            "label": label,
            "page": page,
            "examples": examples,
        }
        return self._render(request, "examples", context)

    def file_view(self, request: HttpRequest, study_id: int, kind: str) -> HttpResponseBase:
        """Download annotations; POST only, so that it is on record who took them."""
        study = self._find(request, study_id)
        if kind not in Kind.values:
            raise Http404
        if request.method != "POST" or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        now = timezone.now()
        words_of_act = f"The annotations “{Kind(kind).label}” were downloaded."
        audit_trail.note("annotations.exported", words_of_act, by=signed_in(request), now=now, study=study)
        name = f"annotations-{kind}-{now:%Y%m%d-%H%M}"
        rows = rows_of(study, Kind(kind))
        return send(FinanceFile(name=name, header=header_of(Kind(kind)), rows=rows), kind="csv")

    def _find(self, request: HttpRequest, study_id: int) -> Study:
        """Find a study that the user may see; any other is a 404."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(studies_of(request.user), pk=study_id)

    def _find_to_draw(self, request: HttpRequest, study_id: int) -> Study:
        study = self._find(request, study_id)
        need(request, DRAW)
        return study

    def _drawing(self) -> ActionPages[Study]:
        return ActionPages(
            actions={"draw": DRAWING},
            find=lambda request, study_id: [self._find_to_draw(request, study_id)],
            back=lambda studies: reverse("admin:winogavil_annotations", args=[studies[0].pk]),
            base="admin/winogavil_annotation/base.html",
            shared=lambda studies: {"opts": self.opts, "study": studies[0]},
        )

    def _taking_back(self) -> ActionPages[Draw]:
        def find(request: HttpRequest, study_id: int, draw_id: int) -> Sequence[Draw]:
            study = self._find_to_draw(request, study_id)
            return [get_object_or_404(Draw.objects.select_related("study"), pk=draw_id, study=study)]

        return ActionPages(
            actions={"take_back": TAKING_BACK},
            find=find,
            back=lambda draws: reverse("admin:winogavil_annotations", args=[draws[0].study_id]),
            base="admin/winogavil_annotation/base.html",
            shared=lambda draws: {"opts": self.opts, "study": draws[0].study},
        )

    def _render(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        template = f"admin/winogavil_annotation/{name}.html"
        return TemplateResponse(request, template, {**shared, **context})


def _ask_to_draw(call: Call[Study]) -> Confirm:
    """Confirmation of a draw; before the form is filled in, it only says what can be drawn."""
    about = Confirm(title="Draw associations to annotate", text=ABOUT)
    if not call.values:
        return about
    plan = annotation_draw.plan_draw(study=call.row, recipe=recipe_of(call.values))
    count = len(plan.new)
    if not count:
        return replace(about, consequences=[NOTHING_NEW if plan.found else NONE_FITS], is_blocked=True)
    chosen = "The recipe chooses {} of {}. {} of them {are} new: {answers} answers will be needed."
    are, answers = "is" if count == 1 else "are", count * domain.ANNOTATORS_WANTED
    return replace(
        about,
        consequences=[emphasize(chosen, plan.chosen, plan.found, count, are=are, answers=answers)],
        cost=SPENDS_NOTHING,
        button=f"Draw {plural(count, 'question')}",
        hidden=[("seen", count)],
    )


def _draw(call: Call[Study]) -> Outcome:
    draw = annotation_draw.draw_annotations(
        study=call.row,
        recipe=recipe_of(call.values),
        seen=_read_seen(call.sent),
        by=call.by,
        now=call.now,
    )
    questions = "1 question was" if draw.added == 1 else f"{draw.added} questions were"
    return Outcome(said=f"{questions} drawn. Launch a batch that asks them.")


DRAWING = Action(
    label="Draw",
    form=lambda data, call: DrawForm(data, kind=_read_kind(call.query.get("kind", ""))),
    looks_first="Preview the draw",
    confirm=_ask_to_draw,
    run=_draw,
    undone="Nothing was drawn.",
)


def _ask_to_take_back(call: Call[Draw]) -> Confirm:
    draw, count = call.row, annotation_draw.untouched_of(call.row).count()
    return Confirm(
        title="Take back the questions that nobody was asked yet?",
        text=emphasize(
            "{}, drawn {at}. {count} of its questions were given to nobody yet. They are removed as if they "
            "had never been drawn, and can be drawn again; questions that a worker has seen stay.",
            draw.get_kind_display(),
            at=moment_in_words(draw.drawn_at),
            count=count,
        ),
        button=f"Yes, take {count} back",
        hidden=[("seen", count)],
        is_blocked=not count,
    )


def _take_back(call: Call[Draw]) -> Outcome:
    count = annotation_draw.take_back(draw=call.row, seen=_read_seen(call.sent), by=call.by, now=call.now)
    return Outcome(said=f"{count} taken back. They can be drawn again.")


TAKING_BACK = Action(label="Take back", permissions=[DRAW], confirm=_ask_to_take_back, run=_take_back)


def _counts() -> dict[str, Any]:
    """Query expressions that count the questions of each kind in a study."""
    rows = Annotation.objects.filter(draw__study=OuterRef("pk"), item__pulled_at=None).order_by()
    return {
        f"{kind.value}_count": Coalesce(
            Subquery(rows.filter(kind=kind).values("draw__study").annotate(n=Count("pk")).values("n")), 0
        )
        for kind in Kind
    }


def with_untouched(draws: QuerySet[Draw]) -> QuerySet[Draw]:
    """Draws, each with how many of its questions nobody was asked yet."""
    handed = Lease.objects.filter(item=OuterRef("item"))
    untouched = Annotation.objects.filter(~Exists(handed), draw=OuterRef("pk")).order_by()
    counted = untouched.values("draw").annotate(n=Count("pk")).values("n")
    return draws.annotate(untouched=Coalesce(Subquery(counted), 0))


def _draws(study: Study) -> QuerySet[Draw]:
    """The latest draws, each with how many of its questions nobody was asked yet."""
    rows = Draw.objects.filter(study=study).select_related("drawn_by")
    return with_untouched(rows).order_by("-pk")[:LATEST_DRAWS]


def _parts(study: Study, figures: Figures) -> list[dict[str, Any]]:
    """Progress of each kind of annotation, and the address of the page that makes a batch for it."""
    add = reverse("admin:hits_batch_add")
    return [
        {
            "kind": kind,
            "name": kind.label,
            "task": families.get(kind.task).name,
            "progress": figures.progress[kind],
            "batch_url": f"{add}?{urlencode({'study': str(study.pk), 'task': kind.task})}",
        }
        for kind in Kind
    ]


def _named(rows: Sequence[Row], group: label_words.Group) -> list[tuple[str, Row]]:
    by_key = {row.key: row for row in rows}
    return [(str(label.name), by_key[label.key]) for label in group.labels if label.key in by_key]


def _read_kind(text: str) -> Kind:
    return Kind(text) if text in Kind.values else Kind.TYPES


def _read_seen(sent: QueryDict) -> int:
    """Number that the page showed; -1, which no page shows, if it cannot be read."""
    seen = read_number(sent.get("seen", ""))
    return -1 if seen is None else seen
