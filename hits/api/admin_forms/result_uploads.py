"""Results of models in the API: uploaded as files, replaced and removed, as on a project's pages."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from hits.admin.data.result_forms import MOST_BYTES
from hits.admin.projects.project_page import pages_of
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.request_permissions import Need
from hits.api.verbs import Done
from hits.data.services.model_results import (
    ModelResults,
    Upload,
    add_results,
    remove_results,
    replace_results,
)
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of


class ResultsFile(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="CSV or JSON, with the columns that the admin's page describes.")


class NewResults(ResultsFile):
    study = serializers.UUIDField()
    name = serializers.CharField(max_length=64, help_text="The name of the model.")
    about = serializers.CharField(
        max_length=500,
        required=False,
        help_text="For colleagues: which weights, which prompt. Not where the page has no such field.",
    )


class ResultUploads:
    """A mixin of a listing of results, before `Listing`.

    `add` and `remove` are the permissions. `replaced` finds results that came as files, if others did not.
    """

    results: ClassVar[ModelResults[Any, Any]]
    add: ClassVar[str]
    drop: ClassVar[str]
    replaced: ClassVar[Mapping[str, Any]] = {}
    needs: ClassVar[Mapping[str, Need]]
    permissions: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.needs = {
            **cls.needs,
            "upload": Need(Scope.DRAFT, (*cls.permissions, cls.add)),
            "replace": Need(Scope.DRAFT, (*cls.permissions, cls.add, cls.drop)),
            "remove": Need(Scope.DRAFT, (*cls.permissions, cls.drop)),
        }

    @extend_schema(request=NewResults, responses={201: Done})
    @action(detail=False, methods=["post"], parser_classes=[MultiPartParser])
    def upload(self: Any, request: Request) -> Response:
        """Upload the results of a model: all lines of a file, or none and what is wrong in each."""
        values = self.read(NewResults)
        if "about" in values and "about" not in self.results.header:
            raise serializers.ValidationError({"about": ["Nothing is kept about these."]})
        field: Any = self.results.of._meta.get_field(self.results.header["of"])
        projects = field.related_model.objects.filter(study__in=studies_of(request.user))
        project = get_object_or_404(projects, study__public_id=values.pop("study"))
        code = status.HTTP_201_CREATED
        answer: Response = self._take(add_results, project, "uploaded", code, of=project, **values)
        return answer

    @extend_schema(request=ResultsFile, responses=Done)
    @action(detail=True, methods=["post"], parser_classes=[MultiPartParser])
    def replace(self: Any, request: Request, pk: str) -> Response:
        """Replace the results of a model by those of a file, once it is read whole."""
        made = get_object_or_404(self.get_queryset().filter(**self.replaced), pk=pk)
        values = self.read(ResultsFile)
        project = getattr(made, self.results.header["of"])
        code = status.HTTP_200_OK
        answer: Response = self._take(replace_results, project, "replaced", code, made=made, **values)
        return answer

    @extend_schema(request=Empty, responses=Done)
    @action(detail=True, methods=["post"])
    def remove(self: Any, request: Request, pk: str) -> Response:
        """Remove the results of a model. Only the file they came from can bring them back."""
        made = self.get_object()
        self.read(Empty)
        remove_results(self.results, made=made)
        words = f"The {self.results.name} of {made} were removed."
        answer: Response = self._tell(getattr(made, self.results.header["of"]), words)
        return answer

    def _take(
        self: Any, take: Callable[..., Upload[Any]], project: Any, verb: str, code: int, **values: Any
    ) -> Response:
        if values["file"].size > MOST_BYTES:
            raise serializers.ValidationError({"file": [f"A file has at most {MOST_BYTES // 1_000_000} MB."]})
        upload = take(self.results, by=user_of(self.request), now=timezone.now(), **values)
        answer: Response = self._tell(project, f"The {self.results.name} of {upload.made} were {verb}.")
        answer.status_code = code
        return answer

    def _tell(self: Any, project: Any, words: str) -> Response:
        pages_of(type(project)).log_change(self.request, project, words)
        return Response(Done({"message": words, "problems": []}).data)
