"""Designers of weird images: invited, changed, shut out; and what is owed to them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.whoops.api.filters import ProjectRowFilters
from crowd.whoops.design.admin.designer_forms import DesignerForm, InviteForm
from crowd.whoops.design.admin.designers import ADD, CHANGE, PAY, words_of_owing
from crowd.whoops.design.services import designer_pay, invitations
from crowd.whoops.design.services.invitations import MOST_PLACES
from crowd.whoops.models import Designer, Project
from hits.admin.projects.project_page import pages_of
from hits.api.admin_forms.project_settings import filled
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.listings import Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Done
from hits.core.signed_links import DAYS, MOST_DAYS
from hits.datasets.columns import FLAG, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

LOOK, LOOK_AT_DESIGNERS = "whoops.view_project", "whoops.view_designer"
MAY_CHANGE = Need(Scope.DRAFT, (LOOK_AT_DESIGNERS, CHANGE))
LONGEST_NAME = 80
PAGES = {"whoops_places": "places", "whoops_owe_images": "owe_images"}
NEEDS: Mapping[str, Need] = {
    "places": Need(Scope.DRAFT, (LOOK, LOOK_AT_DESIGNERS, CHANGE)),
    "owe_images": Need(Scope.REVIEW, (LOOK, LOOK_AT_DESIGNERS, PAY)),
}


class DesignerInput(serializers.Serializer[Any]):
    name = serializers.CharField(
        max_length=LONGEST_NAME, help_text="For you and your colleagues. The API does not tell it again."
    )
    is_paid = serializers.BooleanField(
        required=False, default=False, help_text="Whether each accepted image is paid."
    )
    worker = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=64,
        help_text="The pseudonym or public id of the worker who is paid; empty: a volunteer.",
    )


class Invitation(DesignerInput):
    study = serializers.UUIDField()
    days = serializers.IntegerField(
        required=False,
        default=DAYS,
        min_value=1,
        max_value=MOST_DAYS,
        help_text="How long the link is valid.",
    )


class PlacesInput(serializers.Serializer[Any]):
    places = serializers.IntegerField(
        min_value=0, max_value=MOST_PLACES, help_text="Workers who may become designers by the HIT, in all."
    )


class DesignerPlaces:
    """A mixin of the listing of projects, before `Listing`."""

    @extend_schema(request=PlacesInput, responses=Done)
    @action(detail=True, methods=["post"])
    def places(self: Any, request: Request, pk: str) -> Response:
        """Set how many workers may become designers by the HIT. Those who did already count, too."""
        project = self.get_object()
        invitations.want_designers(project=project, **self.read(PlacesInput))
        taken, free = invitations.places_of(project)
        return Response(Done({"message": f"Places free: {free}, taken: {taken}.", "problems": []}).data)

    @extend_schema(request=Empty, responses=Done)
    @action(detail=True, methods=["post"], url_path="owe-images")
    def owe_images(self: Any, request: Request, pk: str) -> Response:
        """Owe what is outstanding for accepted images. Nothing is paid before a run of two people."""
        project = self.get_object()
        self.read(Empty)
        found = designer_pay.owe_outstanding(project=project, by=user_of(request), now=timezone.now())
        said, problems = words_of_owing(found)
        return Response(Done({"message": said, "problems": problems}).data)


class DesignerViewSet(Listing):
    """Designers, without their names and their links: those stay on their page in the admin."""

    queryset: QuerySet[Designer] = Designer.objects.select_related("project__study", "worker").defer(
        "worker__external_id"
    )
    permissions = (LOOK_AT_DESIGNERS,)
    study_path = "project__study"
    filters = ProjectRowFilters
    input_class = DesignerInput
    needs = {
        "create": Need(Scope.DRAFT, (LOOK_AT_DESIGNERS, ADD)),
        "partial_update": MAY_CHANGE,
        "let_in": MAY_CHANGE,
        "shut_out": MAY_CHANGE,
    }
    admin_pages = {"whoops_invite": "create", "whoops_change_designer": "partial_update"}
    columns = (
        column("public_id", TEXT, "the designer's id"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column(
            "worker",
            TEXT,
            "the pseudonym of the worker; null for a person who was invited by a link",
            of=lambda row: row.worker and row.worker.pseudonym,
        ),
        column("is_paid", FLAG, "whether each accepted image is paid"),
        column("is_active", FLAG, "whether the designer may send images"),
        column("invited_at", MOMENT, "when the designer was invited"),
        column("seen_at", MOMENT, "when the designer was last there"),
    )

    @extend_schema(request=Invitation)
    def create(self, request: Request) -> Response:
        """Invite a designer. The link to the workspace is on the designer's page in the admin alone."""
        given, by = dict(self.read(Invitation)), user_of(request)
        projects = Project.objects.filter(study__in=studies_of(by))
        project = get_object_or_404(projects, study__public_id=given.pop("study"))
        form = InviteForm({"days": DAYS, **given}, user=by)
        values = _checked(form)
        designer = invitations.invite_designer(project=project, by=by, now=timezone.now(), **values)
        pages_of(Project).log_change(request, project, f"Invited the designer “{designer}”.")
        answer = self.answer_row(pk=designer.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    def partial_update(self, request: Request, public_id: str) -> Response:
        """Change the name of a designer, whether they are paid, or as which worker."""
        designer = self.get_object()
        given = DesignerInput(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        form = DesignerForm(user=user_of(request), designer=designer)
        sent = {**filled(form, {}), **given.validated_data}
        values = _checked(DesignerForm(sent, user=user_of(request), designer=designer))
        invitations.change_designer(designer=designer, **values)
        pages_of(Project).log_change(request, designer.project, f"Changed the designer “{designer}”.")
        return self.answer_row(pk=designer.pk)

    @extend_schema(request=Empty)
    @action(detail=True, methods=["post"], url_path="shut-out")
    def shut_out(self, request: Request, public_id: str) -> Response:
        """Let the designer send no more images. What was sent stays, and is paid."""
        return self._set_active(is_active=False)

    @extend_schema(request=Empty)
    @action(detail=True, methods=["post"], url_path="let-in")
    def let_in(self, request: Request, public_id: str) -> Response:
        """Let the designer send images again."""
        return self._set_active(is_active=True)

    def _set_active(self, *, is_active: bool) -> Response:
        designer = self.get_object()
        self.read(Empty)
        invitations.set_active(designer=designer, is_active=is_active)
        words = "may send images again." if is_active else "can no longer send images."
        pages_of(Project).log_change(self.request, designer.project, f"{designer} {words}")
        return self.answer_row(pk=designer.pk)


def _checked(form: forms.Form) -> dict[str, Any]:
    """Return the values of the form. Raises ValidationError for what it refuses."""
    if not form.is_valid():
        raise serializers.ValidationError(form.errors.get_json_data())
    return form.cleaned_data
