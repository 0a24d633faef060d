"""The list of categories, with how many images have each: added, renamed, merged, deleted while unused."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from crowd.questions.domain import trim
from crowd.whoops.models import Category
from crowd.whoops.services import categorizing
from hits.admin.parts import TOO_LARGE
from hits.admin.selecting import MOST
from hits.errors import RuleBroken

CHANGE = "whoops.change_category"
LIST = "admin:whoops_category_changelist"
ABOUT = (
    "What kind of common sense an image goes against: designers choose one of these. All studies share the "
    "list. The paper counts 26 and names twelve of them; the others are ours."
)


class CategoryForm(forms.ModelForm[Category]):
    class Meta:
        model = Category
        fields = ("name", "about")
        help_texts = {
            "name": "A new name holds for the images that have it, too.",
            "about": "For you and your colleagues.",
        }

    def clean_name(self) -> str:
        name = trim(self.cleaned_data["name"])
        other = Category.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).first()
        if other:
            raise ValidationError(f"There is a category “{other}”. Merge the two on the list instead.")
        return name


class MergeForm(forms.Form):
    into = forms.ModelChoiceField(
        Category.objects.none(),
        label="The category that stays",
        empty_label=None,
        widget=forms.RadioSelect,
        help_text="The images of the others get this one. The others are deleted: that cannot be undone.",
    )

    def __init__(self, *args: Any, categories: QuerySet[Category], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        into: Any = self.fields["into"]
        into.queryset = categories
        into.label_from_instance = lambda one: f"{one} ({_images(one)})"


@admin.register(Category)
class CategoryAdmin(admin.ModelAdmin[Category]):
    form = CategoryForm
    change_list_template = "admin/hits/hub_rows.html"
    list_display = ("name", "used", "about")
    list_per_page = 100
    search_fields = ("name", "about")
    ordering = ("name",)
    actions = ("merge",)
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return not TOO_LARGE.search(str(value)) and super().lookup_allowed(lookup, value, request)

    def get_urls(self) -> list[URLPattern]:
        merge = self.admin_site.admin_view(self.merge_view)
        return [path("merge/", merge, name="whoops_merge_categories"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Category]:
        return super().get_queryset(request).annotate(count=Count("images"))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"title": "Categories of weird images", "about": ABOUT, **(extra_context or {})}
        return super().changelist_view(request, extra)

    def has_delete_permission(self, request: HttpRequest, obj: Category | None = None) -> bool:
        is_used = obj is not None and obj.images.exists()
        return not is_used and super().has_delete_permission(request, obj)

    def has_merge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(CHANGE)

    @admin.display(description="images", ordering="count")
    def used(self, category: Category) -> int:
        count: int = category.count  # type: ignore[attr-defined]
        return count

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """What images have stands in the way, and is named."""
        counted = Category.objects.filter(pk__in=[one.pk for one in objs]).annotate(count=Count("images"))
        used = [f"“{one}”: {_images(one)}" for one in counted if one.count]
        return [str(one) for one in objs], {"categories": len(objs)}, set(), used

    def delete_model(self, request: HttpRequest, obj: Category) -> None:
        self._delete(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Category]) -> None:
        self._delete(request, list(queryset))

    @admin.action(description="Merge into one…", permissions=["merge"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Category]) -> HttpResponse:
        keys = queryset.order_by("pk").values_list("pk", flat=True)[:MOST]
        query = urlencode({"categories": ",".join(map(str, keys))})
        return redirect(f"{reverse('admin:whoops_merge_categories')}?{query}")

    def merge_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_merge_permission(request):
            raise PermissionDenied
        given = request.POST if request.method == "POST" else request.GET
        keys = _numbers(given.get("categories", ""))
        categories = self.get_queryset(request).filter(pk__in=keys).order_by("name")
        if len(categories) < 2:
            messages.error(request, "Choose two categories or more that are to become one.")
            return redirect(LIST)
        form = MergeForm(request.POST if request.method == "POST" else None, categories=categories)
        if request.method == "POST" and form.is_valid():
            self._merge(request, list(categories), into=form.cleaned_data["into"])
            return redirect(LIST)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Merge categories",
            "form": form,
            "carried": ",".join(str(one.pk) for one in categories),
        }
        return TemplateResponse(request, "admin/whoops/merge_categories.html", context)

    def _merge(self, request: HttpRequest, categories: list[Category], *, into: Category) -> None:
        gone = ", ".join(f"“{one}”" for one in categories if one.pk != into.pk)
        try:
            moved = categorizing.merge_categories(categories=categories, into=into)
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
            return
        self.log_change(request, into, f"Merged {gone} into it: {moved} images more.")
        messages.success(request, f"{gone} became “{into}”, which has {moved} images more than before.")

    def _delete(self, request: HttpRequest, categories: list[Category]) -> None:
        """An image may have got one of them since the page was shown."""
        try:
            categorizing.delete_categories(categories=categories)
        except RuleBroken as refusal:
            raise PermissionDenied(str(refusal)) from refusal


def _images(category: Any) -> str:
    return f"{category.count} image{'' if category.count == 1 else 's'}"


def _numbers(text: str) -> list[int]:
    parts = text.split(",")[:MOST]
    return [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 19]
