"""Views that create a row only once, however often the request is sent, and that change it."""

from typing import Any
from uuid import UUID, uuid5

from django.db import IntegrityError, transaction
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.core.errors import RuleBroken

HEADER = "Idempotency-Key"
LONGEST = 200
PARAMETER = OpenApiParameter(
    HEADER,
    str,
    OpenApiParameter.HEADER,
    description="Any text of your own. A request sent again with the same text makes no second row; it "
    "is answered with the first row in its current state.",
)


def named_id(request: Request, *, kind: str) -> UUID | None:
    """The public id that follows from the user and their Idempotency-Key: a repeat finds the first row."""
    key = request.headers.get(HEADER, "")
    if not key:
        return None
    if len(key) > LONGEST or not key.isprintable():
        raise ValidationError({HEADER: [f"At most {LONGEST} characters, all of them printable."]})
    return uuid5(user_of(request).public_id, f"{kind}:{key}")


class PatchMixin:
    """A mixin for `PATCH`, which changes only the fields that it names."""

    def partial_update(self: Any, request: Request, public_id: str) -> Response:
        row = self.get_object()
        serializer = (self.input_class or self.serializer_class)(
            row, data=request.data, partial=True, context=self.get_serializer_context()
        )
        serializer.is_valid(raise_exception=True)
        serializer.save()
        answer: Response = self.answer_row(pk=row.pk)
        return answer


class Repeatable:
    """A mixin for `POST` that creates one row for each Idempotency-Key."""

    input_class: type[serializers.BaseSerializer[Any]] | None = None

    def create(self: Any, request: Request, **kwargs: Any) -> Response:
        made: Response | None
        public_id = named_id(request, kind=self.basename)
        made = self._made(public_id)
        if made is not None:
            return made
        serializer = (self.input_class or self.serializer_class)(
            data=request.data, context=self.get_serializer_context()
        )
        serializer.is_valid(raise_exception=True)
        try:
            with transaction.atomic():
                row = self.make(serializer, public_id=public_id)
        except IntegrityError:
            made = self._made(public_id)
            if made is None:
                raise RuleBroken("there_already", "Another request has just used the same name.") from None
            return made
        answer: Response = self.answer_row(pk=row.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    def make(self, serializer: serializers.BaseSerializer[Any], *, public_id: UUID | None) -> Any:
        return serializer.save(**({"public_id": public_id} if public_id else {}))

    def _made(self: Any, public_id: UUID | None) -> Response | None:
        if public_id is None or not self.get_queryset().filter(public_id=public_id).exists():
            return None
        answer: Response = self.answer_row(public_id=public_id)
        return answer
