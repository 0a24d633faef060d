"""Resources whose rows are told column by column, and verbs that the admin's actions do."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import mixins, serializers
from rest_framework.viewsets import GenericViewSet

from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.verbs import Verb, give_verbs
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, TEXTS, Column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

JSON = "json"  # a value that is kept as JSON
FIELDS: Mapping[str, type[serializers.Field[Any, Any, Any, Any]]] = {
    TEXT: serializers.CharField,
    INTEGER: serializers.IntegerField,
    NUMBER: serializers.FloatField,
    FLAG: serializers.BooleanField,
    MOMENT: serializers.DateTimeField,
    JSON: serializers.JSONField,
}


class Listing(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """A list of rows and each row, for whoever has `permissions`.

    `study_path` leads from a row to its study; None if rows belong to the whole site. `number`: the rows have
    no public id, and are found by the number that they are shown with.
    """

    columns: ClassVar[Sequence[Column]]
    permissions: ClassVar[tuple[str, ...]]
    scope: ClassVar[Scope] = Scope.READ
    study_path: ClassVar[str | None]
    verbs: ClassVar[Mapping[str, Verb]] = {}
    number: ClassVar[bool] = False
    lookup_value_regex: ClassVar[str] = "[^/.]+"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        look = Need(cls.scope, cls.permissions)
        own = cls.__dict__.get("needs", {})
        cls.needs = {"list": look, "retrieve": look, **own}
        if cls.number:
            cls.lookup_field = "pk"
            cls.lookup_value_regex = "[0-9]{1,18}"
        cls.serializer_class = serializer_of(cls.columns, name=cls.__name__.removesuffix("ViewSet"))
        give_verbs(cls, cls.verbs, look=look)

    def get_queryset(self) -> QuerySet[Any]:
        rows = GenericViewSet.get_queryset(self)
        if self.study_path is None:
            return rows
        return rows.filter(**{f"{self.study_path}__in": studies_of(self.request.user)})


def public_id_of(name: str) -> Callable[[Any], Any]:
    """Return the reader of a column that tells another row by its public id; null where there is none."""

    def read(row: Any) -> Any:
        other = getattr(row, name)
        return None if other is None else other.public_id

    return read


def serializer_of(columns: Sequence[Column], *, name: str) -> type[serializers.Serializer[Any]]:
    """Return the serializer that reads these columns from a row."""
    fields = {one.name: _field_of(one, name=name) for one in columns}
    return type(f"{name}Serializer", (serializers.Serializer,), fields)


def _field_of(one: Column, *, name: str) -> Any:
    read = attrgetter(one.name) if one.of is None else one.of
    given: dict[str, Any] = {"help_text": one.words, "read_only": True, "allow_null": True}
    if one.kind == ROWS:
        inner = serializer_of(one.columns, name=f"{name}{one.name.title().replace('_', '')}")
        return _reading(serializers.ListSerializer, read)(child=inner(), read_only=True, help_text=one.words)
    if one.kind == TEXTS:
        kept: Any = _reading(serializers.ListField, read)
        return kept(child=serializers.CharField(), read_only=True, help_text=one.words)
    return _reading(FIELDS[one.kind], read)(**given)


def _reading(field: Any, read: Any) -> Any:
    """Return the kind of field that takes its value from the row by `read`."""

    def get_attribute(_: Any, row: Any) -> Any:
        return read(row)

    return type(field.__name__, (field,), {"get_attribute": get_attribute})
