"""What a notebook can read. Django's own view permissions decide, object by object type."""

from typing import Any

from rest_framework import serializers, viewsets
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import DjangoModelPermissions

from hits import queries
from hits.models import Batch, Study


class ViewPermission(DjangoModelPermissions):
    """Reading needs the view permission too, which DRF would give to everybody signed in."""

    perms_map = {
        **DjangoModelPermissions.perms_map,
        "GET": ["%(app_label)s.view_%(model_name)s"],
        "HEAD": ["%(app_label)s.view_%(model_name)s"],
    }


class ByAge(CursorPagination):
    ordering = "pk"
    page_size = 100

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        try:
            return super().paginate_queryset(queryset, request, view)
        except ValueError:
            raise NotFound(self.invalid_cursor_message) from None


class StudySerializer(serializers.ModelSerializer[Study]):
    class Meta:
        model = Study
        fields = ("public_id", "name", "lab", "language", "time_zone", "grant_code", "bonus_rules")


class BatchSerializer(serializers.ModelSerializer[Batch]):
    study = serializers.SlugRelatedField[Study](slug_field="public_id", read_only=True)
    places = serializers.IntegerField(read_only=True, help_text="Assignments when every place is filled.")
    submitted = serializers.IntegerField(read_only=True)

    class Meta:
        model = Batch
        fields = (
            "public_id",
            "study",
            "task",
            "title",
            "reward",
            "hits_wanted",
            "assignments_per_hit",
            "status",
            "problem",
            "launched_at",
            "places",
            "submitted",
        )


class StudyViewSet(viewsets.ReadOnlyModelViewSet[Study]):
    queryset = Study.objects.all()
    serializer_class = StudySerializer
    permission_classes = (ViewPermission,)
    pagination_class = ByAge
    lookup_field = "public_id"


class BatchViewSet(viewsets.ReadOnlyModelViewSet[Batch]):
    queryset = Batch.objects.none()
    serializer_class = BatchSerializer
    permission_classes = (ViewPermission,)
    pagination_class = ByAge
    lookup_field = "public_id"

    def get_queryset(self) -> Any:
        return queries.batches_with_counts()
