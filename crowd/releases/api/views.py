from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import FileResponse, Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import mixins
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.releases.admin.file_answers import send_file
from crowd.releases.admin.permitted_rows import MAKE
from crowd.releases.admin.release_actions import RELEASES
from crowd.releases.api.filters import FileFilters, ReleaseFilters
from crowd.releases.api.serializers import ReleaseInput, ReleaseSerializer
from crowd.releases.models import Release
from crowd.releases.services import file_downloads, release_states
from hits.api.authentication import user_of
from hits.api.filters import Filters, read_query
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.verbs import Verb, give_verbs
from hits.identity.api_tokens import Scope
from hits.work.access import studies_of

VIEW = "releases.view_release"
LOOK = Need(Scope.EXPORT, (VIEW,))
TAKE = Need(Scope.EXPORT, (VIEW, "hits.export_batch"))
VERBS = {
    "publish": Verb(
        action=RELEASES.actions["publish"],
        scope=Scope.EXPORT,
        about="Declare a release that is ready as published. From then on it cannot be deleted.",
    ),
    "again": Verb(
        action=RELEASES.actions["again"],
        scope=Scope.EXPORT,
        about="Make a release that has failed again, as of the same moment.",
    ),
    "remove": Verb(
        action=RELEASES.actions["remove"],
        scope=Scope.EXPORT,
        about="Delete a release that is not published, with its files. This cannot be undone.",
    ),
}


class ReleaseViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """The data of a study, frozen in files."""

    queryset: QuerySet[Release] = Release.objects.select_related("study", "made_by", "released_by")
    serializer_class = ReleaseSerializer
    filters = ReleaseFilters
    queries: ClassVar[dict[str, type[Filters]]] = {"download": FileFilters}
    verbs = VERBS
    admin_pages = {"releases_make": "create"}
    needs: ClassVar[dict[str, Need]] = {
        "list": LOOK,
        "retrieve": LOOK,
        "create": Need(Scope.EXPORT, (VIEW, MAKE)),
        "download": TAKE,
    }

    def get_queryset(self) -> QuerySet[Release]:
        rows = Release.objects.select_related("study", "made_by", "released_by")
        return rows.filter(study__in=studies_of(self.request.user))

    @extend_schema(request=ReleaseInput, responses={201: ReleaseSerializer})
    def create(self, request: Request) -> Response:
        """Ask for a release, which the background writes. Its row tells how far it is."""
        values: dict[str, Any] = dict(self.read(ReleaseInput))
        study = get_object_or_404(studies_of(request.user), public_id=values.pop("study"))
        made = release_states.make_release(study=study, by=user_of(request), now=timezone.now(), **values)
        answer = self.answer_row(pk=made.pk)
        answer.status_code = 201
        return answer

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    @action(detail=True)
    def download(self, request: Request, public_id: str) -> FileResponse:
        """Take one file of a release that is ready."""
        release, name = self.get_object(), read_query(request, FileFilters)["name"]
        file = file_downloads.open_file(release=release, name=name, by=user_of(request), now=timezone.now())
        if file is None:
            raise Http404
        answer = send_file(release, name, file)
        answer["Cache-Control"] = "no-store"
        return answer


give_verbs(ReleaseViewSet, VERBS, look=LOOK)
