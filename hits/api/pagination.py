"""Pages that stay right while rows are added: each begins where the one before ended."""

from base64 import b64decode
from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination


class ByAge(CursorPagination):
    """Cursor pages, oldest first."""

    ordering = "pk"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size: int = 500

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        try:
            # DRF reads an invalid cursor as the beginning; a program that follows pages would never end.
            b64decode(request.query_params.get("cursor", ""), validate=True)
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, OverflowError):
            raise NotFound(self.invalid_cursor_message) from None
