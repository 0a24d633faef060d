from rest_framework import serializers

from crowd.whoops.models import Annotation, Image, Question
from hits.api.filters import Filters

PSEUDONYM = 16


class ImageFilters(Filters):
    study = serializers.UUIDField(required=False, source="project__study__public_id")
    designer = serializers.UUIDField(required=False, source="designer__public_id")
    state = serializers.ChoiceField(Image.State.choices, required=False)
    category = serializers.CharField(required=False, max_length=80, source="category__name")


class OfImageFilters(Filters):
    study = serializers.UUIDField(required=False, source="image__project__study__public_id")
    image = serializers.UUIDField(required=False, source="image__public_id")


class ControlAnswerFilters(OfImageFilters):
    waits = serializers.BooleanField(
        required=False, source="seen__isnull", help_text="Whether a person still has to compare it."
    )


class AnnotationFilters(OfImageFilters):
    state = serializers.ChoiceField(Annotation.State.choices, required=False)
    worker = serializers.CharField(
        required=False, max_length=PSEUDONYM, source="worker__pseudonym", help_text="A pseudonym."
    )


class QuestionFilters(Filters):
    study = serializers.UUIDField(required=False, source="project__study__public_id")
    image = serializers.UUIDField(required=False, source="image__public_id")
    kind = serializers.ChoiceField(Question.Kind.choices, required=False)


class ProjectRowFilters(Filters):
    study = serializers.UUIDField(required=False, source="project__study__public_id")
