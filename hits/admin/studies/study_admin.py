from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from hits.admin.bonus_table.table_field import BonusTableField, is_editing
from hits.admin.bonus_table.table_pages import table_view
from hits.admin.data import purge_pages
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import money_column, progress_bar
from hits.admin.selection import signed_in
from hits.admin.studies import beginnings, copying, tab_pages
from hits.admin.studies.study_pages import StudyPage, Tab, WaitingRows, announce, pages_on
from hits.batches.services.budgets import grant_budget, refuse_new_currency
from hits.common.currencies import in_money
from hits.core.domain.bonus_tables import read_bonus_rules, wants_floor
from hits.core.errors import RuleBroken
from hits.ledger.models.bonuses import Bonus
from hits.payments.queries.run_list import owed_free
from hits.studies.models import FIXED_BY_LAUNCH, Study
from hits.work.access import visible


def offered_languages() -> list[tuple[str, str]]:
    return list(settings.LANGUAGES)


def offered_beginnings() -> list[tuple[str, str]]:
    ways = [(key, one.name) for key, one in beginnings.offered().items()]
    return [*ways, ("", "None: with rules of my own")]


class StudyForm(forms.ModelForm[Study]):
    begin_as = forms.ChoiceField(
        label="Set up as in a paper",
        choices=offered_beginnings,
        widget=forms.RadioSelect,
        required=False,
        help_text="Puts the paper's bonus table, rewards, requirements, tests and settings in place. Each "
        "figure can be changed afterwards, and every one is shown with its origin.",
    )
    language = forms.ChoiceField(
        choices=offered_languages,
        help_text="Language of the workers' pages. Languages into which they are translated are offered.",
    )
    bonus_rules = BonusTableField(
        label="Rules",
        help_text="Workers read the name of a rule beside their bonus. A batch keeps the table that it was "
        "launched with.",
    )

    class Meta:
        widgets = {"members": forms.CheckboxSelectMultiple}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if currency := self.fields.get("currency"):
            currency.required = False  # a page that sends none, of the version before, means no other
        if table := self.fields.get("bonus_rules"):
            table.widget.currency = self.instance.currency

    def clean(self) -> dict[str, Any]:
        """Refuse a wage rule without a wage: it would never owe anything, and nobody would notice."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        try:
            rules = read_bonus_rules(values.get("bonus_rules", []))
        except ValueError:
            return values  # the model's own check says what is wrong with it
        if wants_floor(rules) and not values.get("wage_floor"):
            self.add_error(
                "wage_floor",
                "The bonus table pays up to this wage: set it, or give the rule an hourly wage.",
            )
        return values

    def clean_budget(self) -> Any:
        budget = self.cleaned_data["budget"]
        if budget is not None and budget < self.instance.reserved:
            reserved = in_money(self.instance.reserved, self.instance.currency)
            raise ValidationError(f"{reserved} are reserved already: the budget cannot be less than that.")
        return budget


@admin.register(Study)
class StudyAdmin(admin.ModelAdmin[Study]):
    menu = MenuPlace(Section.STUDIES, 1)
    form = StudyForm

    nothing_yet = (
        "No study yet. A study has a question, a budget and its people; batches belong to it. Make one with "
        "the button above, set up as in a paper or with rules of your own."
    )
    list_display = ("name", "lab", money_column("budget"), "spent", "language", "time_zone", "created_at")
    search_fields = ("name", "lab", "grant_code")
    ordering = ("-pk",)
    show_full_result_count = False
    actions = None
    # A new study needs few words; all the rest has a usual value.
    first_fieldsets = (
        (None, {"fields": ("name", "lab", "currency", "budget", "begin_as")}),
        (
            "More settings",
            {
                "fields": (
                    "grant_code",
                    "language",
                    "time_zone",
                    "wage_floor",
                    "bonus_rules",
                    "large_bonus",
                    "many_bonuses",
                    "large_run",
                    "members",
                    "own_people",
                    "rejections_a_day",
                ),
                "classes": ("collapse",),
            },
        ),
    )
    fieldsets = (
        (None, {"fields": ("name", "lab", "grant_code", "language", "time_zone")}),
        ("Money", {"fields": ("currency", "budget", "reserved", "left", "entries", "wage_floor")}),
        ("Bonus table", {"fields": ("table", "bonus_rules")}),
        ("Bonus runs", {"fields": ("large_bonus", "many_bonuses", "large_run")}),
        ("People", {"fields": ("members", "own_people", "rejections_a_day")}),
    )

    def get_urls(self) -> list[URLPattern]:
        table = self.admin_site.admin_view(table_view)
        settings_page = self.admin_site.admin_view(self.settings_view)
        return [
            path("bonus-table/", table, name="hits_study_bonus_table"),
            path("<int:pk>/settings/", settings_page, name="hits_study_settings"),
            *copying.urls(self),
            *purge_pages.urls(self),
            *tab_pages.urls(self),
            *super().get_urls(),
        ]

    def get_fieldsets(self, request: HttpRequest, obj: Study | None = None) -> Any:
        """Leave out what leads nowhere: the rules for who may only look, and books that are not for the user.

        The table in words says what the rules are.
        """
        if obj is None:
            return self.first_fieldsets
        hidden = set()
        if not self.has_change_permission(request, obj):
            hidden.add("bonus_rules")
        if not request.user.has_perm("hits.view_ledgerentry"):
            hidden.add("entries")
        return [
            (title, {"fields": [name for name in options["fields"] if name not in hidden]})
            for title, options in self.fieldsets
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        return visible(super().get_queryset(request), request.user)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the study itself; its form is the page of its settings."""
        return tab_pages.tab_view(self, request, tab_pages.key_of(object_id), tab=Tab.OVERVIEW)

    def settings_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self.changeform_view(request, str(pk))

    def response_post_save_change(self, request: HttpRequest, obj: Study) -> HttpResponseRedirect:
        return redirect("admin:hits_study_change", obj.pk)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if study := kwargs.get("obj"):
            links = pages_on(Tab.SETTINGS, study=study, user=signed_in(request))
            context |= {"study": study, "title": f"{study}: settings", "links": list(links)}
        form = context["adminform"].form
        if is_editing(form):  # nobody has tried to save it yet
            form.errors.clear()
            context["errors"] = None
        return super().render_change_form(request, context, *args, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: Study | None = None) -> tuple[str, ...]:
        fixed = FIXED_BY_LAUNCH if obj and _is_launched(request, obj) else ()
        return ("reserved", "left", "entries", "table", *fixed)

    def save_model(self, request: HttpRequest, obj: Study, form: Any, change: bool) -> None:
        """Save only what the form has changed: reserved money moves at the same time, elsewhere."""
        if not change:
            obj.save()
            grant_budget(study=obj, by=signed_in(request), now=timezone.now())
            return
        columns = {field.name for field in Study._meta.concrete_fields}
        if changed := columns & set(form.changed_data):
            try:
                with transaction.atomic():
                    refuse_new_currency(obj)
                    obj.save(update_fields=changed)
                    grant_budget(study=obj, by=signed_in(request), now=timezone.now())
            except RuleBroken as refusal:
                messages.error(request, f"Nothing was saved. {refusal}")

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Make the creator of a study its member: no other user could let them in. Then set it up."""
        super().save_related(request, form, formsets, change)
        if not change:
            form.instance.members.add(request.user)
            self._begin(request, form.instance, as_in=form.cleaned_data["begin_as"])

    def _begin(self, request: HttpRequest, study: Study, *, as_in: str) -> None:
        """Begin the study as was chosen. A refusal leaves the study as it is, and says what to do."""
        beginning = beginnings.offered().get(as_in)
        if beginning is None:
            words = "It pays no bonuses yet: write its bonus table, or set it up as in a paper."
            messages.info(request, words)
            return
        try:
            with transaction.atomic():
                put = beginning.begin(study, signed_in(request), timezone.now())
        except RuleBroken as refusal:
            messages.warning(request, f"It is not set up as in the paper. {refusal}")
        else:
            messages.success(request, f"Set up: {beginning.name}. Figures put in place: {len(put)}.")

    def response_add(
        self, request: HttpRequest, obj: Study, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Open the page of the new study, which says what can be set up."""
        if {"_addanother", "_continue", "_popup"} & set(request.POST):
            return super().response_add(request, obj, post_url_continue)
        messages.success(request, f"The study “{obj}” is made.")
        return redirect("admin:hits_study_change", obj.pk)

    def has_delete_permission(self, request: HttpRequest, obj: Study | None = None) -> bool:
        unused = obj is None or not obj.batches.exists()
        return unused and super().has_delete_permission(request, obj)

    @admin.display(description="spent or set aside", ordering="reserved")
    def spent(self, study: Study) -> SafeString | str:
        """How much of the budget is reserved, as a bar."""
        if study.budget is None:
            return "no budget"
        label = f"{study}: spent or set aside"
        show = partial(in_money, currency=study.currency)
        return progress_bar(study.reserved, study.budget, label=label, show=show)

    @admin.display(description="left")
    def left(self, study: Study) -> str:
        return "no budget" if study.budget_left is None else in_money(study.budget_left, study.currency)

    @admin.display(description="as saved, in words")
    def table(self, study: Study) -> SafeString | str:
        if not study.pk:
            return "not saved yet"
        rules = [(rule.name, rule.in_words(currency=study.currency)) for rule in study.rules]
        if not rules:
            return "No bonuses: work earns its reward alone."
        lines = format_html_join("", "<li><strong>{}</strong>: {}</li>", rules)
        return format_html('<ul class="rules">{}</ul>', lines)

    @admin.display(description="books")
    def entries(self, study: Study) -> SafeString | str:
        if not study.pk:
            return "none yet"
        address = reverse("admin:hits_ledger_study", args=[study.pk])
        return format_html('<a href="{}">The study\'s books</a>', address)


