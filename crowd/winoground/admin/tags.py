"""The list of tags and of how many examples have each: renamed, merged, or deleted while unused."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from crowd.winoground.models import Tag
from crowd.winoground.services import tag_list
from hits.admin.page_parts import TOO_LARGE
from hits.admin.row_merge import RowMerge
from hits.admin.selection import signed_in
from hits.core.errors import RuleBroken

CHANGE = "winoground.change_tag"
LIST = "admin:winoground_tag_changelist"


class TagForm(forms.ModelForm[Tag]):
    class Meta:
        model = Tag
        fields = ("name",)

    def clean_name(self) -> str:
        name = " ".join(str(self.cleaned_data["name"]).split())
        same = Tag.objects.filter(name__iexact=name).exclude(pk=self.instance.pk)
        if other := same.first():
            raise forms.ValidationError(f"There is a tag “{other}” already. Merge the two instead.")
        return name


@admin.register(Tag)
class TagAdmin(admin.ModelAdmin[Tag]):
    form = TagForm
    change_list_template = "admin/hits/project_rows.html"
    list_display = ("name", "used_by", "is_first", "added_by", "added_at")
    list_filter = ("is_first",)
    list_per_page = 100
    list_select_related = ("added_by",)
    search_fields = ("name",)
    readonly_fields = ("is_first", "added_by", "added_at")
    ordering = ("name",)
    actions = ("merge",)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        return not TOO_LARGE.search(str(value)) and super().lookup_allowed(lookup, value, request)

    def get_urls(self) -> list[URLPattern]:
        merge = self.admin_site.admin_view(MERGING.pages(self, back=LIST).view("merge"))
        return [path("merge/", merge, name="winoground_merge_tags"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tag]:
        return super().get_queryset(request).annotate(used=Count("examples"))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        about = "What is swapped between two captions, finely. All studies share this list."
        return super().changelist_view(request, {"title": "Tags", "about": about, **(extra_context or {})})

    def get_readonly_fields(self, request: HttpRequest, obj: Tag | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj else ()

    def get_fields(self, request: HttpRequest, obj: Tag | None = None) -> tuple[str, ...]:
        return ("name", *self.get_readonly_fields(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Tag | None = None) -> bool:
        unused = obj is None or not obj.examples.exists()
        return unused and super().has_delete_permission(request, obj)

    def has_merge_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(CHANGE)

    def save_model(self, request: HttpRequest, obj: Tag, form: Any, change: bool) -> None:
        if change:
            tag_list.rename_tag(obj, name=obj.name)
        else:
            (made,) = tag_list.add_tags([obj.name], by=signed_in(request))
            obj.pk = made.pk

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Tags that examples have block the deletion, and are named."""
        used = [f"“{tag}” is on examples: {tag.used}" for tag in self._counted(objs) if tag.used]
        return [str(tag) for tag in objs], {"tags": len(objs)}, set(), used

    def delete_model(self, request: HttpRequest, obj: Tag) -> None:
        self._drop(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Tag]) -> None:
        self._drop(request, list(queryset))

    @admin.action(description="Merge into one…", permissions=["merge"])
    def merge(self, request: HttpRequest, queryset: QuerySet[Tag]) -> HttpResponse:
        return MERGING.choose("admin:winoground_merge_tags", queryset)

    @admin.display(description="examples", ordering="used")
    def used_by(self, tag: Tag) -> SafeString | int:
        count: int = tag.used  # type: ignore[attr-defined]
        if not count:
            return 0
        address = reverse("admin:winoground_example_changelist")
        return format_html(
            '<a href="{}?tag={}" aria-label="{}">{}</a>',
            address,
            tag.pk,
            f"Examples with {tag}: {count}",
            count,
        )

    def _drop(self, request: HttpRequest, tags: list[Tag]) -> None:
        """Delete tags. Raises PermissionDenied if an example has got one since the page was shown."""
        try:
            tag_list.drop_tags(tags)
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
            raise PermissionDenied from refusal

    def _counted(self, tags: Any) -> QuerySet[Tag, Any]:
        keys = [tag.pk for tag in tags]
        return Tag.objects.filter(pk__in=keys).annotate(used=Count("examples")).order_by("name")


def _merge(tags: Sequence[Tag], into: Tag) -> str:
    return f"Examples that got the tag: {tag_list.merge_tags(tags, into=into)}."


MERGING = RowMerge[Tag](
    many="tags",
    permission=CHANGE,
    question="The tag that remains",
    help_text="Its name stays as it is. You can rename it afterwards.",
    named=lambda tag: f"{tag} (examples: {tag.used})",  # type: ignore[attr-defined]
    merge=_merge,
    text=lambda count: (
        f"These {count} tags become one. All examples that have one of them have the remaining one "
        "afterwards. The others are deleted, and this cannot be undone."
    ),
)
