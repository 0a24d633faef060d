"""The later steps' rows: premises, judgements, prompts with people's choices, and parts of speech."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.winoventi.api.filters import ChoiceFilters, OfPremiseFilters, PremiseFilters, PromptFilters
from crowd.winoventi.challenge.services.word_tags import correct_tag, drop_correction
from crowd.winoventi.domain.parts_of_speech import PARTS
from crowd.winoventi.models import Choice, Judgement, Premise, Prompt, WordTag
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.listings import JSON, Listing, public_id_of
from hits.api.request_permissions import Need
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, TEXTS, column, user_column
from hits.identity.api_tokens import Scope
from hits.work.queries.taken_out import taken_out_by_its_worker

LOOK = "winoventi.view_premise"
LOOK_AT_WORDS = "winoventi.view_wordtag"
MAY_CORRECT = Need(Scope.DRAFT, (LOOK_AT_WORDS, "winoventi.change_project"))


class PartInput(serializers.Serializer[Any]):
    part = serializers.ChoiceField(PARTS, help_text="The part of speech, as it shall count.")


class PremiseViewSet(Listing):
    """Sentences in which one word decides what holds. Valid ones are the challenge set."""

    queryset: QuerySet[Premise] = Premise.objects.select_related(
        "project__study", "alternative__generic__noun", "worker", "assignment", "item"
    ).defer("worker__external_id")
    permissions = (LOOK,)
    study_path = "project__study"
    number = True
    filters = PremiseFilters
    columns = (
        column("number", INTEGER, "the number of the premise on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("alternative", INTEGER, "the number of the exception on this site", of="alternative_id"),
        column("noun", TEXT, "the noun"),
        column("generic", TEXT, "what the model favors"),
        column("exception", TEXT, "the exception"),
        column("sentence", TEXT, "the sentence, with both words in its bracket"),
        column("generic_word", TEXT, "the word that makes the generic true"),
        column("exception_word", TEXT, "the word that makes the exception true"),
        column("is_na", FLAG, "whether the worker found no sentence"),
        column("warnings", JSON, "what the worker was warned of"),
        column("state", TEXT, "malformed, waiting, valid, failed or withdrawn"),
        column("reason", TEXT, "codes of why it goes no further, with commas"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("assignment", TEXT, "the work", of=public_id_of("assignment")),
        column("item", TEXT, "the item that asks for the validation", of=public_id_of("item")),
        column("settled_at", MOMENT, "when it was found valid, or failed"),
    )


class JudgementViewSet(Listing):
    """What validators said of each pair. Yes is bad on all four questions."""

    queryset: QuerySet[Judgement] = (
        Judgement.objects.exclude(taken_out_by_its_worker("assignment"))
        .select_related("premise", "worker", "assignment")
        .defer("worker__external_id")
    )
    permissions = ("winoventi.view_judgement",)
    study_path = "premise__project__study"
    number = True
    filters = OfPremiseFilters
    columns = (
        column("number", INTEGER, "the number of the judgement on this site", of="pk"),
        column("premise", INTEGER, "the number of the premise on this site", of="premise_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("assignment", TEXT, "the work", of=public_id_of("assignment")),
        column("generic_synonym", FLAG, "whether the first word only repeats the generic"),
        column("exception_synonym", FLAG, "whether the second word only repeats the exception"),
        column("exception_fits_generic", FLAG, "whether the exception fits the generic's sentence"),
        column("generic_fits_exception", FLAG, "whether the generic fits the exception's sentence"),
        column("objections", TEXTS, "the questions that were answered with yes"),
    )


class PromptViewSet(Listing):
    """The prompts of pairs, as people are asked to complete them."""

    queryset: QuerySet[Prompt] = Prompt.objects.select_related("premise__alternative__generic__noun", "item")
    permissions = (LOOK,)
    study_path = "premise__project__study"
    number = True
    filters = PromptFilters
    columns = (
        column("number", INTEGER, "the number of the prompt on this site", of="pk"),
        column("premise", INTEGER, "the number of the premise on this site", of="premise_id"),
        column("kind", TEXT, "generic or exception: which of the two it is"),
        column("text", TEXT, "the prompt"),
        column("target", TEXT, "the right word"),
        column("incorrect", TEXT, "the other word"),
        column("item", TEXT, "the item that people answer", of=public_id_of("item")),
        column("is_answered", FLAG, "whether it has as many choices as the project needs"),
    )


class ChoiceViewSet(Listing):
    """The words with which people completed prompts: human performance."""

    queryset: QuerySet[Choice] = (
        Choice.objects.exclude(taken_out_by_its_worker("assignment"))
        .select_related("prompt", "worker", "assignment")
        .defer("worker__external_id")
    )
    permissions = (LOOK,)
    study_path = "prompt__premise__project__study"
    number = True
    filters = ChoiceFilters
    columns = (
        column("number", INTEGER, "the number of the choice on this site", of="pk"),
        column("prompt", INTEGER, "the number of the prompt on this site", of="prompt_id"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("assignment", TEXT, "the work", of=public_id_of("assignment")),
        column("word", TEXT, "the word"),
        column("is_right", FLAG, "whether it is the right one"),
    )


class SpecialWordViewSet(Listing):
    """The words that decide the outcome, with their part of speech in their sentence."""

    queryset: QuerySet[WordTag] = WordTag.objects.select_related("premise", "rival", "corrected_by")
    permissions = (LOOK_AT_WORDS,)
    study_path = "premise__project__study"
    number = True
    filters = PromptFilters
    needs = {"correct": MAY_CORRECT, "restore": MAY_CORRECT}
    admin_pages = {"winoventi_word": "correct"}
    columns = (
        column("number", INTEGER, "the number of the word on this site", of="pk"),
        column("premise", INTEGER, "the number of the premise on this site", of="premise_id"),
        column("kind", TEXT, "generic or exception: whose sentence has the word"),
        column("word", TEXT, "the word"),
        column("part", TEXT, "the part of speech, as it counts"),
        column("tagged", TEXT, "the part of speech, as the tagger says"),
        column("fine_tag", TEXT, "the finer tag behind it"),
        column("tagger", TEXT, "the tagger with its versions"),
        user_column("corrected_by", "who corrected it"),
        column("corrected_at", MOMENT, "when it was corrected"),
    )

    @extend_schema(request=PartInput)
    @action(detail=True, methods=["post"])
    def correct(self, request: Request, pk: str) -> Response:
        """Correct the part of speech. The word counts so from now on."""
        found, part = self.get_object(), self.read(PartInput)["part"]
        correct_tag(tag=found, part=part, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=found.pk)

    @extend_schema(request=Empty)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, pk: str) -> Response:
        """Let the word count as the tagger says again."""
        found = self.get_object()
        self.read(Empty)
        drop_correction(tag=found, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=found.pk)
