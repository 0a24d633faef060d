"""Search of a list by an id, whole or its first 8 digits, or a whole pseudonym, which an index finds."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from hits.core.domain.typed_text import read_uuid

# The digits of an id before its first hyphen, as in the name of a run's file.
START = re.compile(r"[0-9a-f]{8}", re.ASCII | re.IGNORECASE)
PSEUDONYM = re.compile(r"w-[a-z2-7]{10}", re.ASCII)


class FoundById(admin.ModelAdmin[Any]):
    """A list that an id or whole pseudonym is looked up in; any other words are searched for as elsewhere."""

    id_fields: ClassVar[Sequence[str]]
    pseudonym_field: ClassVar[str] = ""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        text = search_term.strip()
        found = self.find_id(queryset, text)
        if found is not None and (read_uuid(text) or found.exists()):
            return found, False
        if self.pseudonym_field and PSEUDONYM.fullmatch(text):
            return queryset.filter(**{self.pseudonym_field: text}), False
        return super().get_search_results(request, queryset, search_term)

    def find_id(self, queryset: QuerySet[Any], text: str) -> QuerySet[Any] | None:
        """The rows with this id, or with one that begins so; None if the text is neither."""
        if key := read_uuid(text):
            wanted: list[Any] = [(field, key) for field in self.id_fields]
        elif START.fullmatch(text):
            ends = [UUID(text + digit * 24) for digit in "0f"]
            wanted = [(f"{field}__range", ends) for field in self.id_fields]
        else:
            return None
        return queryset.filter(Q.create(wanted, connector=Q.OR))

    def found_words(self, row: Any) -> str:
        """The row as the search of all lists names it."""
        return str(row)
