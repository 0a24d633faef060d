"""Pictures of the pool, what was reported of them, and what brings more of them, for notebooks."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.forms import modelform_factory
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request as Asked
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter

from crowd.pictures.admin.imports import PAGES, ImportForm, prepare
from crowd.pictures.admin.picture_actions import ACTIONS
from crowd.pictures.admin.pool import WORDS, WordsForm
from crowd.pictures.admin.pool_parts import CHECK, IMPORT, LISTS, REMOVE, VIEW
from crowd.pictures.admin.wanted_pages import LONGEST_SEARCH, ORDERS, WHICH, found_concepts
from crowd.pictures.bringing.import_lines import LONGEST, ConceptFrom
from crowd.pictures.models import Import, Picture, Report, Request, Unfit
from crowd.pictures.models.pictures import LONGEST_REASON
from crowd.pictures.queries.wanted_concepts import WantedConcept, ready_lists, wanted_concepts
from crowd.pictures.services import manual_check, picture_reports
from crowd.pictures.services.picture_entry import describe_picture
from crowd.pictures.services.preparation import prepare_anew
from hits.api.authentication import user_of
from hits.api.fields import Empty
from hits.api.filters import Filters, Nothing, read_query
from hits.api.listings import Listing, public_id_of
from hits.api.parsing import PlainJSON
from hits.api.request_permissions import Need
from hits.api.resources import Resource
from hits.api.verbs import Done, Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, TEXT, column
from hits.identity.api_tokens import Scope
from hits.identity.models.users import User
from qualifications.models import SwowList

REPORTS = "pictures.view_report"
CHANGE = "pictures.change_picture"
SHA256 = 64
MOST_CONCEPTS = 500
MOST_PAGES = 100_000
Status = Request.Status


class PictureFilters(Filters):
    concept = serializers.CharField(required=False, max_length=LONGEST["concept"])
    sha256 = serializers.CharField(required=False, max_length=SHA256)
    status = serializers.ChoiceField(Picture.Status.choices, required=False)
    unfit_reason = serializers.ChoiceField(Unfit.choices, required=False)
    media_type = serializers.CharField(required=False, max_length=32)
    in_pool = serializers.BooleanField(required=False)
    shows_words = serializers.BooleanField(required=False)
    shows_concept = serializers.BooleanField(required=False)
    is_profane = serializers.BooleanField(required=False)
    is_reported = serializers.BooleanField(required=False)
    awaits_decision = serializers.BooleanField(required=False)


class PictureReportFilters(Filters):
    picture = serializers.IntegerField(required=False, min_value=1, max_value=2**62, source="picture_id")
    status = serializers.ChoiceField(Report.Status.choices, required=False)
    reason = serializers.ChoiceField(Report.Reason.choices, required=False)


class PictureImportFilters(Filters):
    made_by = serializers.CharField(required=False, max_length=150, source="made_by__username")


class ImportLineFilters(Filters):
    picture_import = serializers.IntegerField(
        required=False, min_value=1, max_value=2**62, source="importing_id"
    )
    status = serializers.ChoiceField(Status.choices, required=False)


class WantedFilters(Nothing):
    q = serializers.CharField(required=False, max_length=LONGEST_SEARCH, help_text="A part of the word.")
    which = serializers.ChoiceField([(key, label) for key, (label, _) in WHICH.items()], required=False)
    order = serializers.ChoiceField([(key, label) for key, (label, _) in ORDERS.items()], required=False)
    page = serializers.IntegerField(required=False, min_value=1, max_value=MOST_PAGES)


class RemovalReason(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="For the record. No worker reads it.")


class UnfitReason(serializers.Serializer[Any]):
    reason = serializers.CharField(
        max_length=16, help_text="mismatch, words, inappropriate, quality or rights."
    )


class PictureWords(serializers.ModelSerializer[Picture]):
    class Meta:
        model = Picture
        fields = WORDS


class PictureFile(serializers.Serializer[Any]):
    """The form of the import's page; the form itself checks it."""

    file = serializers.FileField(help_text="A CSV list of addresses, or a ZIP archive of pictures.")
    concept_from = serializers.ChoiceField(
        [ConceptFrom.FILE.value, ConceptFrom.FOLDER.value], required=False, default=ConceptFrom.FILE.value
    )
    # The class has an attribute of this name.
    source: Any = serializers.CharField(required=False, max_length=LONGEST["source"], allow_blank=True)
    licence = serializers.CharField(required=False, max_length=LONGEST["licence"], allow_blank=True)
    credit = serializers.CharField(required=False, max_length=LONGEST["credit"], allow_blank=True)
    association_list = serializers.UUIDField(
        required=False, help_text="Only pictures of its concepts that still need one come in."
    )
    is_checked = serializers.BooleanField(
        required=False, default=False, help_text="Every picture has been looked at already."
    )


