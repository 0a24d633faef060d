"""Projects of families in the API: set up for a study and changed, by the forms of the project's page."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.db import IntegrityError, models, transaction
from django.shortcuts import get_object_or_404
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from hits.admin.projects.project_page import ProjectPages, pages_of
from hits.api.filters import Filters
from hits.api.idempotency import HEADER
from hits.api.request_permissions import Need
from hits.core.errors import RuleBroken
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of


class ProjectFilters(Filters):
    study = serializers.UUIDField(required=False, source="study__public_id")


class Rules(serializers.ModelSerializer[Any]):
    """A base of bodies: the study, which a project keeps, and the rules that are named in `Meta.fields`."""

    study = serializers.UUIDField(help_text="The study. Leave it out of a change: a project keeps its study.")


class ProjectSettings:
    """A mixin of a family's listing of projects, before `Listing`.

    `input_class` has the fields of the project's form of settings that programs may set.
    """

    study_path: ClassVar[str | None] = "study"
    number: ClassVar[bool] = True
    filters: ClassVar[type[Filters]] = ProjectFilters
    input_class: ClassVar[type[Rules]]
    needs: ClassVar[Mapping[str, Need]]
    admin_pages: ClassVar[Mapping[str, str]]
    permissions: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        room = cls.permissions[0].partition(".")[0]
        pages = {
            f"{room}_project_add": "create",
            f"{room}_settings": "partial_update",
            f"{room}_draft": "POST batches/",
            f"{room}_grow": "POST batches/{public_id}/top-up/",
        }
        cls.admin_pages = {**pages, **cls.admin_pages}
        made = {
            action: Need(Scope.DRAFT, (*cls.permissions, f"{room}.{verb}_project"))
            for action, verb in (("create", "add"), ("partial_update", "change"))
        }
        cls.needs = {**cls.needs, **made}

    def create(self: Any, request: Request) -> Response:
        """Set it up for a study, which has it once."""
        values = self._read(partial=False)
        study = get_object_or_404(studies_of(request.user), public_id=values.pop("study"))
        if there := self.get_queryset().filter(study=study).first():
            if request.headers.get(HEADER):
                answer: Response = self.answer_row(pk=there.pk)
                return answer
            raise RuleBroken("there_already", "It is set up for this study already. Change its settings.")
        form_class = self.pages().first_rules or self.pages().rules
        form = form_class(filled(form_class(), values), {})
        form.instance.study = study
        try:
            project = self._save(form)
        except IntegrityError:
            raise RuleBroken("there_already", "Another request has just set it up.") from None
        answer = self.answer_row(pk=project.pk)
        answer.status_code = status.HTTP_201_CREATED
        return answer

    def partial_update(self: Any, request: Request, pk: str) -> Response:
        """Change the settings that are named. What the page says about each holds here, too."""
        project, form_class = self.get_object(), self.pages().rules
        values = self._read(partial=True)
        if values.pop("study", project.study.public_id) != project.study.public_id:
            raise serializers.ValidationError({"study": ["A project keeps its study."]})
        unfilled = form_class(instance=project)
        self._save(form_class(filled(unfilled, values), {}, instance=project))
        answer: Response = self.answer_row(pk=project.pk)
        return answer

    def _read(self: Any, *, partial: bool) -> dict[str, Any]:
        given: Rules = self.input_class(data=self.request.data, partial=partial)
        given.is_valid(raise_exception=True)
        return dict(given.validated_data)

    def _save(self: Any, form: forms.ModelForm[Any]) -> Any:
        """Save as the page of settings does, and write it into the project's history."""
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        is_new, request = form.instance.pk is None, self.request
        with transaction.atomic():
            project = form.save()
            if is_new:
                self.pages().log_addition(request, project, [{"added": {}}])
            else:
                self.pages().log_change(request, project, [{"changed": {"fields": form.changed_data}}])
        return project

    def pages(self: Any) -> ProjectPages[Any]:
        """Return the admin whose pages these are."""
        pages: ProjectPages[Any] = pages_of(self.queryset.model)
        return pages


def filled(form: forms.BaseForm, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form as a page would send it: what it shows, with these values in place."""
    shown = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    sent = {name: value.pk if isinstance(value, models.Model) else value for name, value in values.items()}
    return {name: value for name, value in {**shown, **sent}.items() if value is not None}
