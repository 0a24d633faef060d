"""Exception procedures with their rules, and their steps."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.winoventi.admin.forms import RULES, SettingsForm
from crowd.winoventi.admin.step_actions import ADVANCE, GO_ON, KEEP, READ, SCORE, WAIT
from crowd.winoventi.admin.step_forms import CutForm
from crowd.winoventi.api.filters import StepFilters
from crowd.winoventi.associations.services.model_readings import cut_generics
from crowd.winoventi.challenge.admin.evaluations import ASK_MODEL
from crowd.winoventi.challenge.admin.forms import AskModelForm
from crowd.winoventi.challenge.services.evaluations import start_evaluation
from crowd.winoventi.challenge.services.word_tags import tag_anew
from crowd.winoventi.domain import LARGEST_K
from crowd.winoventi.models import PieceScoring, Project, Step
from crowd.winoventi.procedure.services.project_rules import change_rules
from crowd.winoventi.procedure.services.projects import add_nouns
from hits.admin.actions import Call
from hits.admin.projects.project_page import pages_of
from hits.api.admin_forms.project_settings import ProjectSettings, Rules, filled
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.listings import JSON, Listing, public_id_of
from hits.api.request_permissions import Need
from hits.api.verbs import Done, Verb
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken
from hits.datasets.columns import FLAG, INTEGER, TEXT, column
from hits.identity.api_tokens import Scope
from hits.studies.models import Batch

LOOK = "winoventi.view_project"
MOST = 10_000_000
MOST_NOUNS = 100_000
LONGEST_NAME = 64


class WinoventiRules(Rules):
    ks = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_K), min_length=1, required=False
    )

    class Meta:
        model = Project
        fields = ("study", *RULES)

    def validate_ks(self, ks: Sequence[int]) -> str:
        """Return the steps as the form of settings writes them."""
        return ", ".join(map(str, ks))


class NounsInput(serializers.Serializer[Any]):
    words = serializers.ListField(child=serializers.CharField(), min_length=1, max_length=MOST_NOUNS)


class CutInput(serializers.Serializer[Any]):
    cut_by = serializers.ChoiceField(Project.CutBy.choices)
    most_posted = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, allow_null=True, help_text="Null: no limit."
    )
    cuts = serializers.DictField(
        child=serializers.FloatField(min_value=0),
        required=False,
        default=dict,
        help_text='For cuts by hand: perplexities by k, such as {"1": 120.5}.',
    )


class AskModelInput(serializers.Serializer[Any]):
    rival = serializers.CharField(max_length=LONGEST_NAME, help_text="The name of a registered masked model.")
    way = serializers.ChoiceField(PieceScoring.choices, required=False, default=PieceScoring.PROPERLY)


class AdvanceInput(serializers.Serializer[Any]):
    most = serializers.IntegerField(
        min_value=1, max_value=MOST, required=False, allow_null=True, help_text="Null: all that wait."
    )


class StepInput(serializers.Serializer[Any]):
    most_per_worker = serializers.IntegerField(
        min_value=1, max_value=1_000_000, required=False, allow_null=True, help_text="Null: no limit."
    )
    batch = serializers.UUIDField(required=False, allow_null=True, help_text="The batch that grows.")


# Steps are written of in the history of their project.
PROJECT = attrgetter("project")
MAY_KEEP = Need(Scope.DRAFT, (LOOK, KEEP))


class WinoventiProjectViewSet(ProjectSettings, Listing):
    """Studies with the exception procedure, and the rules of it. Models are set by their numbers."""

    queryset: QuerySet[Project] = Project.objects.select_related(
        "study", "generics_model", "perplexity_model", "filter_model", "tagger"
    )
    permissions = (LOOK,)
    input_class = WinoventiRules
    needs = {
        "nouns": MAY_KEEP,
        "cut": MAY_KEEP,
        "tag_again": MAY_KEEP,
        "ask_model": Need(Scope.DRAFT, (LOOK, ASK_MODEL)),
    }
    admin_pages = {
        "winoventi_nouns": "nouns",
        "winoventi_cut": "cut",
        "winoventi_ask_model": "ask_model",
        "winoventi_words_again": "tag_again",
    }
    columns = (
        column("number", INTEGER, "the number of the project on this site", of="pk"),
        column("study", TEXT, "the study", of="study.public_id"),
        column("generics_model", TEXT, "the model of step 1", of=lambda row: _name(row.generics_model)),
        column("perplexity_model", TEXT, "the model that ranks", of=lambda row: _name(row.perplexity_model)),
        column("filter_model", TEXT, "the model of step 3", of=lambda row: _name(row.filter_model)),
        column("tagger", TEXT, "what tells parts of speech", of=lambda row: _name(row.tagger)),
        column("ks", JSON, "how many of the model's first words are looked at, in steps"),
        column("stop_list", TEXT, "words that are never posted, one on a line"),
        column("cut_by", TEXT, "bend, hand or nothing"),
        column("cuts", JSON, "perplexities by k; posted generics are below"),
        column("most_posted", INTEGER, "generics that are posted, at most; null: no limit"),
        column("way", TEXT, "how a word of several pieces is scored"),
        column("answers_wanted", INTEGER, "workers who validate a pair"),
        column("fails_by", TEXT, "question or worker: by what a pair fails"),
        column("fails_at", INTEGER, "so many"),
        column("judges", TEXT, "who validates: others, strangers or anybody"),
        column("people", TEXT, "together, writers or steps: who may take part in which steps"),
        column("choices_wanted", INTEGER, "people who choose, for each prompt"),
        column("is_stale", FLAG, "whether decisions by earlier rules are being made again"),
    )

    @extend_schema(request=NounsInput, responses=Done)
    @action(detail=True, methods=["post"])
    def nouns(self, request: Request, pk: str) -> Response:
        """Add nouns after the existing ones: all of them, or none and what is wrong."""
        project, words = self.get_object(), self.read(NounsInput)["words"]
        return self._tell(project, f"{add_nouns(project=project, words=words)} nouns were added.")

    @extend_schema(request=CutInput, responses=Done)
    @action(detail=True, methods=["post"])
    def cut(self, request: Request, pk: str) -> Response:
        """Cut the generics by their perplexities. What was posted stays."""
        project, values = self.get_object(), self.read(CutInput)
        cuts = values.pop("cuts")
        if unknown := sorted(cuts.keys() - set(map(str, project.ks))):
            raise serializers.ValidationError({"cuts": [f"There is no k = {k}." for k in unknown]})
        form = CutForm({**values, **{f"cut_{k}": cut for k, cut in cuts.items()}}, project=project)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        cut_generics(change_rules(project=project, **form.values()))
        return self._tell(project, "The generics were cut.")

    @extend_schema(request=AskModelInput, responses=Done)
    @action(detail=True, methods=["post"], url_path="ask-model")
    def ask_model(self, request: Request, pk: str) -> Response:
        """Ask a registered model about the challenge set, again for pairs that are valid since."""
        project, values = self.get_object(), self.read(AskModelInput)
        offered: Any = AskModelForm().fields["rival"]
        rival = offered.queryset.filter(name=values["rival"]).first()
        if rival is None:
            raise serializers.ValidationError({"rival": ["There is no such model here to ask."]})
        by, now = user_of(request), timezone.now()
        start_evaluation(project=project, rival=rival, by=by, now=now, way=values["way"])
        return self._tell(project, f"The model {rival} was asked.")

    @extend_schema(request=Empty, responses=Done)
    @action(detail=True, methods=["post"], url_path="tag-again")
    def tag_again(self, request: Request, pk: str) -> Response:
        """Ask the tagger again about the words that it could not tell."""
        project = self.get_object()
        self.read(Empty)
        count = tag_anew(project=project, now=timezone.now())
        return self._tell(project, f"The tagger is asked again, about {plural(count, 'word')}.")

    def _tell(self, project: Project, words: str) -> Response:
        self.pages().log_change(self.request, project, words)
        return Response(Done({"message": words, "problems": []}).data)


def _only(*kinds: str) -> Callable[[Call[Step]], str]:
    """Make a refusal of what steps of other kinds do not do."""

    def refuses(call: Call[Step]) -> str:
        return "" if call.row.kind in kinds else f"“{call.row.get_kind_display()}” does nothing like this."

    return refuses


class StepViewSet(Listing):
    """The steps of procedures: whether each goes on by itself, and its batch."""

    queryset: QuerySet[Step] = Step.objects.select_related(
        "project__study", "project__generics_model", "project__filter_model", "batch"
    )
    permissions = (LOOK,)
    study_path = "project__study"
    number = True
    filters = StepFilters
    input_class = StepInput
    needs = {"partial_update": MAY_KEEP}
    columns = (
        column("number", INTEGER, "the number of the step on this site", of="pk"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("kind", TEXT, "generics, exceptions, filter, premises, validations or choices"),
        column("task", TEXT, "the task that workers do in it; empty where none do it"),
        column("by_itself", FLAG, "whether it goes on without a click"),
        column("most_per_worker", INTEGER, "answers of one worker, at most; null: no limit"),
        column("batch", TEXT, "the batch that grows", of=public_id_of("batch")),
        column("problem", TEXT, "why the batch did not grow at the last try"),
    )
    verbs = {
        "on": Verb(
            action=GO_ON,
            scope=Scope.DRAFT,
            logged=PROJECT,
            about="Let the step go on by itself, within the study's budget.",
        ),
        "off": Verb(
            action=WAIT,
            scope=Scope.DRAFT,
            logged=PROJECT,
            about="Let nothing more enter the step without a click.",
        ),
        "advance": Verb(
            action=replace(ADVANCE, refuses=_only(*Step.TASKS)),
            scope=Scope.DRAFT,
            logged=PROJECT,
            about="Advance what waits for the step.",
            body=AdvanceInput,
        ),
        "read_nouns": Verb(
            action=replace(READ, refuses=_only(Step.Kind.GENERICS)),
            scope=Scope.DRAFT,
            logged=PROJECT,
            about="Ask the model of step 1 about the nouns that it has not read yet.",
        ),
        "score": Verb(
            action=replace(SCORE, refuses=_only(Step.Kind.FILTER)),
            scope=Scope.DRAFT,
            logged=PROJECT,
            about="Ask the model of step 3 about the exceptions that have no score yet.",
        ),
    }

    def partial_update(self, request: Request, pk: str) -> Response:
        """Change the limit of one worker, or the batch that grows, of a step that workers do."""
        step = self.get_object()
        given = StepInput(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        if not step.task:
            raise RuleBroken("no_workers", "Workers do not do this step: it has no limit and no batch.")
        values = dict(given.validated_data)
        if key := values.pop("batch", None):
            batches = Batch.objects.filter(study=step.project.study_id, task=step.task, public_id=key)
            values["batch"] = batches.first()
            if values["batch"] is None:
                raise serializers.ValidationError({"batch": ["There is no such batch of this step here."]})
        elif "batch" in given.validated_data:
            values["batch"] = None
        project = step.project
        fields = {"most_per_worker": f"{step.kind}_most", "batch": f"{step.kind}_batch"}
        sent = {fields[name]: value for name, value in values.items()}
        form = SettingsForm(filled(SettingsForm(instance=project), sent), {}, instance=project)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        with transaction.atomic():
            form.save()
            pages_of(Project).log_change(request, project, [{"changed": {"fields": form.changed_data}}])
        return self.answer_row(pk=step.pk)


def _name(rival: Any) -> Any:
    return rival and rival.name
