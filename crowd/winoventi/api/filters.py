from rest_framework import serializers

from crowd.winoventi.models import Alternative, Generic, Premise, Prompt, Step
from hits.api.filters import Filters

LONGEST_WORD = 64
PSEUDONYM = 16
MOST_K = 50
LARGEST = 2**62


class OfProjectFilters(Filters):
    study = serializers.UUIDField(required=False, source="project__study__public_id")


class StepFilters(OfProjectFilters):
    kind = serializers.ChoiceField(Step.Kind.choices, required=False)


class NounFilters(OfProjectFilters):
    word = serializers.CharField(required=False, max_length=LONGEST_WORD)


class GenericFilters(OfProjectFilters):
    state = serializers.ChoiceField(Generic.State.choices, required=False)
    noun = serializers.CharField(required=False, max_length=LONGEST_WORD, source="noun__word")
    word = serializers.CharField(required=False, max_length=LONGEST_WORD)
    k = serializers.IntegerField(required=False, min_value=1, max_value=MOST_K)


class AlternativeFilters(OfProjectFilters):
    state = serializers.ChoiceField(Alternative.State.choices, required=False)
    noun = serializers.CharField(required=False, max_length=LONGEST_WORD, source="generic__noun__word")
    generic = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
    worker = serializers.CharField(required=False, max_length=PSEUDONYM, source="worker__pseudonym")


class PremiseFilters(OfProjectFilters):
    state = serializers.ChoiceField(Premise.State.choices, required=False)
    is_na = serializers.BooleanField(required=False)
    alternative = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
    worker = serializers.CharField(required=False, max_length=PSEUDONYM, source="worker__pseudonym")


class OfPremiseFilters(Filters):
    study = serializers.UUIDField(required=False, source="premise__project__study__public_id")
    premise = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)


class PromptFilters(OfPremiseFilters):
    kind = serializers.ChoiceField(Prompt.Kind.choices, required=False)


class ChoiceFilters(Filters):
    study = serializers.UUIDField(required=False, source="prompt__premise__project__study__public_id")
    prompt = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)


class EvaluationFilters(OfProjectFilters):
    is_open = serializers.BooleanField(required=False)


class ModelAnswerFilters(Filters):
    study = serializers.UUIDField(required=False, source="evaluation__project__study__public_id")
    evaluation = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
    premise = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST)
