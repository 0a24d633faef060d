"""Lists of all that a project has found and been given, with why it went no further."""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from crowd.winoventi.admin import provenance
from crowd.winoventi.models import Alternative, FilterScore, Generic, Judgement, Premise, WordTag
from crowd.winoventi.reason_words import QUESTIONS, reason_in_words
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, read_number
from hits.work.access import studies_of

Row = TypeVar("Row", bound=Model)


class ProcedureList(ReadOnlyAdmin[Row]):
    """A list that explains what is in it; each row's own page is the provenance of its pair."""

    change_list_template = "admin/hits/project_rows.html"
    show_full_result_count = False
    actions = None
    title: ClassVar[str]
    about: ClassVar[str]
    study_path: ClassVar[str] = "project__study"
    # Relations that the page of one row shows, too; workers among them appear by pseudonym only.
    related: ClassVar[Sequence[str]] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Row]:
        rows = super().get_queryset(request)
        return rows.filter(**{f"{self.study_path}__in": studies_of(request.user)})

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"title": self.title, "about": self.about, **(extra_context or {})}
        return super().changelist_view(request, extra)

    def find(self, request: HttpRequest, object_id: str) -> Row | None:
        if not self.has_view_permission(request):
            raise PermissionDenied
        number = read_number(object_id)
        if number is None:
            return None
        rows = self.get_queryset(request).select_related(*self.related)
        people = [f"{name}__external_id" for name in self.related if name.endswith("worker")]
        return rows.defer(*people).filter(pk=number).first()

    def missing(self, request: HttpRequest, object_id: str) -> HttpResponse:
        messages.warning(request, f"There is no row {object_id[:20]} here that you may see.")
        return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")


@admin.register(Generic)
class GenericAdmin(ProcedureList[Generic]):
    title = "Generics"
    about = (
        "Words that a model ties to a noun: those that were posted, and those that went no further, with the "
        "reason."
    )
    list_display = ("statement", "k", "rank", "in_perplexity", "state", "reason")
    list_filter = ("state", "k", ("project__study", VisibleStudies))
    search_fields = ("noun__word", "word")
    list_select_related = ("noun",)
    ordering = ("-pk",)
    related = ("project__study", "noun", "worker", "assignment")

    @admin.display(ordering="perplexity", description="perplexity")
    def in_perplexity(self, generic: Generic) -> str:
        return "–" if generic.perplexity is None else f"{generic.perplexity:.1f}"

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        generic = self.find(request, object_id)
        return provenance.way_of_generic(request, generic) if generic else self.missing(request, object_id)


@admin.register(Alternative)
class AlternativeAdmin(ProcedureList[Alternative]):
    title = "Exceptions"
    about = (
        "What holds of a noun if the generic does not, as workers said. A model finds the generic strictly "
        "likelier, or the exception goes no further."
    )
    list_display = ("triplet", "state", "scored", "reason", "worker")
    list_filter = ("state", ("project__study", VisibleStudies))
    search_fields = ("generic__noun__word", "generic__word", "word")
    ordering = ("-pk",)
    related = ("project__study", *provenance.OF_ALTERNATIVE)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Alternative]:
        scores = FilterScore.objects.select_related("rival").order_by("pk")
        related = super().get_queryset(request).select_related("generic__noun", "worker")
        return related.defer("worker__external_id").prefetch_related(Prefetch("scores", scores))

    @admin.display(description="noun, generic / exception")
    def triplet(self, alternative: Alternative) -> str:
        return f"{alternative.noun}: {alternative.generic.word} / {alternative.word}"

    @admin.display(description="probabilities, by model and way")
    def scored(self, alternative: Alternative) -> str:
        return "; ".join(score_in_words(score) for score in alternative.scores.all()) or "not scored"

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        found = self.find(request, object_id)
        return provenance.way_of_alternative(request, found) if found else self.missing(request, object_id)


