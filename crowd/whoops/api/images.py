"""Images on their way into the data: what designers sent, and what was decided about it."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from crowd.whoops.api.filters import ControlAnswerFilters, ImageFilters, OfImageFilters
from crowd.whoops.control.domain.control_verdicts import LONGEST_REASON
from crowd.whoops.control.services import comparison
from crowd.whoops.models import ControlAnswer, Image, ImageEdit, Partner, PartnerProposal, Review, Revision
from crowd.whoops.models.image_edits import LONGEST_WHY
from crowd.whoops.models.images import LONGEST_EXPLANATION
from crowd.whoops.review.admin.image_actions import ACTIONS
from crowd.whoops.review.queries.readable_reviews import CHECK, readable_reviews
from crowd.whoops.review.services import harm_review
from hits.api.authentication import user_of
from hits.api.listings import JSON, Listing
from hits.api.request_permissions import Need
from hits.api.verbs import Verb
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, column
from hits.identity.api_tokens import Scope
from hits.work.queries.taken_out import taken_out_by_its_worker

LOOK = "whoops.view_image"
PROPOSALS = PartnerProposal.objects.select_related("picture").order_by("-search", "place")


class ImageReason(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=LONGEST_REASON)


class ImageRefusal(ImageReason):
    with_pictures = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Take its pictures away, too. For those who may remove pictures.",
    )


class ExplanationInput(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST_EXPLANATION)
    why = serializers.CharField(max_length=LONGEST_WHY)
    seen = serializers.CharField(
        required=False, help_text="The explanation that you have read; refused if it is another one by now."
    )


class CategoryInput(serializers.Serializer[Any]):
    category = serializers.IntegerField(min_value=1, help_text="Its number, as the categories tell it.")
    why = serializers.CharField(max_length=LONGEST_WHY)
    seen = serializers.CharField(
        required=False,
        allow_blank=True,
        help_text="The name of the category that you have read; refused if it is another one by now.",
    )


class PickedPartner(serializers.Serializer[Any]):
    proposal = serializers.IntegerField(min_value=1, help_text="The number of one of its proposals.")


class ReviewInput(serializers.Serializer[Any]):
    revision = serializers.IntegerField(min_value=1, help_text="The revision that you have looked at.")
    is_harmful = serializers.BooleanField()
    note = serializers.CharField(
        max_length=harm_review.LONGEST_NOTE,
        required=False,
        default="",
        allow_blank=True,
        help_text="Whom it could hurt, and why; needed if it is harmful.",
    )


class ComparisonInput(serializers.Serializer[Any]):
    seen = serializers.BooleanField(help_text="Whether it is what the designer meant.")
    note = serializers.CharField(
        max_length=comparison.LONGEST_NOTE,
        required=False,
        default="",
        allow_blank=True,
        help_text="Words to the designer, if it is not.",
    )


class WeirdImageViewSet(Listing):
    """The images that designers have sent."""

    queryset: QuerySet[Image] = Image.objects.select_related(
        "project__study", "designer", "picture", "category", "control_item", "annotation_item"
    ).prefetch_related(
        Prefetch("partners", Partner.objects.select_related("picture").order_by("kind")),
        Prefetch("partner_proposals", PROPOSALS),
    )
    permissions = (LOOK,)
    study_path = "project__study"
    filters = ImageFilters
    needs = {"review": Need(Scope.REVIEW, (LOOK, CHECK))}
    admin_pages = {"whoops_review_give": "review"}
    columns = (
        column("public_id", TEXT, "the image's id"),
        column("study", TEXT, "the study", of="project.study.public_id"),
        column("number", INTEGER, "its number in the study"),
        column("designer", TEXT, "its designer", of="designer.public_id"),
        column("state", TEXT, "control, returned, review, accepted, refused or withdrawn"),
        column("revision", INTEGER, "how often it was sent"),
        column("picture_sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
        column("prompt", TEXT, "the prompt that made it"),
        column("seed", TEXT, "the seed"),
        column("tool", TEXT, "what it was made with"),
        column("normal_element", TEXT, "what would be normal"),
        column("weird_element", TEXT, "what stands there instead"),
        column("shared_element", TEXT, "what it goes with"),
        column("explanation", TEXT, "why it is weird, as it is part of the data", of="final_explanation"),
        column("designer_explanation", TEXT, "why it is weird, in the designer's words", of="explanation"),
        column(
            "category",
            TEXT,
            "what it goes against",
            of=lambda image: image.category and image.category.name,
        ),
        column(
            "partners",
            ROWS,
            "the scene with nothing weird in it",
            column("kind", TEXT, "normal: made with the same tool; natural: a photograph"),
            column("picture_sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
            column("prompt", TEXT, "the prompt that made it"),
            column("seed", TEXT, "the seed"),
            column("tool", TEXT, "what it was made with"),
            of=lambda image: image.partners.all(),
        ),
        column(
            "proposals",
            ROWS,
            "pictures of the pool that may be its natural partner, those of the last search first",
            column("number", INTEGER, "the number by which one is picked", of="pk"),
            column("picture_sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
            column("cosine", NUMBER, "how near it is"),
            column("picked_at", MOMENT, "when it was picked; null: it was not"),
            of=lambda image: image.partner_proposals.all(),
        ),
        column(
            "control_item",
            TEXT,
            "the item of the control group",
            of=lambda image: image.control_item and image.control_item.public_id,
        ),
        column(
            "annotation_item",
            TEXT,
            "the item of the annotators",
            of=lambda image: image.annotation_item and image.annotation_item.public_id,
        ),
        column("annotated", INTEGER, "annotations that are counted or held back"),
        column("sent_at", MOMENT, "when it was first sent"),
        column("changed_at", MOMENT, "when it last changed"),
        column("accepted_at", MOMENT, "when it was accepted"),
    )
    verbs = {
        "partner": Verb(
            action=ACTIONS["partner"],
            about="Make a picture that was proposed its natural partner.",
            scope=Scope.REVIEW,
            body=PickedPartner,
        ),
        "accept": Verb(
            action=ACTIONS["accept"],
            about="Accept the image. It is data from now on, and annotators are asked about it.",
            scope=Scope.REVIEW,
            body=ImageReason,
        ),
        "return": Verb(
            action=ACTIONS["return"],
            about="Return the image to its designer, who reads the reason and can send it again.",
            scope=Scope.REVIEW,
            body=ImageReason,
        ),
        "reword": Verb(
            action=ACTIONS["reword"],
            about="Change the reason for which the image was returned.",
            scope=Scope.REVIEW,
            body=ImageReason,
        ),
        "refuse": Verb(
            action=ACTIONS["refuse"],
            about="Refuse the image. It is out of the data and cannot be sent again.",
            scope=Scope.REVIEW,
            body=ImageRefusal,
        ),
        "reconsider": Verb(
            action=ACTIONS["reconsider"],
            about="Take the decision on the image back.",
            scope=Scope.REVIEW,
            body=ImageReason,
        ),
        "explanation": Verb(
            action=ACTIONS["explanation"],
            scope=Scope.DRAFT,
            about="Edit the explanation. The designer's own words stay on record.",
            body=ExplanationInput,
        ),
        "category": Verb(
            action=ACTIONS["category"], scope=Scope.DRAFT, about="Set the category.", body=CategoryInput
        ),
    }

    @extend_schema(request=ReviewInput)
    @action(detail=True, methods=["post"])
    def review(self, request: Request, public_id: str) -> Response:
        """Say whether the image could hurt somebody, once for each revision."""
        image, values = self.get_object(), self.read(ReviewInput)
        harm_review.give_review(image=image, by=user_of(request), now=timezone.now(), **values)
        return self.answer_row(pk=image.pk)


class WeirdRevisionViewSet(Listing):
    """Every submission of an image as it was sent, and what became of it."""

    queryset: QuerySet[Revision] = Revision.objects.select_related("image", "picture", "ended_by")
    permissions = (LOOK,)
    study_path = "image__project__study"
    number = True
    filters = OfImageFilters
    columns = (
        column("number", INTEGER, "the number of the row on this site", of="pk"),
        column("image", TEXT, "the image", of="image.public_id"),
        column("revision", INTEGER, "which submission it was", of="number"),
        column("picture_sha256", TEXT, "SHA-256 of the picture", of="picture.sha256"),
        column("texts", JSON, "every text as it was then"),
        column("sent_at", MOMENT, "when it was sent"),
        column("outcome", TEXT, "returned, accepted, refused or withdrawn; empty: not decided yet"),
        column("reason", TEXT, "what its designer read"),
        column("ended_by", TEXT, "who decided", of=lambda row: _user(row.ended_by)),
        column("ended_at", MOMENT, "when it was decided"),
    )


class WeirdEditViewSet(Listing):
    """Changes of researchers to what designers have sent, with both texts."""

    queryset: QuerySet[ImageEdit] = ImageEdit.objects.select_related("image", "by")
    permissions = (LOOK,)
    study_path = "image__project__study"
    number = True
    filters = OfImageFilters
    columns = (
        column("number", INTEGER, "the number of the edit on this site", of="pk"),
        column("image", TEXT, "the image", of="image.public_id"),
        column("revision", INTEGER, "the revision that was edited"),
        column("what", TEXT, "explanation or category"),
        column("before", TEXT, "what was there"),
        column("after", TEXT, "what is there now"),
        column("why", TEXT, "the reason"),
        column("by", TEXT, "who edited it", of="by.username"),
        column("at", MOMENT, "when"),
    )


class ControlAnswerViewSet(Listing):
    """What the control group saw, and whether it is what the designer meant."""

    queryset: QuerySet[ControlAnswer] = (
        ControlAnswer.objects.exclude(taken_out_by_its_worker("assignment"))
        .select_related("image", "worker", "assignment", "decided_by")
        .defer("worker__external_id")
    )
    permissions = (LOOK,)
    study_path = "image__project__study"
    number = True
    filters = ControlAnswerFilters
    needs = {"compare": Need(Scope.REVIEW, (LOOK, CHECK))}
    admin_pages = {"whoops_compare_decide": "compare"}
    columns = (
        column("number", INTEGER, "the number of the answer on this site", of="pk"),
        column("image", TEXT, "the image", of="image.public_id"),
        column("revision", INTEGER, "the revision that was looked at"),
        column("worker", TEXT, "the worker's pseudonym", of="worker.pseudonym"),
        column("assignment", TEXT, "the work", of="assignment.public_id"),
        column("text", TEXT, "what the worker saw"),
        column("saw_nothing", FLAG, "whether nothing seemed weird"),
        column("seen", FLAG, "whether it is what the designer meant; null: not compared yet"),
        column("note", TEXT, "words to the designer"),
        column("decided_by", TEXT, "who compared it", of=lambda row: _user(row.decided_by)),
        column("decided_at", MOMENT, "when it was compared"),
    )

    @extend_schema(request=ComparisonInput)
    @action(detail=True, methods=["post"])
    def compare(self, request: Request, pk: str) -> Response:
        """Say whether the worker saw what the designer meant. The last one needed moves the image."""
        found, values = self.get_object(), self.read(ComparisonInput)
        by, now = user_of(request), timezone.now()
        comparison.decide_control_answer(control_answer=found, by=by, now=now, **values)
        return self.answer_row(pk=found.pk)


class HarmReviewViewSet(Listing):
    """Reviews for harm. A reviewer reads those of an image after their own."""

    queryset: QuerySet[Review] = Review.objects.all()
    permissions = (LOOK,)
    study_path = "image__project__study"
    number = True
    filters = OfImageFilters
    columns = (
        column("number", INTEGER, "the number of the review on this site", of="pk"),
        column("image", TEXT, "the image", of="image.public_id"),
        column("revision", INTEGER, "the revision that was looked at"),
        column("by", TEXT, "the reviewer", of="by.username"),
        column("is_harmful", FLAG, "whether it could hurt somebody"),
        column("note", TEXT, "whom, and why"),
        column("at", MOMENT, "when"),
    )

    def get_queryset(self) -> QuerySet[Review]:
        seen = readable_reviews(user_of(self.request)).values("pk")
        return super().get_queryset().filter(pk__in=seen).select_related("image", "by")


def _user(user: Any) -> str | None:
    return user.username if user else None
