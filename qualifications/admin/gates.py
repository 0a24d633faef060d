"""Gates in the admin: the list of a study's gates, the page of each, and its switch."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import state_tag
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, read_number
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.studies.models import Study
from qualifications.admin import funnel, gate_actions, gate_edit
from qualifications.admin.finding_gates import ADD, CHANGE, GRADE, VIEW, find_gate, gates_for, render
from qualifications.admin.score_charts import score_tables
from qualifications.models import Gate, PlatformType
from qualifications.queries import gate_words
from qualifications.queries.gate_figures import figures_of

TYPE_WORDS = {
    PlatformType.Status.INTENDED: "Being made; it takes some seconds",
    PlatformType.Status.READY: "Ready",
    PlatformType.Status.REFUSED: "Refused by the provider",
}


class Switched(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("on", "On"), ("off", "Off")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Gate]) -> QuerySet[Gate]:
        return queryset.filter(is_active=self.value() == "on") if self.value() in ("on", "off") else queryset


@admin.register(Gate)
class GateAdmin(ReadOnlyAdmin[Gate]):
    menu = MenuPlace(Section.PEOPLE, 2)
    nothing_yet = (
        "Every worker may do all work until there is a gate, which opens work to those who pass a test. Add "
        "one from a preset, or by hand."
    )
    list_display = ("named", "study", "test", "opens_what", "passed", "state")
    list_display_links = None  # the first column is one
    list_filter = (("study", VisibleStudies), Switched)
    list_select_related = ("study",)
    search_fields = ("name",)
    ordering = ("study__name", "pk")
    list_per_page = 50
    show_full_result_count = False
    actions = None
    change_list_template = "admin/qualifications/gate/list.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("add/", view(gate_edit.add_view), name="qualifications_gate_add"),
            path("<int:pk>/edit/", view(gate_edit.edit_view), name="qualifications_gate_edit"),
            path("<int:pk>/switch/", view(gate_actions.switch_view), name="qualifications_gate_switch"),
            path(
                "<int:pk>/types/<int:type_pk>/retry/",
                view(require_POST(gate_actions.retry_view)),
                name="qualifications_gate_retry",
            ),
            path("funnel/<int:study_id>/", view(funnel.funnel_view), name="qualifications_funnel"),
            path("funnel/<int:study_id>/file/", view(funnel.file_view), name="qualifications_funnel_file"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Gate]:
        return gates_for(request.user)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        study = read_number(request.GET.get("study__id__exact", ""))
        add = f"{reverse('admin:qualifications_gate_add')}{f'?study={study}' if study else ''}"
        extra = {"title": "Gates", "add_url": add, "may_add": request.user.has_perm(ADD)}
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        gate = find_gate(request, read_number(object_id), VIEW)
        user = request.user
        context = {
            "title": gate.name,
            "gate": gate,
            **gate_words.words_of(gate),
            "figures": figures_of(gate),
            "tables": score_tables(gate),
            "types": [_type(row) for row in gate.platform_types.select_related("account").order_by("pk")],
            "may_change": user.has_perm(CHANGE),
            "may_grade": user.has_perm(GRADE),
        }
        return render(request, "gate/one", context)

    @admin.display(description="gate", ordering="name")
    def named(self, gate: Gate) -> SafeString:
        address = reverse("admin:qualifications_gate_change", args=[gate.pk])
        return format_html('<a href="{}">{}</a>', address, gate.name)

    @admin.display(description="test")
    def test(self, gate: Gate) -> str:
        return gate_words.test_in_words(gate)

    @admin.display(description="opens")
    def opens_what(self, gate: Gate) -> str:
        return gate_words.opens_in_words(gate)

    @admin.display(description="passed")
    def passed(self, gate: Gate) -> str:
        return gate_words.passed_in_words(gate)

    @admin.display(description="state", ordering="is_active")
    def state(self, gate: Gate) -> SafeString:
        return state_tag("On", "good") if gate.is_active else state_tag("Off")


def _type(row: PlatformType) -> dict[str, Any]:
    status = PlatformType.Status(row.status)
    return {"row": row, "words": TYPE_WORDS[status], "is_refused": status == PlatformType.Status.REFUSED}


def _switched_off(study: Study) -> str:
    off = Gate.objects.filter(study=study, is_active=False).order_by("pk").values_list("name", flat=True)
    names = ", ".join(f"“{name}”" for name in off)
    return f"Switched off, so that it keeps nobody out: {names}." if names else ""


announce(
    StudyPage(
        name="Gates",
        tab=Tab.PEOPLE,
        permission=VIEW,
        about="Tests that open work to those who pass them, and what passing grants.",
        address=lambda study: (
            f"{reverse('admin:qualifications_gate_changelist')}?study__id__exact={study.pk}"
        ),
        note=_switched_off,
    ),
    StudyPage(
        name="Funnel",
        tab=Tab.PEOPLE,
        permission=VIEW,
        about="How many people came, agreed, were tested, passed and worked.",
        address=lambda study: reverse("admin:qualifications_funnel", args=[study.pk]),
    ),
)
