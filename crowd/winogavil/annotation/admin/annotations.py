"""The annotations of a study: drawn, followed, read as tables, downloaded."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import urlencode

from crowd.winogavil.annotation import domain, words
from crowd.winogavil.annotation.admin.examples import examples_of, labels_of
from crowd.winogavil.annotation.admin.forms import DrawForm
from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.annotation.queries.rows import header_of, rows_of
from crowd.winogavil.annotation.queries.statistics import Figures, Row, figures_of
from crowd.winogavil.annotation.services import drawing
from hits import families
from hits.access import studies_of
from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome, emphasize
from hits.admin.downloads import send
from hits.admin.parts import ReadOnlyAdmin, read_number
from hits.admin.selecting import need, signed_in
from hits.errors import RuleBroken
from hits.models import Lease, Study
from hits.services import auditing
from hits.services.finance_files import FinanceFile

A_PAGE = 50
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
        """The studies this person may see; each leads to its annotations."""
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
            "types": _named(figures.types.rows, words.TYPE_GROUPS[0]),
            "skills": [(group.heading, _named(figures.skills.rows, group)) for group in words.SKILL_GROUPS],
            "draws": _draws(study),
            "may_draw": request.user.has_perm(DRAW),
            "may_export": request.user.has_perm(EXPORT),
        }
        return self._render(request, "study", context)

    def draw_view(self, request: HttpRequest, study_id: int) -> HttpResponse:
        """A GET only reckons what a recipe comes to; a POST draws what was seen, or says why not."""
        study = self._find_to_draw(request, study_id)
        data = request.POST if request.method == "POST" else (request.GET if "most" in request.GET else None)
        form = DrawForm(data, kind=_read_kind(request.GET.get("kind", "")))
        if not (form.is_bound and form.is_valid()):
            return self._ask(request, study, form)
        if request.method != "POST":
            return self._ask(request, study, form, plan=drawing.plan_draw(study=study, recipe=form.recipe))
        try:
            draw = drawing.draw_annotations(
                study=study,
                recipe=form.recipe,
                seen=_read_seen(request.POST),
                by=signed_in(request),
                now=timezone.now(),
            )
        except RuleBroken as refusal:
            messages.error(request, f"{refusal} Nothing was drawn.")
            plan = drawing.plan_draw(study=study, recipe=form.recipe)
            return self._ask(request, study, form, plan=plan, status=409)
        questions = "1 question was" if draw.added == 1 else f"{draw.added} questions were"
        messages.success(request, f"{questions} drawn. Launch a batch that asks them.")
        return redirect("admin:winogavil_annotations", study.pk)

    def take_back_view(self, request: HttpRequest, study_id: int, draw_id: int) -> HttpResponse:
        """Asks first, with the number; what somebody was handed meanwhile stays."""
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
        """Posted, so that it is on record who took it."""
        study = self._find(request, study_id)
        if kind not in Kind.values:
            raise Http404
        if request.method != "POST" or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        now = timezone.now()
        words_of_act = f"The annotations “{Kind(kind).label}” were downloaded."
        auditing.note("annotations.exported", words_of_act, by=signed_in(request), now=now, study=study)
        name = f"annotations-{kind}-{now:%Y%m%d-%H%M}"
        rows = rows_of(study, Kind(kind))
        return send(FinanceFile(name=name, header=header_of(Kind(kind)), rows=rows), kind="csv")

    def _ask(
        self,
        request: HttpRequest,
        study: Study,
        form: DrawForm,
        *,
        plan: drawing.Plan | None = None,
        status: int = 200,
    ) -> HttpResponse:
        context = {"title": "Draw associations to annotate", "study": study, "form": form, "plan": plan}
        if plan:
            context["answers"] = len(plan.new) * domain.ANNOTATORS_WANTED
            context["carried"] = _carried(form)
        return self._render(request, "draw", context, status=status)

    def _find(self, request: HttpRequest, study_id: int) -> Study:
        """A study of somebody else does not exist for who may not see it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return get_object_or_404(studies_of(request.user), pk=study_id)

    def _find_to_draw(self, request: HttpRequest, study_id: int) -> Study:
        study = self._find(request, study_id)
        need(request, DRAW)
        return study

    def _taking_back(self) -> ActionPages[Draw]:
        def find(request: HttpRequest, study_id: int, draw_id: int) -> Sequence[Draw]:
            study = self._find_to_draw(request, study_id)
            return [get_object_or_404(Draw.objects.select_related("study"), pk=draw_id, study=study)]

        return ActionPages(
            actions={"take_back": Action(label="Take back", confirm=_ask_to_take_back, run=_take_back)},
            find=find,
            back=lambda draws: reverse("admin:winogavil_annotations", args=[draws[0].study_id]),
            base="admin/winogavil_annotation/base.html",
            shared=lambda draws: {"opts": self.opts, "study": draws[0].study},
        )

    def _render(
        self, request: HttpRequest, name: str, context: dict[str, Any], *, status: int = 200
    ) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        template = f"admin/winogavil_annotation/{name}.html"
        return TemplateResponse(request, template, {**shared, **context}, status=status)