@admin.register(Premise)
class PremiseAdmin(ProcedureList[Premise]):
    title = "Premises and pairs"
    about = (
        "Sentences in which one word decides whether the generic or the exception holds. Valid ones are the "
        "challenge set; the others have the reason why not."
    )
    list_display = ("sentence", "triplet", "state", "why", "worker")
    list_filter = ("state", "is_na", ("project__study", VisibleStudies))
    search_fields = ("sentence", "alternative__word", "alternative__generic__word")
    ordering = ("-pk",)
    related = (
        "project__study",
        "worker",
        "assignment",
        *(f"alternative__{name}" for name in provenance.OF_ALTERNATIVE),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Premise]:
        related = super().get_queryset(request).select_related("alternative__generic__noun", "worker")
        return related.defer("worker__external_id")

    @admin.display(description="noun, generic / exception")
    def triplet(self, premise: Premise) -> str:
        return f"{premise.noun}: {premise.generic} / {premise.exception}"

    @admin.display(description="reason", ordering="reason")
    def why(self, premise: Premise) -> str:
        return reason_in_words(premise.reason)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        premise = self.find(request, object_id)
        return provenance.way_of_premise(request, premise) if premise else self.missing(request, object_id)


@admin.register(Judgement)
class JudgementAdmin(ProcedureList[Judgement]):
    title = "Judgements"
    about = "What validators said of each pair. Yes is bad on all four questions."
    study_path = "premise__project__study"
    list_display = ("sentence", "said", "worker")
    list_filter = (*QUESTIONS, ("premise__project__study", VisibleStudies))
    search_fields = ("premise__sentence",)
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Judgement]:
        return super().get_queryset(request).select_related("premise", "worker").defer("worker__external_id")

    @admin.display(ordering="premise")
    def sentence(self, judgement: Judgement) -> str:
        return judgement.premise.sentence

    @admin.display(description="objects to")
    def said(self, judgement: Judgement) -> str:
        return "; ".join(QUESTIONS[one] for one in judgement.objections) or "nothing"

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        judgement = self.find(request, object_id)
        if judgement is None:
            return self.missing(request, object_id)
        return redirect("admin:winoventi_premise_change", judgement.premise_id)


class CorrectedFilter(admin.SimpleListFilter):
    title = "whether a person has corrected it"
    parameter_name = "corrected"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Corrected by hand"), ("no", "As the tagger says")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(corrected_at__isnull=self.value() == "no")


@admin.register(WordTag)
class WordTagAdmin(ProcedureList[WordTag]):
    title = "Special words"
    about = (
        "The words that decide the outcome, with their part of speech in their sentence. A tagger tells it; "
        "open a word to correct it."
    )
    study_path = "premise__project__study"
    list_display = ("word", "sentence", "part", "tagged", "fine_tag", "is_corrected", "rival")
    list_filter = (
        "part",
        "kind",
        CorrectedFilter,
        "premise__state",
        ("rival", admin.RelatedOnlyFieldListFilter),
        ("premise__project__study", VisibleStudies),
    )
    search_fields = ("premise__sentence", "premise__generic_word", "premise__exception_word")
    list_select_related = ("premise", "rival")
    ordering = ("-pk",)
    related = ("premise",)

    @admin.display(description="word")
    def word(self, tag: WordTag) -> str:
        return tag.word

    @admin.display(description="sentence")
    def sentence(self, tag: WordTag) -> str:
        return tag.premise.context(tag.kind)

    @admin.display(description="corrected")
    def is_corrected(self, tag: WordTag) -> str:
        return "by hand" if tag.corrected_at else ""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        tag = self.find(request, object_id)
        if tag is None:
            return self.missing(request, object_id)
        return redirect("admin:winoventi_word", tag.premise.project_id, tag.pk)


def score_in_words(score: FilterScore) -> str:
    model, sign = score.rival or "recorded", ">" if score.passes else "≤"
    return f"{model}: {score.p_generic:.3g} {sign} {score.p_exception:.3g} ({score.get_way_display()})"
