"""Search of a list by a whole id or a whole pseudonym, which an index finds."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from hits.core.domain.typed_text import read_uuid

PSEUDONYM = re.compile(r"w-[a-z2-7]{10}", re.ASCII)


class FoundById(admin.ModelAdmin[Any]):
    """A list that a whole id or pseudonym is looked up in; any other words are searched for as elsewhere."""

    id_fields: ClassVar[Sequence[str]]
    pseudonym_field: ClassVar[str] = ""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.strip()
        if key := read_uuid(text):
            wanted = Q.create([(field, key) for field in self.id_fields], connector=Q.OR)
            return queryset.filter(wanted), False
        if self.pseudonym_field and PSEUDONYM.fullmatch(text):
            return queryset.filter(**{self.pseudonym_field: text}), False
        return super().get_search_results(request, queryset, search_term)