class WantedConceptSerializer(serializers.Serializer[WantedConcept]):
    word = serializers.CharField()
    answers = serializers.IntegerField(help_text="How often people answered its cue.")
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="Its pictures in the pool by status; none is fit."
    )
    coming = serializers.IntegerField(help_text="Pictures that running imports still bring.")


class WantedConceptsSerializer(serializers.Serializer[Any]):
    association_list = serializers.UUIDField()
    total = serializers.IntegerField(help_text="Concepts that can have a picture.")
    pictured = serializers.IntegerField(help_text="Those that have a fit one.")
    impossible = serializers.IntegerField(help_text="Words of the list that no picture can show.")
    found = serializers.IntegerField(help_text="Concepts that the filters found.")
    pages = serializers.IntegerField()
    concepts = WantedConceptSerializer(many=True)


def _name_of(user: User | None) -> str | None:
    return None if user is None else user.username


def _is_reported() -> Exists:
    return Exists(Report.objects.filter(picture=OuterRef("pk"), status=Report.Status.OPEN))


def _awaits_decision() -> Exists:
    return Exists(Picture.objects.undecided().filter(pk=OuterRef("pk")))


class PictureViewSet(Listing):
    """The pictures of the pool, and those that were uploaded for an item, whatever their state."""

    queryset: QuerySet[Picture] = Picture.objects.select_related("checked_by").annotate(
        is_reported=_is_reported(), awaits_decision=_awaits_decision()
    )
    permissions = (VIEW,)
    study_path = None
    number = True
    filters = PictureFilters
    input_class = PictureWords
    needs = {
        "partial_update": Need(Scope.DRAFT, (VIEW, CHANGE)),
        "prepare": Need(Scope.DRAFT, (VIEW, IMPORT)),
        "fit": Need(Scope.REVIEW, (VIEW, CHECK)),
        "unfit": Need(Scope.REVIEW, (VIEW, CHECK)),
        "undo_check": Need(Scope.REVIEW, (VIEW, CHECK)),
    }
    admin_pages = {
        "pictures_picture_change": "partial_update",
        "pictures_check_decide": "fit",
        "pictures_check_undo": "undo_check",
        "pictures_gallery": "fit",
        "pictures_picture_do": "unfit",
        "pictures_gallery_undo": "undo_check",
    }
    columns = (
        column("number", INTEGER, "the number of the picture on this site", of="pk"),
        column("sha256", TEXT, "SHA-256 of the file as it is served"),
        column("original_sha256", TEXT, "SHA-256 of the file as it came, before metadata were taken out"),
        column("concept", TEXT, "what it shows, in a word"),
        column("caption", TEXT, "what it shows, in a sentence"),
        column("status", TEXT, "waiting, fit, unfit or removed"),
        column("unfit_reason", TEXT, "why it is unfit"),
        column("removal_reason", TEXT, "why it was removed"),
        column("in_pool", FLAG, "whether image sets are drawn from it; false for one of an item"),
        column("awaits_decision", FLAG, "whether only the letters on it made it unfit"),
        column("is_reported", FLAG, "whether a report of it is open"),
        column("shows_words", FLAG, "whether written words are on it"),
        column("shows_concept", FLAG, "whether its concept's name, or a part of it, is on it"),
        column("is_profane", FLAG, "whether its concept is profane"),
        column("ocr_text", TEXT, "what is written on it"),
        column("read_by", TEXT, "what read the letters; empty before it was read"),
        column("problem", TEXT, "why it could not be prepared"),
        column("source", TEXT, "where it is from"),
        column("credit", TEXT, "whose picture it is"),
        column("licence", TEXT, "its licence"),
        column("media_type", TEXT, "the kind of its file"),
        column("width", INTEGER, "its width in pixels; null for a drawing"),
        column("height", INTEGER, "its height in pixels; null for a drawing"),
        column("added_at", MOMENT, "when it came"),
        column("flagged_at", MOMENT, "when letters made it unfit"),
        column("checked_at", MOMENT, "when a person last decided about it"),
        column("checked_by", TEXT, "who decided", of=lambda row: _name_of(row.checked_by)),
    )
    verbs = {
        "allow": Verb(
            action=ACTIONS["allow"],
            about="Allow it in spite of its letters. It is left as it is if it is unfit for another reason.",
            scope=Scope.REVIEW,
        ),
        "disallow": Verb(
            action=ACTIONS["disallow"],
            about="Make it unfit for its letters again.",
            scope=Scope.REVIEW,
        ),
        "remove": Verb(
            action=ACTIONS["remove"],
            about="Remove it everywhere, and uphold what was reported of it.",
            scope=Scope.REVIEW,
            body=RemovalReason,
        ),
        "restore": Verb(
            action=ACTIONS["restore"],
            about="Put a removed picture back, and dismiss what was reported of it.",
            scope=Scope.REVIEW,
            body=RemovalReason,
        ),
        "recheck": Verb(
            action=ACTIONS["recheck"],
            about="Send it back to the check. It is shown to nobody until a person has found it fit.",
            scope=Scope.REVIEW,
        ),
    }

    @extend_schema(request=PictureWords)
    def partial_update(self, request: Asked, pk: str) -> Response:
        """Correct the words of a picture. Rivals that read captions read the new ones at once."""
        row = self.get_object()
        given = PictureWords(row, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        now = {name: getattr(row, name) for name in WORDS}
        form = _words_form({**now, **given.validated_data}, instance=row)
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        describe_picture(form.instance)
        return self.answer_row(pk=row.pk)

    @extend_schema(request=None, responses=Done)
    @action(detail=True, methods=["post"])
    def prepare(self, request: Asked, pk: str) -> Response:
        """Make its thumbnails and read its letters again, in the background."""
        prepare_anew(Picture.objects.filter(pk=self.get_object().pk))
        return _done("It will be prepared again in the background.")

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def fit(self, request: Asked, pk: str) -> Response:
        """Find a picture fit that waits for the check, unless a colleague is checking it now."""
        row = self.get_object()
        manual_check.pass_picture(picture=row, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=row.pk)

    @extend_schema(request=UnfitReason)
    @action(detail=True, methods=["post"])
    def unfit(self, request: Asked, pk: str) -> Response:
        """Find a picture unfit that waits for the check, unless a colleague is checking it now."""
        row, given = self.get_object(), self.read(UnfitReason)
        manual_check.refuse_picture(
            picture=row, reason=given["reason"], by=user_of(request), now=timezone.now()
        )
        return self.answer_row(pk=row.pk)

    @extend_schema(request=Empty)
    @action(detail=False, methods=["post"], url_path="undo-check")
    def undo_check(self, request: Asked) -> Response:
        """Take back your last verdict of the check. The picture is yours for some minutes."""
        self.read(Empty)
        picture = manual_check.undo_check(by=user_of(request), now=timezone.now())
        return self.answer_row(pk=picture.pk)


class PictureReportViewSet(Listing):
    """What workers reported of pictures. A reported picture is shown to nobody until this is decided."""

    queryset: QuerySet[Report] = Report.objects.select_related("picture", "decided_by")
    permissions = (REPORTS,)
    study_path = None
    number = True
    filters = PictureReportFilters
    needs = {
        "uphold": Need(Scope.REVIEW, (REPORTS, REMOVE)),
        "dismiss": Need(Scope.REVIEW, (REPORTS, REMOVE)),
    }
    admin_pages = {"pictures_report_decide": "uphold"}
    columns = (
        column("number", INTEGER, "the number of the report on this site", of="pk"),
        column("picture", INTEGER, "the number of the picture", of="picture_id"),
        column("sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
        column("concept", TEXT, "the concept of the picture", of="picture.concept"),
        column("reason", TEXT, "inappropriate, missing or other"),
        column("text", TEXT, "the reporter's words"),
        column("worker", TEXT, "the reporter's pseudonym; null for one who is not known", of="by_worker"),
        column("status", TEXT, "open, upheld or dismissed"),
        column("made_at", MOMENT, "when it was reported"),
        column("decided_at", MOMENT, "when it was decided"),
        column("decided_by", TEXT, "who decided", of=lambda row: _name_of(row.decided_by)),
    )

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def uphold(self, request: Asked, pk: str) -> Response:
        """Uphold the report. The picture stays removed, and its other open reports are upheld too."""
        row = self.get_object()
        picture_reports.uphold_report(report=row, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=row.pk)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def dismiss(self, request: Asked, pk: str) -> Response:
        """Dismiss the report. The picture is back, and its other open reports are dismissed too."""
        row = self.get_object()
        picture_reports.dismiss_report(report=row, by=user_of(request), now=timezone.now())
        return self.answer_row(pk=row.pk)


class PictureImportViewSet(Listing):
    """The files that bring pictures. One is read first, and its pictures come once it is begun."""

    queryset: QuerySet[Import] = Import.objects.select_related("made_by", "swow").annotate(
        **{one: Count("requests", filter=Q(requests__status=one)) for one in Status.values}
    )
    permissions = (VIEW, IMPORT)
    study_path = None
    number = True
    filters = PictureImportFilters
    parser_classes = (PlainJSON, MultiPartParser)
    needs = {"upload": Need(Scope.DRAFT, (IMPORT,))}
    admin_pages = {"pictures_import_add": "upload"}
    columns = (
        column("number", INTEGER, "the number of the import on this site", of="pk"),
        column("name", TEXT, "the name of its file"),
        column("is_checked", FLAG, "whether its pictures were looked at before"),
        column(
            "association_list",
            TEXT,
            "the list whose concepts it fills",
            of=public_id_of("swow"),
        ),
        column("waiting", INTEGER, "pictures that are still to come"),
        column("added", INTEGER, "pictures that came into the pool"),
        column("duplicate", INTEGER, "pictures that were in the pool already"),
        column("failed", INTEGER, "lines that failed"),
        column("unwanted_lines", INTEGER, "lines left out: the list wants no picture of them"),
        column("empty_lines", INTEGER, "lines left out: they name no picture"),
        column("made_by", TEXT, "who uploaded it", of=lambda row: _name_of(row.made_by)),
        column("made_at", MOMENT, "when it was uploaded"),
        column("begun_at", MOMENT, "when it was begun; null before"),
        column("ended_at", MOMENT, "when all of it was done"),
    )
    verbs = {
        "begin": Verb(
            action=PAGES.actions["begin"], scope=Scope.DRAFT, about="Begin to import the pictures."
        ),
        "discard": Verb(
            action=PAGES.actions["discard"],
            scope=Scope.DRAFT,
            about="Discard the file, as if it had never been uploaded.",
        ),
        "again": Verb(
            action=PAGES.actions["again"], scope=Scope.DRAFT, about="Try the failed addresses again."
        ),
    }

    @extend_schema(request={"multipart/form-data": PictureFile})
    @action(detail=False, methods=["post"])
    def upload(self, request: Asked) -> Response:
        """Read a file of pictures, all lines or none. Nothing comes in before the import is begun."""
        given = self.read(PictureFile)
        form = ImportForm(
            {**given, "swow": _list_number(given.get("association_list"))}, {"file": given["file"]}
        )
        if not form.is_valid():
            raise serializers.ValidationError(form.errors.get_json_data())
        made = prepare(form.cleaned_data, by=user_of(request), now=timezone.now())
        answer = self.answer_row(pk=made.pk)
        answer.status_code = 201
        return answer


class ImportLineViewSet(Listing):
    """The lines of imports: the pictures that were asked for, and what went wrong."""

    queryset: QuerySet[Request] = Request.objects.all()
    permissions = (VIEW, IMPORT)
    study_path = None
    number = True
    filters = ImportLineFilters
    columns = (
        column("number", INTEGER, "the number of the line on this site", of="pk"),
        column("picture_import", INTEGER, "the number of its import", of="importing_id"),
        column("place", TEXT, "where it stands in the file"),
        column("concept", TEXT, "what the picture shows"),
        column("file", TEXT, "its file in the archive", of="member"),
        column("url", TEXT, "its address"),
        column("status", TEXT, "waiting, added, duplicate or failed"),
        column("problem", TEXT, "why it failed"),
        column("picture", INTEGER, "the number of the picture that it brought or found", of="picture_id"),
    )


class WantedConceptsViewSet(mixins.RetrieveModelMixin, Resource):
    """The concepts of an association list that still need a picture, by the list's id."""

    queryset: QuerySet[SwowList] = SwowList.objects.all()
    serializer_class = WantedConceptsSerializer
    needs: ClassVar[Mapping[str, Need]] = {"retrieve": Need(Scope.READ, (VIEW, LISTS))}
    queries: ClassVar[Mapping[str, type[Filters]]] = {"retrieve": WantedFilters}

    def get_queryset(self) -> QuerySet[SwowList]:
        return ready_lists()

    @extend_schema(responses=WantedConceptsSerializer)
    def retrieve(self, request: Asked, public_id: str) -> Response:
        """Read the concepts of a list that still need a picture. Pages have 500 of them."""
        asked = read_query(request, WantedFilters)
        swow = self.get_object()
        wanted = wanted_concepts(swow)
        found = found_concepts(
            wanted.concepts,
            sought=asked.get("q", ""),
            which=asked.get("which", ""),
            order=asked.get("order", ""),
        )
        first = (asked.get("page", 1) - 1) * MOST_CONCEPTS
        told = {
            "association_list": swow.public_id,
            "total": wanted.total,
            "pictured": wanted.pictured,
            "impossible": wanted.impossible,
            "found": len(found),
            "pages": max(1, -(-len(found) // MOST_CONCEPTS)),
            "concepts": found[first : first + MOST_CONCEPTS],
        }
        return Response(WantedConceptsSerializer(told).data)


def _words_form(values: Mapping[str, Any], *, instance: Picture) -> Any:
    return modelform_factory(Picture, form=WordsForm, fields=WORDS)(values, instance=instance)


def _list_number(public_id: Any) -> int | None:
    """Return the list's number for the form. Raises ValidationError for a list that is not ready."""
    if public_id is None:
        return None
    found = ready_lists().filter(public_id=public_id).first()
    if found is None:
        raise serializers.ValidationError({"association_list": ["There is none with this id."]})
    return found.pk


def _done(message: str) -> Response:
    return Response(Done({"message": message, "problems": []}).data)


router = SimpleRouter()
router.register("pictures", PictureViewSet, basename="picture")
router.register("picture-reports", PictureReportViewSet, basename="picture-report")
router.register("picture-imports", PictureImportViewSet, basename="picture-import")
router.register("import-lines", ImportLineViewSet, basename="import-line")
router.register("wanted-concepts", WantedConceptsViewSet, basename="wanted-concepts")

urlpatterns = router.urls