def _list_of(name: str, path_to_study: str) -> Callable[[Study], str]:
    return lambda study: f"{reverse(f'admin:hits_{name}_changelist')}?{path_to_study}__id__exact={study.pk}"


def _bonuses_owed(study: Study) -> QuerySet[Bonus]:
    return owed_free().filter(assignment__hit__batch__study=study)


announce(
    StudyPage(
        name="Submitted work",
        tab=Tab.WORK,
        permission="hits.view_assignment",
        address=lambda study: f"{reverse('admin:hits_assignment_changelist')}?study={study.pk}",
        about="Everything that workers have handed in, with its state.",
    ),
    StudyPage(
        name="Books",
        tab=Tab.MONEY,
        permission="hits.view_ledgerentry",
        address=lambda study: reverse("admin:hits_ledger_study", args=[study.pk]),
        about="A statement as a finance office reads it, and the rows behind its sums.",
    ),
    StudyPage(
        name="Bonuses",
        tab=Tab.MONEY,
        permission="hits.view_bonus",
        address=_list_of("bonus", "assignment__hit__batch__study"),
        about="What is owed beyond the rewards, and what has been paid of it.",
        waits=WaitingRows(
            rows=_bonuses_owed, words="bonuses owed, in no run yet", one="bonus owed, in no run yet"
        ),
    ),
    StudyPage(
        name="Payments",
        tab=Tab.MONEY,
        permission="hits.view_run",
        address=lambda _: reverse("admin:hits_payments"),
        about="Bonus runs of all studies: one person prepares, another approves.",
    ),
)


def _is_launched(request: HttpRequest, study: Study) -> bool:
    """Whether the study has launched. Asks once, though Django needs the fields several times a page."""
    known: dict[int, bool] = request.__dict__.setdefault("launched_studies", {})
    if study.pk not in known:
        known[study.pk] = study.batches.filter(launched_at__isnull=False).exists()
    return known[study.pk]
