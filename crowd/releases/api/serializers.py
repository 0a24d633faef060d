"""Serializers of releases."""

from typing import Any, ClassVar

from rest_framework import serializers

from crowd.releases import family_contents
from crowd.releases.models import Release
from hits.api.fields import PublicId, UserName


class FileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    study = PublicId()
    made_by = UserName()
    released_by = UserName()
    # Plain text without a list of choices: other rows of the API have states of their own.
    status = serializers.CharField(read_only=True)
    sources = serializers.ListField(child=serializers.CharField(), read_only=True)
    picture_licences = serializers.ListField(child=serializers.CharField(), read_only=True)
    files = FileSerializer(many=True, read_only=True)
    counts = serializers.DictField(read_only=True, help_text="What its card says in numbers.")

    class Meta:
        model = Release
        fields = (
            "public_id",
            "study",
            "family",
            "title",
            "version",
            "licence",
            "notes",
            "sources",
            "selection_threshold",
            "with_rest",
            "picture_licences",
            "split_seed",
            "hides_test",
            "linkable",
            "status",
            "problem",
            "rows_wanted",
            "rows_done",
            "made_by",
            "made_at",
            "ready_at",
            "released_by",
            "released_at",
            "counts",
            "files",
        )
        read_only_fields = fields


class ReleaseInput(serializers.ModelSerializer[Release]):
    study = serializers.UUIDField(help_text="The study whose data it has.")
    sources = serializers.ListField(
        child=serializers.CharField(max_length=32),
        required=False,
        help_text="Whose items, where a task type has several sources.",
    )
    picture_licences = serializers.ListField(
        child=serializers.CharField(max_length=64, allow_blank=True),
        required=False,
        help_text="Licenses of the pictures that are contained; the others are listed, with why.",
    )

    class Meta:
        model = Release
        fields = (
            "study",
            "family",
            "title",
            "version",
            "licence",
            "notes",
            "sources",
            "selection_threshold",
            "with_rest",
            "picture_licences",
            "split_seed",
            "hides_test",
            "linkable",
        )
        # The service refuses a version that is there, by a code of its own.
        validators: ClassVar[list[Any]] = []

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        return {**fields, "family": serializers.ChoiceField(choices=list(family_contents.registered()))}
