"""Submitted work: read, decided on and remarked upon. Scores are not here: a room above keeps them."""

from typing import Any

from django.db.models import Prefetch
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from hits.api.authentication import user_of
from hits.api.fields import Empty, Pseudonym, PublicId, UserName
from hits.api.filters import AssignmentFilters
from hits.api.request_permissions import need
from hits.api.resources import Resource
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope
from hits.review.services import reviewing
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.models.leases import Lease

Status = Decision.Status


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    batch = PublicId(source="hit.batch")
    hit = PublicId()
    worker = Pseudonym()
    items = serializers.SerializerMethodField(
        help_text="The items that the answer is about, but for attention items."
    )
    attention_items = serializers.SerializerMethodField(
        help_text="The attention items among what the worker was asked: their answers count nowhere."
    )

    class Meta:
        model = Assignment
        fields = (
            "public_id",
            "batch",
            "hit",
            "worker",
            "attempt",
            "status",
            "kept_out",
            "answer",
            "items",
            "attention_items",
            "accepted_at",
            "deadline_at",
            "opened_at",
            "saved_at",
            "submitted_at",
            "approved_at",
            "rejected_at",
            "auto_approves_at",
            "worked_s",
        )

    def get_items(self, assignment: Assignment) -> list[str]:
        return _items_of(assignment, attention=False)

    def get_attention_items(self, assignment: Assignment) -> list[str]:
        return _items_of(assignment, attention=True)


def _items_of(assignment: Assignment, *, attention: bool) -> list[str]:
    """The ids of the items that the answer is about: those that count, or the attention items."""
    leases = assignment.leases.all()
    return [str(one.item.public_id) for one in leases if (one.status == Lease.Status.ATTENTION) == attention]


class DecisionSerializer(serializers.ModelSerializer[Decision]):
    by = UserName()
    second_by = UserName()

    class Meta:
        model = Decision
        fields = ("kind", "status", "reason", "by", "second_by", "made_at", "send_at", "ended_at", "problem")


class DecisionInput(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(Decision.Kind.choices)
    reason = serializers.CharField(
        max_length=1024, required=False, default="", allow_blank=True, help_text="What the worker reads."
    )
    category = serializers.CharField(
        max_length=32,
        required=False,
        default="",
        allow_blank=True,
        help_text="The provider's own word for why work is rejected, where it has some.",
    )


class SecondInput(serializers.Serializer[Any]):
    agree = serializers.BooleanField()


class NoteSerializer(serializers.ModelSerializer[Note]):
    by = UserName()

    class Meta:
        model = Note
        fields = ("text", "by", "at")
        read_only_fields = ("at",)


class AssignmentViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    queryset = Assignment.objects.select_related("hit__batch", "worker").prefetch_related(
        Prefetch(
            "leases",
            Lease.objects.exclude(status=Lease.Status.RELEASED).select_related("item").order_by("pk"),
        )
    )
    serializer_class = AssignmentSerializer
    filters = AssignmentFilters
    admin_pages = {
        "hits_assignment_decide": "decide",
        "hits_assignment_note": "add_note",
        "hits_assignment_second": "second",
        "hits_assignment_undo": "undo",
    }
    needs = {
        "list": need(Scope.READ, "view_assignment"),
        "retrieve": need(Scope.READ, "view_assignment"),
        "decisions": need(Scope.READ, "view_assignment", "view_decision"),
        "decide": need(Scope.REVIEW, "review_assignment"),
        "second": need(Scope.REVIEW, "second_rejection"),
        "undo": need(Scope.REVIEW, "review_assignment"),
        "notes": need(Scope.READ, "view_assignment", "view_note"),
        "add_note": need(Scope.REVIEW, "add_note"),
    }

    @extend_schema(responses=DecisionSerializer(many=True))
    @action(detail=True)
    def decisions(self, request: Request, public_id: str) -> Response:
        """List what was decided on this work, oldest first."""
        decisions = self.get_object().decisions.select_related("by", "second_by")
        return self.answer_page(decisions, DecisionSerializer)

    @extend_schema(request=DecisionInput, responses=DecisionSerializer)
    @action(detail=True, methods=["post"])
    def decide(self, request: Request, public_id: str) -> Response:
        """Decide on this work. It goes to the provider in a moment, and can be undone until then."""
        work, values = self.get_object(), self.read(DecisionInput)
        decision = reviewing.decide(assignment=work, by=user_of(request), now=timezone.now(), **values)
        return Response(DecisionSerializer(decision).data)

    @extend_schema(request=SecondInput, responses=DecisionSerializer)
    @action(detail=True, methods=["post"])
    def second(self, request: Request, public_id: str) -> Response:
        """Be the second person for the rejection that waits for one."""
        decision = _decision_of(self.get_object(), Status.WAITING)
        agree = self.read(SecondInput)["agree"]
        reviewing.second(decision=decision, by=user_of(request), agree=agree, now=timezone.now())
        decision.refresh_from_db()
        return Response(DecisionSerializer(decision).data)

    @extend_schema(request=Empty, responses=DecisionSerializer)
    @action(detail=True, methods=["post"])
    def undo(self, request: Request, public_id: str) -> Response:
        """Take back your own decision, as long as it has not been sent."""
        decision = _decision_of(self.get_object(), Status.WAITING, Status.INTENDED)
        reviewing.undo(decision=decision, by=user_of(request), now=timezone.now())
        decision.refresh_from_db()
        return Response(DecisionSerializer(decision).data)

    @extend_schema(responses=NoteSerializer(many=True))
    @action(detail=True)
    def notes(self, request: Request, public_id: str) -> Response:
        """List the colleagues' remarks on this work, oldest first."""
        return self.answer_page(self.get_object().notes.select_related("by"), NoteSerializer)

    @extend_schema(request=NoteSerializer, responses={201: NoteSerializer})
    @notes.mapping.post
    def add_note(self, request: Request, public_id: str) -> Response:
        """Write a remark for the colleagues. No worker reads it."""
        work, values = self.get_object(), self.read(NoteSerializer)
        note = reviewing.add_note(assignment=work, by=user_of(request), now=timezone.now(), **values)
        return Response(NoteSerializer(note).data, status=201)


def _decision_of(assignment: Assignment, *statuses: Status) -> Decision:
    """The one pending decision of this work: a constraint allows no second. Raises RuleBroken if none is."""
    decision = assignment.decisions.filter(status__in=statuses).select_related("assignment").first()
    if decision is None:
        raise RuleBroken("no_decision", "No decision on this work is waiting. Look at its decisions.")
    return decision
