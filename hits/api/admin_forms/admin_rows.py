"""Rows that the admin adds, changes, merges and deletes by its own forms, for programs."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.admin.row_merge import RowMerge
from hits.api.admin_forms.project_settings import filled
from hits.api.request_permissions import Need
from hits.api.verbs import Done, Verb, run_on_rows
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope

MOST = 500
NUMBER = serializers.IntegerField(min_value=1)


class MergeInput(serializers.Serializer[Any]):
    rows = serializers.ListField(
        child=NUMBER,
        min_length=2,
        max_length=MOST,
        help_text="Their numbers, with that of the one that stays.",
    )
    into = serializers.IntegerField(min_value=1, help_text="The number of the one that stays.")


class AdminRows:
    """A mixin of a listing of rows by number, before `Listing`; `input_class` has the fields of the form."""

    merging: ClassVar[RowMerge[Any]]
    input_class: ClassVar[type[serializers.Serializer[Any]]]
    needs: ClassVar[Mapping[str, Need]]
    admin_pages: ClassVar[Mapping[str, str]]
    permissions: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        room, _, name = cls.permissions[0].partition(".view_")
        named = {"create": "add", "partial_update": "change", "destroy": "delete"}
        made = {
            key: Need(Scope.DRAFT, (*cls.permissions, f"{room}.{one}_{name}")) for key, one in named.items()
        }
        merge = Need(Scope.DRAFT, (*cls.permissions, cls.merging.permission))
        cls.needs = {**cls.needs, **made, "merge": merge}
        cls.admin_pages = {**cls.admin_pages, **{f"{room}_{name}_{one}": key for key, one in named.items()}}

    def create(self: Any, request: Request) -> Response:
        """Add a row, as the form of the admin does."""
        row = self._save(request, None, self.read(self.input_class))
        answer: Response = self.answer_row(pk=row.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    def partial_update(self: Any, request: Request, pk: str) -> Response:
        """Change a row, as the form of the admin does."""
        given = self.input_class(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        row = self._save(request, self._find(pk), given.validated_data)
        answer: Response = self.answer_row(pk=row.pk)
        return answer

    @extend_schema(responses={204: None})
    def destroy(self: Any, request: Request, pk: str) -> Response:
        """Delete a row that nothing has."""
        row, pages = self._find(pk), self._pages()
        if used := pages.get_deleted_objects([row], request)[3]:
            raise RuleBroken("in_use", f"{', '.join(map(str, used))}. Merge it into another one instead.")
        with transaction.atomic():
            pages.log_deletions(request, [row])
            pages.delete_model(request, row)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=MergeInput, responses=Done)
    @action(detail=False, methods=["post"])
    def merge(self: Any, request: Request) -> Response:
        """Merge rows into one of them. The others are deleted: that cannot be undone."""
        given = self.read(MergeInput)
        rows = list(self._seen().filter(pk__in={*given["rows"], given["into"]}).order_by("name"))
        if unknown := sorted({*given["rows"], given["into"]} - {row.pk for row in rows}):
            raise serializers.ValidationError({"rows": [f"There is no {one} here." for one in unknown]})
        verb = Verb(action=self.merging.action(), about="", scope=Scope.DRAFT)
        return run_on_rows(verb, rows, body={"into": given["into"]}, request=request)

    def _save(self: Any, request: Request, row: Any, values: Mapping[str, Any]) -> Any:
        pages, is_new = self._pages(), row is None
        form_class: Any = pages.get_form(request, row, change=not is_new)
        form = form_class(filled(form_class(instance=row), values), {}, instance=row)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        with transaction.atomic():
            saved = pages.save_form(request, form, change=not is_new)
            pages.save_model(request, saved, form, not is_new)
            pages.save_related(request, form, [], not is_new)
            words = pages.construct_change_message(request, form, [], is_new)
            (pages.log_addition if is_new else pages.log_change)(request, saved, words)
        return saved

    def _find(self: Any, pk: str) -> Any:
        self.get_object()
        return self._seen().get(pk=pk)

    def _seen(self: Any) -> Any:
        """Return the rows as the admin counts them."""
        return self._pages().get_queryset(self.request)

    def _pages(self: Any) -> Any:
        return admin.site.get_model_admin(self.queryset.model)
