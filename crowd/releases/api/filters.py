from rest_framework import serializers

from crowd.releases.models import Release
from hits.api.filters import Filters, Nothing


class ReleaseFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")
    family = serializers.CharField(required=False, max_length=32)
    version = serializers.CharField(required=False, max_length=32)
    status = serializers.ChoiceField(Release.Status.choices, required=False)


class FileFilters(Nothing):
    name = serializers.CharField(max_length=64, help_text="Name of the file, such as associations.csv.")
