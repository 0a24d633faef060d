"""The list of categories and of how many images have each: added, renamed, merged, deleted while unused."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from crowd.questions.domain import trim
from crowd.whoops.images.services import categories as categorizing
from crowd.whoops.models import Category
from hits.admin.page_parts import TOO_LARGE
from hits.admin.row_merge import RowMerge
from hits.core.errors import RuleBroken
from hits.work.access import studies_of

CHANGE = "whoops.change_category"
LIST = "admin:whoops_category_changelist"
ABOUT = (
    "What kind of common sense an image goes against: designers choose one of these. All studies share one "
    "list, unless one has a list of its own. The paper counts 26 and names twelve; the others are ours."
)


class CategoryForm(forms.ModelForm[Category]):
    class Meta:
        model = Category
        fields = ("name", "about")
        help_texts = {
            "name": "Images of the category show the new name, too. The mark belongs to the name: another "
            "name is “added by staff”, unless the shared list has it.",
            "about": "For you and your colleagues.",
        }

    def clean_name(self) -> str:
        name = trim(self.cleaned_data["name"])
        same_list = Category.objects.filter(project=self.instance.project_id)
        other = same_list.filter(name__iexact=name).exclude(pk=self.instance.pk).first()
        if other:
            raise ValidationError(f"There is a category “{other}”. Merge the two on the list instead.")
        return name


@admin.register(Category)
class CategoryAdmin(admin.ModelAdmin[Category]):
    form = CategoryForm
    change_list_template = "admin/hits/project_rows.html"
    list_display = ("name", "used", "origin", "list_of", "about")
    list_select_related = ("project__study",)
    list_filter = ("origin",)
    list_per_page = 100
    search_fields = ("name", "about")
    ordering = ("name",)
    actions = ("merge",)
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return not TOO_LARGE.search(str(value)) and super().lookup_allowed(lookup, value, request)

    def get_urls(self) -> list[URLPattern]:
        merge = self.admin_site.admin_view(MERGING.pages(self, back=LIST).view("merge"))
        return [path("merge/", merge, name="whoops_merge_categories"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Category]:
        seen = Q(project=None) | Q(project__study__in=studies_of(request.user))
        return super().get_queryset(request).filter(seen).annotate(count=Count("images"))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"title": "Categories of weird images", "about": ABOUT, **(extra_context or {})}
        return super().changelist_view(request, extra)

    def has_delete_permission(self, request: HttpRequest, obj: Category | None = None) -> bool:
        is_used = obj is not None and obj.images.exists()
        return not is_used and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Category, form: CategoryForm, change: bool) -> None:
        if change and obj.name.casefold() != str(form.initial["name"]).casefold():
            categorizing.mark_anew(obj)
        super().save_model(request, obj, form, change)

    def has_merge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(CHANGE)

    @admin.display(description="images", ordering="count")
    def used(self, category: Category) -> int:
        count: int = category.count  # type: ignore[attr-defined]
        return count

    @admin.display(description="list", ordering="project")
    def list_of(self, category: Category) -> str:
        return str(category.project.study) if category.project else "All studies"

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Categories that images have block the deletion, and are named."""
        counted = Category.objects.filter(pk__in=[one.pk for one in objs]).annotate(count=Count("images"))
        used = [f"“{one}”: {_images(one)}" for one in counted if one.count]
        return [str(one) for one in objs], {"categories": len(objs)}, set(), used

    def delete_model(self, request: HttpRequest, obj: Category) -> None:
        self._delete(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Category]) -> None:
        self._delete(request, list(queryset))

    @admin.action(description="Merge into one…", permissions=["merge"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Category]) -> HttpResponse:
        return MERGING.choose("admin:whoops_merge_categories", queryset)

    def _delete(self, request: HttpRequest, categories: list[Category]) -> None:
        """Raises PermissionDenied, as an image may have got one of them since the page was shown."""
        try:
            categorizing.delete_categories(categories=categories)
        except RuleBroken as refusal:
            raise PermissionDenied(str(refusal)) from refusal


def _images(category: Any) -> str:
    return f"{category.count} image{'' if category.count == 1 else 's'}"


def _merge(categories: Sequence[Category], into: Category) -> str:
    moved = categorizing.merge_categories(categories=categories, into=into)
    return f"Images that moved: {moved}."


MERGING = RowMerge[Category](
    many="categories",
    permission=CHANGE,
    question="The category that stays",
    help_text="The images of the others get this one. The others are deleted: that cannot be undone.",
    named=lambda one: f"{one} ({_images(one)})",
    merge=_merge,
)