def _ask_to_take_back(call: Call[Draw]) -> Confirm:
    draw, count = call.row, drawing.untouched_of(call.row).count()
    return Confirm(
        title="Take back what nobody was asked yet?",
        text=emphasize(
            "{}, drawn {at}. {count} of its questions were handed to nobody yet. They are removed as if they "
            "had never been drawn, and can be drawn again; what somebody has seen stays.",
            draw.get_kind_display(),
            at=f"{draw.drawn_at:%Y-%m-%d %H:%M}",
            count=count,
        ),
        button=f"Yes, take {count} back",
        hidden=[("seen", count)],
        is_blocked=not count,
    )


def _take_back(call: Call[Draw]) -> Outcome:
    count = drawing.take_back(draw=call.row, seen=_read_seen(call.sent), by=call.by, now=call.now)
    return Outcome(said=f"{count} taken back. They can be drawn again.")


def _counts() -> dict[str, Any]:
    """Of each study, how many questions of each kind it has."""
    rows = Annotation.objects.filter(draw__study=OuterRef("pk"), item__pulled_at=None).order_by()
    return {
        f"{kind.value}_count": Coalesce(
            Subquery(rows.filter(kind=kind).values("draw__study").annotate(n=Count("pk")).values("n")), 0
        )
        for kind in Kind
    }


def _draws(study: Study) -> QuerySet[Draw]:
    """The latest, each with how many of it nobody was asked yet."""
    handed = Lease.objects.filter(item=OuterRef("item"))
    untouched = Annotation.objects.filter(~Exists(handed), draw=OuterRef("pk")).order_by()
    counted = untouched.values("draw").annotate(n=Count("pk")).values("n")
    rows = Draw.objects.filter(study=study).select_related("drawn_by")
    return rows.annotate(untouched=Coalesce(Subquery(counted), 0)).order_by("-pk")[:LATEST_DRAWS]


def _parts(study: Study, figures: Figures) -> list[dict[str, Any]]:
    """How far each kind is, and where a batch for it begins."""
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


def _named(rows: Sequence[Row], group: words.Group) -> list[tuple[str, Row]]:
    by_key = {row.key: row for row in rows}
    return [(str(label.name), by_key[label.key]) for label in group.labels if label.key in by_key]


def _carried(form: DrawForm) -> list[tuple[str, str]]:
    """The recipe as hidden fields, so that what is drawn is what was reckoned."""
    recipe: Mapping[str, Any] = {"kind": form.recipe.kind, **form.recipe.as_json()}
    found: list[tuple[str, str]] = []
    for name, value in recipe.items():
        found += [(name, str(one)) for one in (value if isinstance(value, list) else [value])]
    return [(name, value) for name, value in found if (name, value) != ("number", "0")]


def _read_kind(text: str) -> Kind:
    return Kind(text) if text in Kind.values else Kind.TYPES


def _read_seen(sent: QueryDict) -> int:
    """What the page said. What cannot be read was seen by nobody."""
    seen = read_number(sent.get("seen", ""))
    return -1 if seen is None else seen
